import type { ResultStatus } from '../controls/status.ts';

/** What happened to a control of the demo, so many days before the start. */
export interface DemoEvent {
  readonly daysAgo: number;
  readonly status?: 'in_progress' | 'evidence_submitted' | 'implemented' | 'accepted' | 'needs_review';
  /** Evidence is asked for; due so many days from the start on, before it when negative. */
  readonly dueIn?: number;
  readonly exception?: { readonly reason: string; readonly endsIn: number };
  readonly notApplicable?: string;
  /** An item is added; it expires so many days from the start on. */
  readonly evidence?: { readonly expiresIn: number | null };
  readonly result?: ResultStatus;
}

const evidence = { expiresIn: null };

const accepted: readonly DemoEvent[] = [
  { daysAgo: 21, evidence },
  { daysAgo: 20, result: 'pass' },
  { daysAgo: 19, status: 'evidence_submitted' },
  { daysAgo: 17, status: 'accepted' },
];
const implemented: readonly DemoEvent[] = [
  { daysAgo: 26, evidence },
  { daysAgo: 12, status: 'implemented' },
  { daysAgo: 12, result: 'pass' },
];
const submitted: readonly DemoEvent[] = [
  { daysAgo: 16, dueIn: 14 },
  { daysAgo: 3, evidence },
];
const requested: readonly DemoEvent[] = [{ daysAgo: 9, dueIn: 12 }];
const overdue: readonly DemoEvent[] = [
  { daysAgo: 60, status: 'in_progress' },
  { daysAgo: 40, dueIn: -8 },
];
const failing: readonly DemoEvent[] = [
  { daysAgo: 34, evidence },
  { daysAgo: 30, status: 'implemented' },
  { daysAgo: 5, result: 'fail' },
];
const warning: readonly DemoEvent[] = [
  { daysAgo: 34, evidence },
  { daysAgo: 20, status: 'implemented' },
  { daysAgo: 6, result: 'warning' },
];
const outOfDate: readonly DemoEvent[] = [
  { daysAgo: 401, evidence },
  { daysAgo: 398, result: 'pass' },
  { daysAgo: 397, status: 'evidence_submitted' },
  { daysAgo: 395, status: 'accepted' },
];
const expired: readonly DemoEvent[] = [
  { daysAgo: 90, evidence: { expiresIn: -4 } },
  { daysAgo: 88, status: 'implemented' },
];
const excepted: readonly DemoEvent[] = [
  {
    daysAgo: 31,
    exception: { reason: 'The old system is replaced in spring; until then two people check by hand.', endsIn: 120 },
  },
];
const notApplicable: readonly DemoEvent[] = [
  { daysAgo: 100, notApplicable: 'The demo company does nothing of this kind.' },
];
const begun: readonly DemoEvent[] = [{ daysAgo: 8, status: 'in_progress' }];

/** How the controls of the demo fared, in the order of their codes, again from the start after the last. */
export const controlStories: readonly (readonly DemoEvent[])[] = [
  ...[accepted, accepted, implemented, accepted, requested, accepted, failing, accepted],
  ...[submitted, accepted, accepted, outOfDate, implemented, overdue, accepted, begun],
  ...[accepted, warning, accepted, excepted, accepted, notApplicable, implemented, accepted],
  ...[requested, accepted, expired, accepted, submitted, begun, accepted, overdue],
  ...[accepted, implemented, outOfDate, accepted, failing, accepted, begun, accepted],
];
