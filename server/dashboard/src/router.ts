import type { TemplateResult } from 'lit';
import { pageWords, words } from './preferences.ts';
import { readWhereabouts, type Whereabouts } from './whereabouts.ts';

/** A page of the dashboard. */
export interface Page {
  /** Below `/app/`, with parameters: `webhooks/:id`. */
  readonly path: string;
  /** Loads the script of the page. */
  preload?(): Promise<unknown>;
  /** Loads the page. @returns its title and how it is drawn. */
  load(): Promise<PageModule>;
}

export interface PageModule {
  title(): string;
  render(parameters: Readonly<Record<string, string | undefined>>): TemplateResult;
}

/** The page that is shown, with the parameters of its address. */
export interface Place {
  readonly page: PageModule;
  /** The pattern of its address, below `/app/`. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** Where the user was on it before they went on; null if they come from elsewhere. */
  readonly left: Whereabouts | null;
}

const base = '/app/';

/** A page with the values of the parameters in its address. */
export interface FoundPage {
  readonly page: Page;
  readonly parameters: Place['parameters'];
}

/** Shows the page of the address, and follows links and the back button. */
export class Router {
  readonly #find: (pathname: string) => FoundPage;
  readonly #show: (place: Place) => void;
  #navigation = 0;
  #address = location.href;
  /** The position in the history of the tab; the state of each entry holds it. */
  #entry: number = history.state?.entry ?? 0;
  /** The one whose page is shown; null before the first. */
  #shown: number | null = null;
  readonly #left = new Map<number, Whereabouts>();

  /** @param left aborts when the frame is removed: the next user has another one. */
  constructor(find: (pathname: string) => FoundPage, show: (place: Place) => void, left: AbortSignal) {
    this.#find = find;
    this.#show = show;
    const options = { signal: left };
    // The browser would scroll before the page has what it shows.
    history.scrollRestoration = 'manual';
    addEventListener('popstate', ({ state }) => this.#follow(state?.entry ?? 0), options);
    addEventListener('beforeunload', (event) => findLoss(document) !== null && event.preventDefault(), options);
    addEventListener('input', ({ target }) => noteInput(target as HTMLElement), options);
    addEventListener('click', (event) => this.#followLink(event), options);
  }

  /** Goes to a page. @param href relative to `/app/`. */
  async go(href: string): Promise<void> {
    if (!mayLeave()) return;
    this.#push(this.#entry + 1, new URL(href, location.origin + base));
    await this.open({ shown: () => scrollTo(0, 0) });
  }

  /**
   * Shows the page of the current address.
   * @param isReturn whether the user comes back to where they were on it.
   * @param shown is called once it is shown, unless the user left meanwhile.
   */
  async open({ isReturn = false, shown }: { isReturn?: boolean; shown?: () => void } = {}): Promise<void> {
    const navigation = ++this.#navigation;
    this.#address = location.href;
    const { page: found, parameters } = this.#find(location.pathname);
    const page = await found.load();
    // Another link was followed in the meantime.
    if (navigation !== this.#navigation) return;
    // Not at the press, which must not wait for a layout.
    if (this.#shown !== null) this.#left.set(this.#shown, readWhereabouts());
    this.#shown = this.#entry;
    document.title = `${page.title()} · Svc`;
    // After a reload, the positions are forgotten.
    const left = isReturn ? (this.#left.get(this.#entry) ?? { top: 0, link: null }) : null;
    this.#show({ page, path: found.path, parameters, left });
    shown?.();
  }

  /** The back button has already changed the address: a user who stays gets it back. */
  #follow(entry: number): void {
    if (mayLeave()) {
      this.#entry = entry;
      void this.open({ isReturn: true });
    } else this.#push(entry + 1, this.#address);
  }

  #push(entry: number, address: string | URL): void {
    this.#entry = entry;
    history.pushState({ entry }, '', address);
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

function noteInput(target: HTMLElement): void {
  const form = target.closest('form');
  if (form !== null) markUnsaved(form);
}

let marks = 0;

/** Marks a form whose input would be lost until its action succeeds. Each mark differs, so that later input is noticed. */
export function markUnsaved(form: HTMLFormElement): void {
  marks += 1;
  form.dataset.unsaved = String(marks);
}

/** Question for a user who leaves input, or a secret that is shown only once; null if nothing is lost. */
function findLoss(within: ParentNode): string | null {
  if (within.querySelector('svc-shell [data-secret]') !== null) return pageWords.unsavedSecret;
  return within.querySelector('svc-shell form[data-unsaved]') === null ? null : words.unsaved;
}

/** True if a page, or a part of it, may be left: the user is asked if that loses something. */
export function mayLeave(within: ParentNode = document): boolean {
  const question = findLoss(within);
  return question === null || confirm(question);
}
