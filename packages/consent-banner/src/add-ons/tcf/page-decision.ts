import { reportProblem } from '../../report-problem.ts';
import { DOMAIN } from '../../stub/attribute-values.ts';
import { findDecision } from '../../stub/find-decision.ts';
import type { Purposes } from '../../stub/stored-decision.ts';
import { findSvcConsent } from '../follow-consent.ts';
import { listBanners } from '../list-banners.ts';
import { pickOptional } from '../visitor-choice.ts';
import type { Mapping } from './settings.ts';

/** What the visitor has decided in the banner of this page. */
export interface PageDecision {
  /** Empty where no element asks for one. */
  readonly noticeId: string;
  /** The purposes that could be refused, and whether they were granted; null before a decision. */
  readonly purposes: Purposes | null;
  /** Whether all of them were refused. */
  readonly isRefusal: boolean;
  /** In milliseconds. */
  readonly decidedAt: number;
}

/**
 * Reads the decision in force: none where no element says about which notice it is. What could not be refused is no
 * consent, and only the stored decision records which purposes those are: where the browser forbids storage nothing counts
 * as granted.
 */
export function readPageDecision(): PageDecision {
  const [banner] = listBanners();
  const noticeId = banner?.getAttribute('notice-id') ?? '';
  const state = findSvcConsent()?.get();
  const stored = findDecision(noticeId, DOMAIN.test(banner?.getAttribute('cookie-domain') ?? ''));
  if (!state || !noticeId) return { noticeId, purposes: null, isRefusal: false, decidedAt: 0 };
  if (!stored?.required) return { noticeId, purposes: {}, isRefusal: true, decidedAt: Date.now() };
  const purposes = pickOptional(state, [stored]);
  const isRefusal = !Object.values(purposes).includes(true);
  return { noticeId, purposes, isRefusal, decidedAt: Date.parse(stored.decidedAt) };
}

/** Logs keys in the mapping that the visitor cannot choose: what they stand for is never granted. */
export function checkMapping(mapping: Mapping, { purposes, isRefusal }: PageDecision): void {
  if (!purposes || isRefusal) return;
  for (const key of new Set([...mapping.values()].flat())) {
    if (Object.hasOwn(purposes, key)) continue;
    reportProblem(
      `TCF: purposes names "${key}", which the notice does not ask for or which cannot be refused. It grants nothing.`,
    );
  }
}
