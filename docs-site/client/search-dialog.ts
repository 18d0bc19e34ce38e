import { type Found, loadIndex, type SearchResult } from './search-index.ts';

const page = document.documentElement;
const mostResults = 12;
let search: SearchDialog | undefined;

/** Opens the search; the first time it loads the index. */
export function openSearch(): void {
  search ??= new SearchDialog();
  search.open();
}

/** A text field with a list below it (the combobox pattern of ARIA), in a modal dialog. */
class SearchDialog {
  readonly #dialog = document.createElement('dialog');
  readonly #input = document.createElement('input');
  readonly #list = document.createElement('div');
  readonly #status = document.createElement('p');
  #results: readonly Found[] = [];
  #active = -1;

  constructor() {
    const label = document.createElement('label');
    label.className = 'unseen';
    label.htmlFor = 'search-input';
    label.textContent = 'Search the documentation';
    Object.assign(this.#input, {
      id: 'search-input',
      type: 'text',
      enterKeyHint: 'search',
      placeholder: 'Search',
      autocomplete: 'off',
      spellcheck: false,
      role: 'combobox',
    });
    this.#input.setAttribute('aria-controls', 'search-results');
    this.#input.setAttribute('aria-expanded', 'false');
    this.#input.setAttribute('aria-autocomplete', 'list');
    Object.assign(this.#list, { id: 'search-results', role: 'listbox', hidden: true });
    this.#list.setAttribute('aria-label', 'Results');
    Object.assign(this.#status, { role: 'status', className: 'search-status' });
    const close = document.createElement('button');
    Object.assign(close, { type: 'button', textContent: 'Close', className: 'search-close' });
    close.addEventListener('click', () => this.#dialog.close());
    const head = document.createElement('div');
    head.className = 'search-head';
    head.append(label, this.#input, close);
    this.#dialog.className = 'search';
    this.#dialog.setAttribute('aria-label', 'Search');
    this.#dialog.append(head, this.#status, this.#list);
    this.#dialog.addEventListener('click', (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
    this.#input.addEventListener('input', () => void this.#search());
    this.#input.addEventListener('keydown', (event) => this.#move(event));
    document.body.append(this.#dialog);
  }

  open(): void {
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#input.select();
    void this.#search();
  }

  async #search(): Promise<void> {
    const words = this.#input.value.trim();
    let result: SearchResult = { found: [], hasAll: true };
    try {
      const find = await loadIndex(new URL(page.dataset.index ?? '', document.baseURI));
      if (words !== '') result = find(words);
    } catch {
      this.#show([], 'The search index could not be loaded. The page “All headings” lists everything.', true);
      return;
    }
    // The reader has typed more meanwhile: only the later search shows its results.
    if (words !== this.#input.value.trim()) return;
    const found = result.found.slice(0, mostResults);
    if (words === '') this.#show([], 'Enter words, the name of an operation, a path or an error code.', false);
    else if (found.length === 0)
      this.#show(
        [],
        `Nothing has all of “${words}”. Try fewer or shorter words, or look through “All headings”.`,
        true,
      );
    else this.#show(found, describeCount(found.length, result.hasAll), false);
  }

  #show(results: readonly Found[], message: string, offersIndex: boolean): void {
    this.#results = results;
    this.#status.replaceChildren(message);
    if (offersIndex) {
      const link = document.createElement('a');
      link.href = `${page.dataset.root}all-headings/`;
      link.textContent = 'All headings';
      this.#status.append(' ', link);
    }
    this.#list.hidden = results.length === 0;
    this.#input.setAttribute('aria-expanded', String(results.length > 0));
    this.#list.replaceChildren(...results.map((result, index) => this.#writeResult(result, index)));
    this.#activate(results.length > 0 ? 0 : -1);
  }

  #writeResult({ title, page: where, place, excerpt }: Found, index: number): HTMLElement {
    const option = document.createElement('a');
    option.role = 'option';
    option.id = `search-result-${index}`;
    option.href = page.dataset.root + place;
    option.tabIndex = -1;
    const texts = [title, where, excerpt].map((text, part) => {
      const line = document.createElement('span');
      line.className = ['found-title', 'found-page', 'found-text'][part] ?? '';
      line.textContent = text;
      return line;
    });
    option.append(...texts);
    option.addEventListener('click', () => this.#dialog.close());
    option.addEventListener('pointermove', () => this.#activate(index));
    return option;
  }

  #activate(index: number): void {
    this.#active = index;
    for (const [at, option] of [...this.#list.children].entries()) {
      option.setAttribute('aria-selected', String(at === index));
      if (at === index) option.scrollIntoView({ block: 'nearest' });
    }
    if (index >= 0) this.#input.setAttribute('aria-activedescendant', `search-result-${index}`);
    else this.#input.removeAttribute('aria-activedescendant');
  }

  #move(event: KeyboardEvent): void {
    const count = this.#results.length;
    if (event.key === 'Enter') {
      event.preventDefault();
      (this.#list.children[this.#active] as HTMLElement | undefined)?.click();
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || count === 0) return;
    event.preventDefault();
    this.#activate((this.#active + step + count) % count);
  }
}

function describeCount(count: number, hasAll: boolean): string {
  const results = count === 1 ? '1 result' : `${count}${count === mostResults ? ' or more' : ''} results`;
  return hasAll ? results : `Nothing has all of these words. ${results} with some of them`;
}
