import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Page } from '../../../packages/node-sdk/src/transport.ts';
import { TaskElement, viewError } from './element.ts';
import { pageWords, words } from './preferences.ts';

/** A filter of a list, kept in the query of the address. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Pairs of value and label; without them the user types the value. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** Of what is typed: a date stands for its first moment in the zone of the user. Default: `search`. */
  readonly type?: 'search' | 'date';
}

/** What a list shows. */
export interface ListView<Item> {
  /** The name of the table, for screen readers. */
  readonly label: string;
  /** The heading of each column, and its cell. The first cell holds the link to the item. */
  readonly columns: readonly (readonly [title: string, view: (item: Item) => unknown])[];
  readonly filters?: readonly Filter[];
  /** Loads the first page that the filters allow. */
  load(query: Readonly<Record<string, string>>): PromiseLike<Page<Item>>;
  /** Shown when there is nothing at all: what it is, and what to do. */
  readonly empty: TemplateResult | string;
}

/**
 * A list with filters in the address and further pages on demand. With the focus in the table, `j` and `k` move over the
 * rows and Enter opens one.
 */
export class List<Item> extends TaskElement {
  static override properties = { view: { attribute: false }, items: { state: true }, next: { state: true } };

  declare view: ListView<Item>;
  declare items: readonly Item[] | null;
  /** Loads the page after the last one; null at the end. */
  declare next: Page<Item> | null;
  #loads = 0;

  constructor() {
    super();
    this.items = null;
    this.next = null;
  }

  /** Loads the list again from the start. Only the latest of several loads is shown: filters change faster than answers. */
  async reload(): Promise<void> {
    this.#loads += 1;
    const load = this.#loads;
    const [page, error] = await Promise.resolve(this.view.load(this.#query())).then(
      (loaded) => [loaded, null] as const,
      (failure: unknown) => [null, failure] as const,
    );
    if (load !== this.#loads) return;
    this.error = error;
    if (page === null) return;
    this.items = page.items;
    this.next = page;
  }

  protected override firstUpdated(_changed: PropertyValues<this>): void {
    void this.reload();
  }

  protected override render(): TemplateResult {
    const { filters = [] } = this.view;
    return html`${filters.length === 0 ? nothing : html`<div class="filters">${filters.map((filter) => this.#viewFilter(filter))}</div>`}
    ${viewError(this.error)}
    ${
      this.error !== null
        ? html`<div class="actions"><button @click=${() => this.reload()}>${words.retry}</button></div>`
        : this.#viewItems()
    }`;
  }

  #viewItems(): TemplateResult {
    const { items, view } = this;
    if (items === null) return html`<p role="status">${words.loading}</p>`;
    if (items.length === 0)
      return html`<div class="empty" role="status">
        ${Object.keys(this.#query()).length > 0 ? pageWords.nothingMatches : view.empty}
      </div>`;
    return html`<div class="scroll" role="region" aria-label=${view.label} tabindex="0" @keydown=${this.#move}>
        <table>
          <thead>
            <tr>
              ${view.columns.map(([title]) => html`<th scope="col">${title}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${items.map(
              (item) =>
                html`<tr>
                  ${view.columns.map(([, cell]) => html`<td>${cell(item)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${
        this.next?.hasNextPage
          ? html`<div class="actions">
              <button ?disabled=${this.isBusy} @click=${this.#loadMore}>${pageWords.showMore}</button>
            </div>`
          : nothing
      }`;
  }

  #viewFilter({ name, label, options, type = 'search' }: Filter): TemplateResult {
    const value = new URLSearchParams(location.search).get(name) ?? '';
    if (options === undefined)
      return html`<label
        ><span>${label}</span><input name=${name} type=${type} value=${value} autocomplete="off" @change=${this.#filter}
      /></label>`;
    return html`<label
      ><span>${label}</span
      ><select name=${name} @change=${this.#filter}>
        <option value="">${pageWords.all}</option>
        ${options.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
      </select></label
    >`;
  }

  /** The filters of the address that the list has. */
  #query(): Readonly<Record<string, string>> {
    const search = new URLSearchParams(location.search);
    const set = (this.view.filters ?? []).flatMap(({ name, type }) => {
      const value = search.get(name);
      return value === null ? [] : [[name, type === 'date' ? startOfDay(value) : value] as const];
    });
    return Object.fromEntries(set);
  }

  readonly #filter = (event: Event): void => {
    const { name, value } = event.currentTarget as HTMLInputElement | HTMLSelectElement;
    const address = new URL(location.href);
    if (value === '') address.searchParams.delete(name);
    else address.searchParams.set(name, value);
    history.replaceState(null, '', address);
    void this.reload();
  };

  readonly #loadMore = (): void => {
    const load = this.#loads;
    void this.run(async () => {
      const page = (await this.next?.nextPage()) ?? null;
      if (load !== this.#loads) return;
      this.items = [...(this.items ?? []), ...(page?.items ?? [])];
      this.next = page;
    });
  };

  readonly #move = (event: KeyboardEvent): void => {
    const step = { j: 1, k: -1 }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const links = [...this.querySelectorAll<HTMLElement>('tbody tr')].flatMap((row) => row.querySelector('a') ?? []);
    const current = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
    links[Math.max(0, Math.min(links.length - 1, current + step))]?.focus();
    event.preventDefault();
  };
}

/** The first moment of a day in the zone of the user. What is no date is sent as it is: the server says so. */
function startOfDay(text: string): string {
  const time = new Date(`${text}T00:00`);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

customElements.define('svc-list', List);
