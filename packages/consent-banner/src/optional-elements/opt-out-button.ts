import { isOptOut } from '../decision/grants.ts';
import { basisIn } from '../decision/region.ts';
import { css } from '../first-layer/css.ts';
import { adoptStyles, create, createButton, createIcon, readDirection } from '../first-layer/elements.ts';
import { query } from '../page/browser.ts';
import type { ConsentPage, PageView } from '../page/consent-page.ts';
import { describeSignal } from '../panel/messages.ts';

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

/** Texts of a button that opens the preferences. */
interface Opener {
  /** Empty until the notice is known. */
  readonly label: string;
  /** Text about Global Privacy Control, where that is applied. */
  readonly status: string;
  /** True if visitors can only object: then there always is such a button. */
  readonly isObjection: boolean;
}

export function describeOpener(view: PageView): Opener {
  const { notice, region } = view;
  const { trigger = '', privacyChoices = trigger } = notice?.texts ?? {};
  // Where every purpose is exempt, there is nothing to choose.
  const isObjection =
    notice !== null &&
    isOptOut(notice.purposes, region) &&
    notice.purposes.some((purpose) => basisIn(purpose, region) === 'object');
  if (!isObjection) return { isObjection, label: trigger, status: '' };
  return { isObjection, label: privacyChoices, status: describeSignal(view, notice) ?? '' };
}

/** The icon beside "Your Privacy Choices" that California prescribes (11 CCR 7015(b)). */
export function createOptOutIcon(): Element {
  const line = { fill: 'none', 'stroke-width': '1.2', 'stroke-linecap': 'round' };
  return createIcon(
    '0 0 30 14',
    { fill: '#06f', d: 'M7 0h16a7 7 0 0 1 0 14H7A7 7 0 0 1 7 0z' },
    { fill: '#fff', d: 'M7 1.2h10.3l-3.1 11.6H7A5.8 5.8 0 0 1 7 1.2z' },
    { ...line, stroke: '#06f', d: 'M5.6 7.2l2.2 2.2 4.6-5' },
    { ...line, stroke: '#fff', d: 'M19 4.3l5.2 5.4m0-5.4L19 9.7' },
  );
}
