import { adoptStyles } from '../first-layer/adopt-styles.ts';
import { createButton } from '../first-layer/choices.ts';
import { create } from '../first-layer/create.ts';
import { css } from '../first-layer/css.ts';
import { readDirection } from '../first-layer/read-direction.ts';
import { query } from '../page/browser.ts';
import type { ConsentPage } from '../page/consent-page.ts';
import { createOptOutIcon, describeOpener } from './describe-opener.ts';

const styles = css`
  .opt-out {
    display: flex;
    align-items: center;
    gap: 0.5em;
    inline-size: auto;
    max-inline-size: calc(100vw - 2 * var(--_gap));
    block-size: auto;
    min-block-size: 48px;
    padding: 0.5em 1em;
    border-radius: 24px;
  }
  .trigger:has(~ .opt-out),
  .opt-out ~ .trigger {
    display: none;
  }
  .opt-out svg {
    flex: none;
    block-size: 14px;
  }
  small {
    display: block;
    color: var(--_muted);
    font-weight: 400;
  }
`;

/** Where visitors can only object and the page has no `<svc-privacy-choices>`, there is a floating button. */
export function showOptOutButton(page: ConsentPage): void {
  let button: HTMLElement | undefined;
  let shown = '';
  page.subscribe(() => {
    const { view } = page;
    // Over an open panel it would be above the backdrop.
    if (view.layer === 'panel' && !shown) return;
    const { label, status, isObjection } = describeOpener(view);
    const isNeeded = isObjection && !query('svc-privacy-choices');
    const place = /right$/.test(view.element?.getAttribute('trigger') ?? '') ? 'bottom-right' : 'bottom-left';
    const box = view.root?.querySelector('#root');
    const wanted = isNeeded && box ? `${label}\n${status}\n${place}` : '';
    if (wanted === shown && (!wanted || button?.parentNode === box)) return;
    shown = wanted;
    button?.remove();
    if (!wanted || !view.root) return;
    const language = view.notice?.language ?? '';
    button = createButton('layer trigger opt-out', '', () => page.open(), {
      part: 'trigger',
      popover: 'manual',
      'aria-haspopup': 'dialog',
      lang: language,
      dir: readDirection(language),
      'data-place': place,
    });
    button.append(createOptOutIcon(), create('span', {}, label, create('small', {}, status)));
    adoptStyles(view.root, styles);
    box?.append(button);
    button.showPopover();
  });
}
