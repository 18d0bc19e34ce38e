import { type HeldContent, readNeeds } from './held-content.ts';
import { OBSERVED, type Release, releaseTags } from './held-tags.ts';

/** Blocks and releases the tags of a page. @returns does so again, after the page or what it allows has changed. */
export function mountContent(content: HeldContent): () => void {
  const { once, roots, nonce } = content;
  const released = new WeakMap<Element, Release>();
  const observers = new Map<WeakRef<ParentNode & Node>, MutationObserver>();

  const isAllowed = (tag: HTMLElement): boolean =>
    once.has(tag) ||
    once.has(tag.parentNode as Node) || // The sources of a player.
    readNeeds(tag).every((key) => content.readAllowed()[key] === true);

  const update = (): void => {
    for (const [reference, observer] of observers) {
      if (roots.has(reference) && reference.deref()) continue;
      observer.disconnect();
      observers.delete(reference);
      roots.delete(reference);
    }
    const frames = [...roots].flatMap((reference) => {
      const root = reference.deref();
      if (!root) return [];
      if (!observers.has(reference)) {
        const observer = new MutationObserver(update);
        observer.observe(root, OBSERVED);
        observers.set(reference, observer);
      }
      return releaseTags(root, released, isAllowed, nonce);
    });
    content.onRelease(frames);
  };
  update();
  return update;
}
