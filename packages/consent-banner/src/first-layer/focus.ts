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

/** Keeps the focused element from being covered by the first layer (WCAG 2.2, success criterion 2.4.11). */
export function keepFocusClear(page: ConsentPage): void {
  const room = new CSSStyleSheet();
  const findBanner = (): Element | null | undefined => page.view.root?.querySelector('.banner');
  document.addEventListener('focusin', ({ target }) => {
    const banner = findBanner();
    // The links inside the layer are not under it.
    if (banner && !page.view.root?.host.contains(target as Node)) clear(target as HTMLElement, banner, room);
  });
  page.subscribe(() => findBanner() ?? room.replaceSync(''));
}

/**
 * Scrolls until the target is above the layer, or below one at the top; extends the page if needed. Only for keyboard focus:
 * nothing may move between pointerdown and pointerup.
 */
function clear(target: HTMLElement, layer: Element, room: CSSStyleSheet): void {
  if (!target.matches(':focus-visible') || !isUnder(target, layer)) return;
  const { top, bottom } = layer.getBoundingClientRect();
  const isTop = top < innerHeight - bottom - 1;
  const height = (isTop ? bottom : innerHeight - top) + 8;
  const margin = isTop ? 'scrollMarginTop' : 'scrollMarginBottom';
  const { style } = target;
  const before = style[margin];
  style[margin] = `${height}px`;
  const scroll = (): void => target.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  scroll();
  if (isUnder(target, layer)) {
    room.replaceSync(`html::${isTop ? 'before' : 'after'}{content:"";display:block;height:${height}px}`);
    const { adoptedStyleSheets: sheets } = document;
    if (!sheets.includes(room)) document.adoptedStyleSheets = [...sheets, room];
    scroll();
  }
  style[margin] = before;
}

function isUnder(target: Element, layer: Element): boolean {
  const [box, cover] = [target.getBoundingClientRect(), layer.getBoundingClientRect()];
  return box.bottom > cover.top && box.top < cover.bottom && box.right > cover.left && box.left < cover.right;
}

/** Remembers the focus before the visitor entered a layer, and restores it when the layers close. */
export function returnFocus(page: ConsentPage): void {
  let before: HTMLElement | undefined;
  // Events in the layers do not reach the document. For an event outside of them, the element is where the focus goes.
  addEventListener.call(document, 'focusout', (event) => {
    const { target, relatedTarget } = event as FocusEvent;
    const host = page.view.root?.host;
    if (host?.contains(relatedTarget as Node | null) && !host.contains(target as Node)) before = target as HTMLElement;
  });
  page.subscribe(() => {
    if (page.view.layer !== 'none' || !before) return;
    const target = before;
    before = undefined;
    // After the panel has closed. Focus that has moved elsewhere since is kept.
    queueMicrotask(() => {
      const { activeElement } = target.getRootNode() as Document | ShadowRoot;
      if (!activeElement || activeElement === document.body) target.focus({ preventScroll: true });
    });
  });
}

/** Our elements; but the inspector is not for visitors, and has a shortcut of its own. */
const OWN = /^svc-(?!.*inspector)/;

/** The browser's own action for each still happens. */
const SHIELDED = ['keydown', 'keypress', 'keyup', 'focus', 'focusin', 'mousedown', 'touchstart'];

/**
 * Keeps what visitors do in our layers from the handlers of the page. These see the element as the target, which is no form
 * control: shortcuts swallow Space, Enter and Escape, and a modal that traps the focus takes it back and cancels clicks.
 */
export function shieldEvents(): void {
  // On the way down from the window, before the handlers of the document.
  for (const type of SHIELDED) addEventListener(type, shield, true);
  addEventListener('click', press, true);
}

/** Where an event happened, also for a handler that `shieldEvents` calls. */
export function findTarget(event: Event): Element {
  return event.composedPath()[0] as Element;
}

/** Stops an event in one of our shadow trees. Links of the page in our slots are the page's. */
function shield(event: Event): boolean {
  // The window is no node.
  const root = findTarget(event).getRootNode?.();
  const isOwn = root instanceof ShadowRoot && OWN.test(root.host.localName);
  if (isOwn) event.stopImmediatePropagation();
  return isOwn;
}

function press(event: PointerEvent): void {
  const button = findTarget(event).closest?.('button');
  // One without a handler of its own has listeners, which the event must reach.
  if (!(button && !button.onclick) && shield(event)) button?.onclick?.(event);
}
