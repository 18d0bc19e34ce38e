import type { StoredDecision } from '../decision/stored-decision.ts';
import type { Notice } from './notice.ts';
import type { Page } from './page.ts';
import { recall } from './page-state.ts';
import { recallNotice } from './recall-notice.ts';

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
