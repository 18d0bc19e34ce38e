import { adoptStyles } from '../adopt-styles.ts';
import { css } from '../css.ts';
import { createElement } from './create-element.ts';
import { listBanners } from './list-banners.ts';

// Fixed, it takes no room among the links of the site; without a size nobody would be told when it comes into sight.
const styles = css`
  :host {
    position: fixed !important;
    inline-size: 1px !important;
    pointer-events: none !important;
  }
`;

/**
 * Sees whether the banner or its panel is to be seen, by an empty mark in the slot for the site's own links: the browser
 * shows that with either layer, and with nothing else.
 * @param onChange told, in a task of its own, when that may have changed.
 * @returns the way to ask now.
 */
export function watchBanner(onChange: () => void): () => boolean {
  const marks = new Map<HTMLElement, HTMLElement>();
  const sight = new ResizeObserver(onChange);

  const place = (): void => {
    for (const banner of listBanners()) {
      const mark = marks.get(banner) ?? createMark();
      if (mark.parentNode !== banner) Element.prototype.append.call(banner, mark);
      if (!marks.has(banner)) sight.observe(mark);
      marks.set(banner, mark);
    }
    for (const [banner, mark] of marks) {
      if (banner.isConnected) continue;
      sight.unobserve(mark);
      marks.delete(banner);
      onChange();
    }
  };

  place();
  new MutationObserver(place).observe(document, { childList: true, subtree: true });

  const isSeen = (mark: HTMLElement): boolean => {
    if (mark.checkVisibility()) return true;
    // Out of sight and in again before the browser draws is no change of size to it, unless it begins anew.
    sight.unobserve(mark);
    sight.observe(mark);
    return false;
  };
  return () => [...marks.values()].map(isSeen).includes(true);
}

function createMark(): HTMLElement {
  const mark = createElement('span', { slot: 'more', hidden: '' });
  adoptStyles(mark.attachShadow({ mode: 'open' }), styles);
  return mark;
}
