import { checkedKey, DAY, type StoredDecision } from '../decision/stored-decision.ts';
import type { Page } from '../page/page.ts';
import { askAgain, recall } from '../page/page-state.ts';
import { recallNotice } from '../records/consent-record.ts';
import { fetchNotice, type Notice } from './notice.ts';

/** Checks once a day after a decision whether the notice asks for something new, or the visitor is in another region. */
export function checkVersion(page: Page): void {
  let address = '';
  let isChecked = false;
  page.subscribe(() => {
    const { view } = page;
    isChecked &&= view.address === address;
    address = view.address;
    if (!view.state || isChecked) return;
    isChecked = true;
    void check(page).catch(() => {});
  });
}

async function check(page: Page): Promise<void> {
  const { stored, noticeId } = page.view;
  const key = checkedKey(noticeId);
  if (Math.abs(Date.now() - localStorage[key]) < DAY) return;
  localStorage[key] = Date.now();
  const loaded = await fetchNotice(page.writeUrl(), noticeId);
  const { view } = page;
  if (!stored || stored !== view.stored) return;
  const isNew = loaded.notice.asksSince > stored.noticeVersion;
  if (isNew) {
    delete localStorage[key]; // Until the visitor has answered, the next page asks, too.
    page.dispatch(askAgain);
  }
  // The element's region wins.
  if (isNew || (!view.element?.getAttribute('region') && loaded.region !== view.region)) page.renew(loaded);
}

/**
 * Where neither the server nor the stored receipt has the notice, its purposes are those of the decision: consent can be
 * withdrawn at any time (GDPR, Article 7(3)).
 */
export function namePurposes(page: Page): void {
  page.subscribe(() => {
    const { isFailed, notice, noticeId, stored } = page.view;
    if (isFailed && !notice && stored)
      page.dispatch(recall(recallNotice(noticeId, stored) ?? writeNotice(noticeId, stored)));
  });
}

/** A notice with the keys of a decision. */
export function writeNotice(id: string, { noticeVersion, purposes, basis, region }: StoredDecision): Notice {
  const { hostname } = location;
  return {
    id,
    name: hostname,
    controllerName: hostname,
    language: '',
    domain: hostname,
    purposes: Object.keys(purposes).map((key) => {
      const based = basis?.[key];
      const isFree = region !== undefined && (based === 'object' || based === 'exempt');
      const regional = isFree ? { basisByRegion: { [region]: based } } : {};
      return { key, label: key, description: '', required: based === 'required', ...regional };
    }),
    version: noticeVersion,
    asksSince: noticeVersion,
    languages: [],
    texts: {},
  };
}
