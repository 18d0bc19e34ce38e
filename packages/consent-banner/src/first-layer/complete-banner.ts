import type { ConsentPage } from '../page/consent-page.ts';
import { fillText, writeMoment } from '../panel/messages.ts';
import { css } from './css.ts';
import { adoptStyles, create } from './elements.ts';

/** Adds to the first layer what most visitors do not need: since when the notice has changed, and no "more" without more. */
export function completeBanner(page: ConsentPage): void {
  let banner: Element | null | undefined;
  const observer = new ResizeObserver(([entry]) => {
    const text = entry?.target as HTMLElement;
    const button = text.nextElementSibling as HTMLElement;
    // A wide layout may have room for all of it.
    button.hidden = text.className !== '' && text.scrollHeight <= text.clientHeight;
  });
  page.subscribe(() => {
    const { root, stored, notice } = page.view;
    const found = root?.querySelector('.banner');
    if (found === banner) return;
    banner = found;
    observer.disconnect();
    const [title, text] = [found?.querySelector('#title'), found?.querySelector('.clamped')];
    if (text) observer.observe(text);
    if (!title || !stored || !notice || stored.noticeVersion >= notice.version) return;
    const date = writeMoment(stored.decidedAt, notice.language);
    title.after(create('p', { part: 'text' }, fillText(notice.texts.changed ?? '', { date })));
  });
}

/** Styles that all boxes share after the first paint: contrast, pointers, paper. */
export const deferredStyles = css`
  #root {
    --_control: var(--svc-c-control, light-dark(#737d91, #848fa3));
    --_focus: var(--svc-c-focus, light-dark(#2f6fde, #8ab4ff));
    --_hover: color-mix(in srgb, var(--_text) 7%, transparent);
  }
  :focus-visible,
  ::slotted(:focus-visible) {
    outline: 3px solid var(--_focus);
    outline-offset: 2px;
  }
  .banner {
    scroll-padding-block-end: 10em; /* The focused element is not behind the actions. */
  }
  button {
    cursor: pointer;
  }
  /* Under the panel it is inert, but the focus must be able to return to it. */
  .covered {
    opacity: 0;
  }
  [hidden] {
    display: none;
  }
  .about {
    color: var(--_muted);
    font-size: 0.9375em;
  }
  dialog h2 {
    text-wrap: balance;
  }
  dialog p,
  .about {
    text-wrap: pretty;
  }
  .save {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_accent-text);
  }
  @media (prefers-contrast: more) {
    #root {
      --_muted: var(--_text);
      --_border: var(--_text);
      --_control: var(--_text);
    }
  }
  .choice:hover,
  .save:hover {
    box-shadow: inset 0 0 0 2px var(--_accent-text);
  }
  .quiet:hover,
  .close:hover {
    background: var(--_hover);
  }
  ::slotted(a) {
    text-decoration: underline !important;
  }
`;

/** Adds them to the element's layers. */
export function adoptDeferredStyles(page: ConsentPage): void {
  page.subscribe(() => {
    if (page.view.root?.adoptedStyleSheets[0]) adoptStyles(page.view.root, deferredStyles);
  });
}
