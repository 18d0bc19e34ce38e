import type { Notice } from '../notice/notice.ts';

/** The texts that the panel and the placeholders show. */
type Words = Readonly<
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

export type { Words };

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

/** The words of a notice. */
export function readWords(notice: Notice | null): Words {
  return { ...english, ...notice?.texts } as Words & typeof english;
}
