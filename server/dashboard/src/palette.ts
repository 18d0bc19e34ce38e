import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { DashboardElement } from './element.ts';
import type { Found } from './finder.ts';
import { listEntries } from './pages.ts';
import { hasShortcuts, keep, words } from './preferences.ts';
import type { Router } from './router.ts';

/**
 * The command palette: `Ctrl K` or `⌘ K` finds a page or an object by its name, or by its id. A combobox with a list
 * (ARIA 1.2).
 */
export class Palette extends DashboardElement {
  static override properties = {
    router: { attribute: false },
    text: { state: true },
    chosen: { state: true },
    objects: { state: true },
  };

  declare router: Router;
  declare text: string;
  /** The position of the chosen result. */
  declare chosen: number;
  /** The objects that were found. */
  declare objects: readonly Found[];
  #timer = 0;

  constructor() {
    super();
    this.text = '';
    this.chosen = 0;
    this.objects = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#openByKey);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#openByKey);
  }

  protected override render(): TemplateResult {
    const results = this.#find();
    return html`<button @click=${this.#open}>${words.find} <kbd>${isApple ? '⌘' : 'Ctrl'} K</kbd></button>
      <dialog class="palette" aria-label=${words.find}>
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-results"
          aria-label=${words.findPage}
          aria-activedescendant=${results.length === 0 ? nothing : `palette-${this.chosen}`}
          autocomplete="off"
          .value=${this.text}
          @input=${this.#type}
          @keydown=${this.#move}
        />
        <ul id="palette-results" role="listbox" aria-label=${words.findPage}>
          ${results.map(
            (entry, index) =>
              html`<li
                id="palette-${index}"
                role="option"
                aria-selected=${index === this.chosen}
                @click=${() => this.#go(entry)}
              >
                ${entry.title} ${entry.kind === undefined ? nothing : html`<span class="quiet">${entry.kind}</span>`}
              </li>`,
          )}
        </ul>
        ${results.length === 0 ? html`<p role="status" class="quiet">${words.nothingFound}</p>` : nothing}
        <label class="check quiet"
          ><input type="checkbox" .checked=${hasShortcuts()} @change=${this.#switchShortcuts} /> ${words.shortcuts}</label
        >
      </dialog>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('chosen')) this.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }

  #find(): readonly Found[] {
    const wanted = this.text.toLowerCase().trim();
    const entries = listEntries().map(({ path, title }) => ({ path, title: title() }));
    return [...entries.filter(({ title }) => title.toLowerCase().includes(wanted)), ...this.objects];
  }

  #go(entry: Found | undefined): void {
    if (entry === undefined) return;
    this.querySelector('dialog')?.close();
    void this.router.go(entry.path);
  }

  readonly #open = (): void => {
    this.text = '';
    this.chosen = 0;
    this.objects = [];
    // The account page can switch the keys, too.
    this.requestUpdate();
    this.querySelector('dialog')?.showModal();
  };

  readonly #openByKey = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]'))
      return;
    event.preventDefault();
    this.#open();
  };

  readonly #type = (event: Event): void => {
    const text = (event.currentTarget as HTMLInputElement).value;
    this.text = text;
    this.chosen = 0;
    this.objects = [];
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(async () => {
      const { findObjects } = await import('./finder.ts');
      const found = await findObjects(text);
      if (text === this.text) this.objects = found;
    }, typingPause);
  };

  readonly #switchShortcuts = (event: Event): void => {
    keep('svc-shortcuts', (event.currentTarget as HTMLInputElement).checked ? 'on' : 'off');
    this.requestUpdate();
  };

  readonly #move = (event: KeyboardEvent): void => {
    const results = this.#find();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') this.#go(results[this.chosen]);
    else if (step !== undefined && results.length > 0)
      this.chosen = (this.chosen + step + results.length) % results.length;
    else return;
    event.preventDefault();
  };
}

/** Milliseconds without a key before objects are searched for. */
const typingPause = 200;
const isApple = /mac|iphone|ipad/i.test(navigator.userAgent);

customElements.define('svc-palette', Palette);
