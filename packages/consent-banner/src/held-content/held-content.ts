import type { Purposes } from '../state/stored-decision.ts';
import { readNeeds, releaseTags } from './held-tags.ts';

/** The page's tags with purposes: which of them load. */
export class HeldContent {
  readonly #released = new WeakSet<Element>();
  /** What the visitor loads for this page view. */
  readonly #once = new WeakSet<Node>();
  readonly #nonce: string | undefined;
  readonly #onRelease: (frames: readonly HTMLElement[]) => void;
  #purposes: Purposes = {};

  /**
   * @param nonce of the banner's script tag.
   * @param onRelease called whenever the page changes, with the blocked frames, images and videos with a place in it.
   */
  constructor(nonce: string | undefined, onRelease: (frames: readonly HTMLElement[]) => void) {
    this.#nonce = nonce;
    this.#onRelease = onRelease;
  }

  /** Releases and blocks by what is allowed from now on. */
  allow(purposes: Purposes): void {
    this.#purposes = purposes;
    // Observing twice is observing once.
    this.#observer.observe(document, { childList: true, subtree: true });
    this.#release();
  }

  /** Releases an element for this page view, whatever its purposes. */
  allowOnce(held: HTMLElement): void {
    this.#once.add(held);
    this.#release();
  }

  readonly #isAllowed = (tag: HTMLElement): boolean =>
    this.#once.has(tag) ||
    this.#once.has(tag.parentNode as Node) || // The sources of a player.
    readNeeds(tag).every((key) => this.#purposes[key] === true);

  readonly #release = (): void => this.#onRelease(releaseTags(this.#released, this.#isAllowed, this.#nonce));

  readonly #observer = new MutationObserver(this.#release);
}
