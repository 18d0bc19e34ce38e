import { isOptOut } from '../decision/grants.ts';
import { basisIn } from '../decision/region.ts';
import type { Notice, Purpose } from '../notice/notice.ts';
import type { PageView } from '../page/consent-page.ts';

/** The texts that the panel and the placeholders show. */
type Messages = Readonly<
  Record<
    | 'panelTitle'
    | 'panelIntro'
    | 'required'
    | 'objectable'
    | 'newPurpose'
    | 'save'
    | 'accept'
    | 'reject'
    | 'close'
    | 'more'
    | 'less'
    | 'details'
    | 'privacySignal'
    | 'optOutHonored'
    | 'trackers'
    | 'trackerName'
    | 'trackerProvider'
    | 'trackerLifetime'
    | 'thirdParty'
    | 'firstParty'
    | 'session'
    | 'persistent'
    | 'receipt'
    | 'decidedAt'
    | 'granted'
    | 'refused'
    | 'pending'
    | 'download'
    | 'list'
    | 'placeholder'
    | 'showOnce'
    | 'preferences'
    | 'loadFailed'
    | 'tryAgain',
    string
  >
>;

export type { Messages };

/** For a notice that cannot be loaded, of which only the decision is known. */
const english = {
  panelTitle: 'Privacy preferences',
  panelIntro: '',
  required: 'Always on',
  save: 'Save choices',
  accept: 'Accept all',
  reject: 'Reject all',
  close: 'Close',
  loadFailed: 'This could not be loaded.',
  tryAgain: 'Try again',
};

/** The messages of a notice. */
export function readMessages(notice: Notice | null): Messages {
  return { ...english, ...notice?.texts } as Messages & typeof english;
}

/** Formats a time in the language, or in the browser's if it does not know the language. */
export function writeMoment(time: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(time));
}

/**
 * Returns the text of the panel where the browser sends Global Privacy Control: that the opt-out is honored, where the law
 * makes the signal one and no later choice of the visitor says otherwise.
 */
export function describeSignal({ hasSignal, region, allowed }: PageView, notice: Notice): string | undefined {
  if (!hasSignal) return undefined;
  const { optOutHonored, privacySignal } = readMessages(notice);
  if (!isOptOut(notice.purposes, region)) return privacySignal;
  const isOn = (purpose: Purpose): boolean => basisIn(purpose, region) === 'object' && allowed[purpose.key] === true;
  return notice.purposes.some(isOn) ? undefined : optOutHonored;
}

/** Fills the placeholders of a text in one pass, so that a name cannot contain a placeholder. */
export function fillText(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (gap, name: string) => {
    // Isolates the writing direction of a name from the sentence around it (Unicode isolates).
    return Object.hasOwn(names, name) ? `\u2068${names[name]}\u2069` : gap;
  });
}
