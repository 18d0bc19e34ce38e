import { html, nothing, type TemplateResult } from 'lit';
import { DashboardElement } from './element.ts';
import { type NavigationEntry, navigation } from './pages.ts';
import { words } from './preferences.ts';
import type { Router } from './router.ts';
import { session } from './session.ts';

/** The command palette: `Ctrl K` or `⌘ K` finds a page by its name. A combobox with a list (ARIA 1.2). */
export class Palette extends DashboardElement {
  static override properties = { router: { attribute: false }, text: { state: true }, chosen: { state: true } };

  declare router: Router;
  declare text: string;
  /** The position of the chosen result. */
  declare chosen: number;

  constructor() {
    super();
    this.text = '';
    this.chosen = 0;
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
                ${entry.title()}
              </li>`,
          )}
        </ul>
        ${results.length === 0 ? html`<p role="status" class="quiet">${words.nothingFound}</p>` : nothing}
      </dialog>`;
  }

  #find(): readonly NavigationEntry[] {
    const wanted = this.text.toLowerCase().trim();
    return navigation.filter(
      ({ title, operation }) =>
        title().toLowerCase().includes(wanted) && (operation === null || session.allows(operation)),
    );
  }

  #go(entry: NavigationEntry | undefined): void {
    if (entry === undefined) return;
    this.querySelector('dialog')?.close();
    void this.router.go(entry.path);
  }

  readonly #open = (): void => {
    this.text = '';
    this.chosen = 0;
    this.querySelector('dialog')?.showModal();
  };

  readonly #openByKey = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]'))
      return;
    event.preventDefault();
    this.#open();
  };

  readonly #type = (event: Event): void => {
    this.text = (event.currentTarget as HTMLInputElement).value;
    this.chosen = 0;
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

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent);

customElements.define('svc-palette', Palette);
