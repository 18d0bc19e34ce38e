import { adoptStyles } from '../../adopt-styles.ts';
import { css } from '../../css.ts';
import { fillText } from '../../fill-words.ts';
import { createElement } from '../create-element.ts';
import { listBanners } from '../list-banners.ts';
import type { SpokenVendorWords } from './words.ts';

const styles = css`
  :host {
    text-align: start;
  }
  button {
    display: block;
    min-block-size: 44px;
    padding: 0;
    border: 0;
    background: none;
    color: inherit;
    font: inherit;
    text-decoration: underline;
    cursor: pointer;
  }
  button:focus-visible {
    outline: 3px solid var(--_focus, Highlight);
    outline-offset: 2px;
  }
`;

export interface PartnersLineOptions {
  readonly words: SpokenVendorWords;
  readonly count: number;
  /** Called when the line becomes visible or hidden: it shows with the banner's layers. */
  readonly onChange: (isShown: boolean) => void;
  /** Called when an element was added or removed, or needs another notice. */
  readonly onElement: () => void;
}

/** The line on a page, in each of its banners. */
export interface PartnersLine {
  /** Writes another number of partners into it. */
  setCount(count: number): void;
}

/**
 * Puts "We and our N partners …" with a button into each banner on the page, in the slot for a site's own links, and again
 * where a framework has taken it out. Who sees the banner sees how many partners there are before they decide (TCF policies,
 * Appendix B, first layer).
 */
export function placePartnersLine({ words, count, onChange, onElement }: PartnersLineOptions): PartnersLine {
  const lines = new Map<HTMLElement, Line>();
  const isShown = ({ element }: Line): boolean => element.checkVisibility();
  const sight = new ResizeObserver(() => onChange([...lines.values()].some(isShown)));
  let current = count;
  let seen: readonly (HTMLElement | string | null)[] = [];

  const place = (): void => {
    const banners = [...listBanners()];
    for (const banner of banners) {
      const line = lines.get(banner) ?? writeLine(words, current);
      if (line.element.parentNode !== banner) Element.prototype.append.call(banner, line.element);
      if (lines.has(banner)) continue;
      lines.set(banner, line);
      sight.observe(line.element);
    }
    for (const [banner, { element }] of lines) {
      if (banner.isConnected) continue;
      sight.unobserve(element);
      lines.delete(banner);
    }
    // A page that draws all the time must not cause everything to be read and written again each time.
    const found = banners.flatMap((banner) => [banner, banner.getAttribute('notice-id')]);
    if (found.length === seen.length && found.every((one, at) => one === seen[at])) return;
    seen = found;
    onElement();
  };

  place();
  const watch = { childList: true, subtree: true, attributeFilter: ['notice-id'] };
  new MutationObserver(place).observe(document, watch);
  return {
    setCount(number) {
      current = number;
      for (const { text } of lines.values()) text.data = writeText(words, number);
    },
  };
}

/** The line in one banner, and the sentence in it. */
interface Line {
  readonly element: HTMLElement;
  readonly text: Text;
}

function writeLine(words: SpokenVendorWords, count: number): Line {
  const { lang, dir } = words;
  const element = createElement('span', { slot: 'more', hidden: '', lang, dir });
  const root = element.attachShadow({ mode: 'open' });
  adoptStyles(root, styles);
  const text = new Text(writeText(words, count));
  root.append(
    text,
    createElement('button', { type: 'button', 'data-svc-vendors': '', 'aria-haspopup': 'dialog' }, words.show),
  );
  return { element, text };
}

function writeText({ line, lang }: SpokenVendorWords, count: number): string {
  return fillText(line, { count: count.toLocaleString(lang) });
}
