import type { ConsentPage } from '../page/consent-page.ts';

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
