import type { Purposes } from '../decision/stored-decision.ts';
import { query, reportProblem } from '../page/browser.ts';

/** Tags with purposes. Form controls shadow the methods of the form. */
export const BLOCKED = '[data-svc-purpose]:not(form)';

/** The purposes that a tag needs: `data-svc-purpose="statistics marketing"` needs both. Without any it never loads. */
export function readNeeds(tag: HTMLElement): readonly string[] {
  return tag.dataset.svcPurpose?.match(/[^\s,]+/g) ?? [''];
}

/** The blocked value of an attribute: `data-svc-src`, or `data-src`, which lazy loaders read as well. */
export function readBlocked(tag: Element, name: string): string | null {
  return tag.getAttribute(`data-svc-${name}`) || tag.getAttribute(`data-${name}`);
}

/** Blocks and releases the tags of a page. Returns a function that does so again. */
export type MountContent = (content: BlockedContent) => () => void;

/** The purposes that a page allows, for its blocked tags. The part that blocks and releases them is loaded for the first tag. */
export class BlockedContent {
  /** Returns the purposes that the page allows now. Of two pages in one document, neither blocks what the other has just released. */
  readonly readAllowed: () => Purposes;
  /** The tags that the visitor loads for this page view. */
  readonly once = new WeakSet<Node>();
  /** Where the tags are. Weak: the page may drop the elements of shadow roots. */
  readonly roots = new Set([new WeakRef<ParentNode & Node>(document)]);
  /** Of the banner's script tag. */
  readonly nonce: string | undefined;
  /** Called whenever the page changes, with the blocked frames, images and videos with a place in it. */
  readonly onRelease: (frames: readonly HTMLElement[]) => void;
  readonly #load: () => Promise<MountContent>;
  #isStarted = false;
  #isLoading = false;
  #update = (): void => {
    this.onRelease([]);
    const isNeeded = this.roots.size > 1 || query(BLOCKED);
    if (!this.#isStarted || this.#isLoading || !isNeeded) return;
    this.#isLoading = true;
    this.#load().then(
      (mount) => {
        this.#observer.disconnect();
        this.#update = mount(this);
      },
      (cause) => {
        reportProblem(`${cause} cannot be loaded`);
        // Another decision or notice tries again at once, and changes of the page after a while.
        this.#isLoading = false;
        this.#observer.disconnect();
        setTimeout(() => this.start(), 30_000);
      },
    );
  };
  readonly #observer = new MutationObserver(() => this.#update());

  constructor(
    nonce: string | undefined,
    readAllowed: () => Purposes,
    load: () => Promise<MountContent>,
    onRelease: (frames: readonly HTMLElement[]) => void,
  ) {
    this.nonce = nonce;
    this.readAllowed = readAllowed;
    this.#load = load;
    this.onRelease = onRelease;
  }

  /** Releases and blocks by what is allowed, from now on. */
  start(): void {
    this.#isStarted = true;
    // Observing twice is observing once; after the part is there, it does nothing.
    this.#observer.observe(document, { childList: true, subtree: true, attributeFilter: ['data-svc-purpose'] });
    this.#update();
  }

  /** Releases an element for this page view, whatever its purposes. */
  allowOnce(tag: HTMLElement): void {
    this.once.add(tag);
    this.#update();
  }

  /** Blocks and releases in this tree as well, until the returned function is called. */
  observe(root: ParentNode & Node): () => void {
    const reference = new WeakRef(root);
    this.roots.add(reference);
    this.#update();
    return () => {
      this.roots.delete(reference);
      this.#update();
    };
  }
}
