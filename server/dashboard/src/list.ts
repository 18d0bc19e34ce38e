import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { Page } from '../../../packages/node-sdk/src/transport.ts';
import { TaskElement, viewError } from './element.ts';
import { startOfDay } from './format.ts';
import { type EmptyState, viewEmpty } from './page-element.ts';
import { hasShortcuts, pageWords, words } from './preferences.ts';
import { setParameter } from './whereabouts.ts';

/** A filter of a list, kept in the query of the address. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Pairs of value and label; without them the user types the value. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** Of what is typed: a date is a day in the zone of the user, and the one of `to` is included. Default: `search`. */
  readonly type?: 'search' | 'date';
}

/** Columns, filters and items of a list. */
export interface ListView<Item> {
  /** The name of the table, for screen readers. */
  readonly label: string;
  /** The heading of each column, and its cell. The first cell holds the link to the item. */
  readonly columns: readonly (readonly [title: string, view: (item: Item) => unknown])[];
  readonly filters?: readonly Filter[];
  /** Loads the first page that the filters allow. */
  load(query: Readonly<Record<string, string>>): PromiseLike<ListPage<Item>>;
  /** Shown when there is nothing at all. */
  readonly empty: EmptyState;
  /** Shows the items in another way than as a table. */
  readonly layout?: ((items: readonly Item[]) => TemplateResult) | undefined;
}

/** The members of a page that a list uses. */
type ListPage<Item> = Pick<Page<Item>, 'items' | 'hasNextPage'> & { nextPage(): Promise<ListPage<Item> | null> };

/** A list that is complete, as its only page. */
export function onlyPage<Item>(items: readonly Item[]): ListPage<Item> {
  return { items, hasNextPage: false, nextPage: async () => null };
}

/**
 * A list with filters in the address and further pages on demand. `/` goes to its filters, `j` and `k` move over the rows,
 * and Enter opens one.
 */
export class List<Item> extends TaskElement {
  static override properties = { view: { attribute: false }, items: { state: true }, next: { state: true } };

  declare view: ListView<Item>;
  declare items: readonly Item[] | null;
  /** Loads the page after the last one; null at the end. */
  declare next: ListPage<Item> | null;
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
    const [page, error] = await Promise.resolve(this.view.load(readFilters(this.view))).then(
      (loaded) => [loaded, null] as const,
      (failure: unknown) => [null, failure] as const,
    );
    if (load !== this.#loads) return;
    this.error = error;
    if (page === null) return;
    this.items = page.items;
    this.next = page;
    // The user comes back to the rows that they had loaded.
    const wanted: number = history.state?.shown?.[this.view.label] ?? 0;
    for (let pages = 1; pages < mostPages && this.items.length < wanted && this.next.hasNextPage; pages += 1)
      if (!(await this.run(() => this.#append(load)))) return;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#press);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#press);
  }

  /** Requests before it draws: what is drawn first is then laid out while the request is under way. */
  protected override willUpdate(_changed: PropertyValues<this>): void {
    if (!this.hasUpdated) void this.reload();
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
    if (items.length === 0) return html`${this.#explainEmpty()} ${this.#viewMore(pageWords.searchOn)}`;
    if (view.layout !== undefined) return view.layout(items);
    return html`<div class="scroll" role="region" aria-label=${view.label} tabindex="0">
        <table>
          <thead>
            <tr>
              ${view.columns.map(([title]) => html`<th scope="col">${title}</th>`)}
            </tr>
          </thead>
          ${split(items).map((rows) => guard([view, ...rows], () => viewRows(rows, view)))}
        </table>
      </div>
      ${this.#viewMore(pageWords.showMore)}`;
  }

  #explainEmpty(): TemplateResult {
    if (Object.keys(readFilters(this.view)).length === 0) return viewEmpty(this.view.empty);
    const text = this.next?.hasNextPage ? pageWords.nothingYet : pageWords.nothingMatches;
    return html`<div class="empty" role="status">${text}</div>`;
  }

  #viewMore(text: string): TemplateResult | typeof nothing {
    if (!this.next?.hasNextPage) return nothing;
    return html`<div class="actions"><button ?disabled=${this.isBusy} @click=${this.#loadMore}>${text}</button></div>`;
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

  readonly #filter = (event: Event): void => {
    const { name, value } = event.currentTarget as HTMLInputElement | HTMLSelectElement;
    setParameter(name, value);
    const { shown: _, ...state } = history.state ?? {};
    history.replaceState(state, '');
    this.dispatchEvent(new Event('filtered', { bubbles: true }));
    void this.reload();
  };

  readonly #loadMore = (): void => {
    const load = this.#loads;
    void this.run(async () => {
      await this.#append(load);
      const shown = { ...history.state?.shown, [this.view.label]: this.items?.length };
      history.replaceState({ ...history.state, shown }, '');
    });
  };

  /** Loads the next page, unless another load has begun since. */
  async #append(load: number): Promise<void> {
    const page = (await this.next?.nextPage()) ?? null;
    if (load !== this.#loads) return;
    this.items = [...(this.items ?? []), ...(page?.items ?? [])];
    this.next = page;
  }

  readonly #press = (event: KeyboardEvent): void => {
    if (!isShortcut(event)) return;
    const { activeElement } = document;
    // Of several lists the one with the focus, else the first.
    if ((activeElement?.closest('svc-list') ?? document.querySelector('main svc-list')) !== this) return;
    if (event.key === '/') {
      this.querySelector<HTMLElement>('.filters input, .filters select')?.focus();
      event.preventDefault();
      return;
    }
    const step = { j: 1, k: -1 }[event.key];
    if (step === undefined) return;
    const links = [...this.querySelectorAll<HTMLElement>('tbody tr')].flatMap((row) => row.querySelector('a') ?? []);
    const current = links.findIndex((link) => link.closest('tr')?.contains(activeElement));
    links[Math.max(0, Math.min(links.length - 1, current + step))]?.focus();
    event.preventDefault();
  };
}

/** The most pages of a list that are loaded again at once. */
const mostPages = 20;

/** Drawn once: with thousands of rows, drawing all of them for each further page takes seconds. */
function viewRows<Item>(items: readonly Item[], { columns }: ListView<Item>): TemplateResult {
  return html`<tbody>
    ${items.map(
      (item) =>
        html`<tr>
          ${columns.map(([, cell]) => html`<td>${cell(item)}</td>`)}
        </tr>`,
    )}
  </tbody>`;
}

/** Groups of rows: while the window scrolls, a browser skips those outside as a whole, but no row by itself. */
function split<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const size = 50;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** True if a key is a shortcut of the page: not for a field or a dialog, and not switched off. */
function isShortcut({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !hasShortcuts() || document.querySelector('dialog[open]') !== null) return false;
  return !(target instanceof Element) || target.closest('input, select, textarea') === null;
}

/** The filters of a list that the address sets; other parameters of the address are not for it. */
export function readFilters<Item>({ filters = [] }: ListView<Item>): Readonly<Record<string, string>> {
  const search = new URLSearchParams(location.search);
  const set = filters.flatMap(({ name, type }) => {
    const value = search.get(name);
    if (value === null) return [];
    return [[name, type === 'date' ? writeDay(value, name === 'to' ? 1 : 0) : value] as const];
  });
  return Object.fromEntries(set);
}

/**
 * Converts a day to a time for the API. An invalid date is sent unchanged: the server rejects it with a message.
 * @param later days after that one: the API excludes the end of a span, and users include its day.
 */
function writeDay(text: string, later: number): string {
  const time = startOfDay(text, later);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

customElements.define('svc-list', List);
