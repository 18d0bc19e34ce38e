import type { TemplateResult } from 'lit';
import { words } from './preferences.ts';

/** A page of the dashboard. */
export interface Page {
  /** Below `/app/`, with parameters: `webhooks/:id`. */
  readonly path: string;
  /** Loads the page. @returns its title and how it is drawn. */
  load(): Promise<PageModule>;
}

export interface PageModule {
  title(): string;
  render(parameters: Readonly<Record<string, string | undefined>>): TemplateResult;
}

/** What is shown now. */
export interface Place {
  readonly page: PageModule;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

const base = '/app/';

/** Finds the page of the address, and follows links and the back button. */
export class Router {
  readonly #pages: readonly { readonly pattern: URLPattern; readonly page: Page }[];
  readonly #missing: Page;
  readonly #show: (place: Place) => void;
  #navigation = 0;
  #address = location.href;

  constructor(pages: readonly Page[], missing: Page, show: (place: Place) => void) {
    this.#pages = pages.map((page) => ({ page, pattern: new URLPattern({ pathname: base + page.path }) }));
    this.#missing = missing;
    this.#show = show;
    addEventListener('popstate', () => this.#follow());
    addEventListener('beforeunload', (event) => hasUnsaved() && event.preventDefault());
    addEventListener('input', ({ target }) => noteInput(target as HTMLElement));
    addEventListener('click', (event) => this.#followLink(event));
  }

  /** Goes to a page. @param href relative to `/app/`. */
  async go(href: string): Promise<void> {
    if (!mayLeave()) return;
    history.pushState(null, '', new URL(href, location.origin + base));
    scrollTo(0, 0);
    await this.open();
  }

  /** Shows the page of the current address. */
  async open(): Promise<void> {
    const navigation = ++this.#navigation;
    this.#address = location.href;
    const { pathname } = location;
    const match = this.#pages.find(({ pattern }) => pattern.test({ pathname }));
    const page = await (match?.page ?? this.#missing).load();
    // Another link was followed in the meantime.
    if (navigation !== this.#navigation) return;
    document.title = `${page.title()} · Svc`;
    this.#show({ page, parameters: match?.pattern.exec({ pathname })?.pathname.groups ?? {} });
  }

  /** The back button has already changed the address: a user who stays gets it back. */
  #follow(): void {
    if (mayLeave()) void this.open();
    else history.pushState(null, '', this.#address);
  }

  #followLink(event: MouseEvent): void {
    const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement);
    if (link === undefined || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.download) return;
    if (link.origin !== location.origin || !link.pathname.startsWith(base)) return;
    event.preventDefault();
    void this.go(link.href);
  }
}

/** A form whose input would be lost is marked until its action succeeds. */
function noteInput(target: HTMLElement): void {
  const form = target.closest('form');
  if (form !== null) form.dataset.unsaved = '';
}

function hasUnsaved(): boolean {
  return document.querySelector('svc-shell form[data-unsaved]') !== null;
}

function mayLeave(): boolean {
  return !hasUnsaved() || confirm(words.unsaved);
}
