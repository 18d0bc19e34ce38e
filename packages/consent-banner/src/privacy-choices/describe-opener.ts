import { isOptOut } from '../decision/grants.ts';
import { basisIn } from '../decision/region.ts';
import { createIcon } from '../first-layer/create.ts';
import type { PageView } from '../page/consent-page.ts';
import { describeSignal } from '../panel/describe-signal.ts';

/** What a button says that opens the preferences. */
export interface Opener {
  /** Empty until the notice is known. */
  readonly label: string;
  /** What it says about Global Privacy Control, where that is applied. */
  readonly status: string;
  /** Whether visitors can only object: then there always is such a button. */
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
