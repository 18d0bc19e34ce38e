import type { ConsentPage, PageView } from '../page/consent-page.ts';

/** Every layer but the panel. Another button may be in place of the trigger. */
const LAYERS = '[popover].layer:not(.trigger:has(~ .opt-out), .opt-out ~ .trigger)';

export function listLayers({ root }: PageView): readonly HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>(LAYERS) ?? [])];
}

/** Clicks reach a layer if it is rendered and nothing makes it inert, through every shadow tree, whatever is above it. */
export function isReachable(layer: HTMLElement): boolean {
  const { x, y } = layer.getBoundingClientRect();
  // A point inside of round corners.
  return (layer.getRootNode() as ShadowRoot).elementsFromPoint(x + 20, y + 20).includes(layer);
}

/** True if the element is in a part of the page that shows nothing, or is inert or hidden from screen readers. */
export function isAway(view: PageView): boolean {
  const { root, layer } = view;
  // Nothing of ours is printed.
  if (matchMedia('print').matches) return false;
  if (root?.host.closest('[inert],[aria-hidden=true]')) return true;
  if (layer === 'panel') return root?.querySelector('dialog[open]:not(:modal)') != null;
  return !listLayers(view).every(isReachable);
}

/** Calls back when visitors may no longer reach a layer, and after each change of the page's state. */
export function watchReach(page: ConsentPage, look: () => void): void {
  const seen = new WeakSet<Element>();
  // A layer that is no longer rendered intersects nothing. Sizes change while the layer is laid out.
  const rendered = new IntersectionObserver(look);
  page.subscribe(() => {
    for (const layer of listLayers(page.view)) {
      if (!seen.has(layer)) rendered.observe(layer);
      seen.add(layer);
    }
    look();
  });
  new MutationObserver(look).observe(document, { attributeFilter: ['inert', 'aria-hidden'], subtree: true });
}
