import { adoptStyles } from '../adopt-styles.ts';
import { css } from '../css.ts';
import { createElement } from './create-element.ts';
import { listBanners } from './list-banners.ts';

// Fixed, it takes no space among the links of the site; an element without a size is never reported as visible.
const styles = css`
  :host {
    position: fixed !important;
    inline-size: 1px !important;
    pointer-events: none !important;
  }
`;

/**
 * Detects whether the banner or its panel is visible, by an empty mark in the slot for custom links: the browser
 * shows that with either layer, and with nothing else.
 * @param onChange called, in its own task, when that may have changed.
 * @returns a function that returns the current state.
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
    // To the browser, being hidden and shown again within a frame is no change of size, unless observation restarts.
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
