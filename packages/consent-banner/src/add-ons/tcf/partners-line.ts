import { adoptStyles } from '../../adopt-styles.ts';
import { css } from '../../css.ts';
import { fillText } from '../../fill-words.ts';
import { createElement } from './create-element.ts';
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
  /** Told when the line comes into sight or goes out of it: it shows with the banner's layers. */
  readonly onChange: (isShown: boolean) => void;
  /** Told when an element has come, or asks for another notice. */
  readonly onElement: () => void;
}

/** The banner's elements on the page; a live list. */
export const listBanners = (): HTMLCollectionOf<HTMLElement> =>
  Document.prototype.getElementsByTagName.call(document, 'svc-consent') as HTMLCollectionOf<HTMLElement>;

/**
 * Puts "We and our N partners …" with a button into each banner on the page, in the slot for a site's own links, and again
 * where a framework has taken it out. Who sees the banner sees how many partners there are before they decide (TCF policies,
 * Appendix B, first layer).
 */
export function placePartnersLine({ words, count, onChange, onElement }: PartnersLineOptions): void {
  const lines = new Map<HTMLElement, HTMLElement>();
  const sight = new ResizeObserver(() => onChange([...lines.values()].some((line) => line.checkVisibility())));

  const place = (): void => {
    for (const banner of listBanners()) {
      const line = lines.get(banner) ?? writeLine(words, count);
      lines.set(banner, line);
      if (line.parentNode !== banner) Element.prototype.append.call(banner, line);
      sight.observe(line);
    }
    for (const [banner, line] of lines) {
      if (banner.isConnected) continue;
      sight.unobserve(line);
      lines.delete(banner);
    }
    onElement();
  };

  place();
  const watch = { childList: true, subtree: true, attributeFilter: ['notice-id'] };
  new MutationObserver(place).observe(document, watch);
}

function writeLine(words: SpokenVendorWords, count: number): HTMLElement {
  const { lang, dir } = words;
  const text = fillText(words.line, { count: count.toLocaleString(lang) });
  const line = createElement('span', { slot: 'more', hidden: '', lang, dir });
  const root = line.attachShadow({ mode: 'open' });
  adoptStyles(root, styles);
  root.append(
    text,
    createElement('button', { type: 'button', 'data-svc-vendors': '', 'aria-haspopup': 'dialog' }, words.show),
  );
  return line;
}
