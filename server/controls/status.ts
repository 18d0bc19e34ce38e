import { addCadence, type Cadence } from './cadence.ts';
import type { Freshness } from './freshness.ts';
import type { ResultStatus } from './test-schedule.ts';

/** spec.md "Control", `status`. */
export const controlStatuses = [
  'not_started',
  'in_progress',
  'evidence_requested',
  'evidence_submitted',
  'implemented',
  'needs_review',
  'accepted',
  'overdue',
  'not_applicable',
  'excepted',
] as const;
export type ControlStatus = (typeof controlStatuses)[number];

/** What a person may set; only time makes a control `overdue`. */
export const settableStatuses = controlStatuses.filter((status) => status !== 'overdue');
export type SettableStatus = Exclude<ControlStatus, 'overdue'>;

/**
 * Where a control may go from each status. `overdue` and `needs_review` may come by time alone (`deriveStatus`), so the
 * status that counts is the one that the control has at the moment of the change.
 */
export const transitions: Readonly<Record<ControlStatus, readonly SettableStatus[]>> = {
  not_started: ['in_progress', 'evidence_requested', 'evidence_submitted', 'implemented', 'not_applicable', 'excepted'],
  in_progress: ['not_started', 'evidence_requested', 'evidence_submitted', 'implemented', 'not_applicable', 'excepted'],
  evidence_requested: ['in_progress', 'evidence_submitted', 'not_applicable', 'excepted'],
  overdue: ['in_progress', 'evidence_requested', 'evidence_submitted', 'not_applicable', 'excepted'],
  evidence_submitted: ['accepted', 'needs_review', 'evidence_requested', 'in_progress'],
  implemented: [
    'accepted',
    'needs_review',
    'evidence_requested',
    'evidence_submitted',
    'in_progress',
    'not_applicable',
    'excepted',
  ],
  needs_review: [
    'in_progress',
    'evidence_requested',
    'evidence_submitted',
    'implemented',
    'accepted',
    'not_applicable',
    'excepted',
  ],
  accepted: ['needs_review', 'evidence_requested', 'in_progress', 'not_applicable', 'excepted'],
  not_applicable: ['not_started', 'in_progress'],
  excepted: ['in_progress', 'evidence_requested', 'implemented', 'needs_review'],
};

/** The table as users read it. */
export const transitionText = Object.entries(transitions)
  .map(([from, to]) => `\`${from}\` → ${to.map((status) => `\`${status}\``).join(', ')}`)
  .join('; ');

/** What decides the status of a control, as it was set last. */
export interface StatusDates {
  readonly status: SettableStatus;
  readonly cadence: Cadence;
  /** When it was last set to implemented or accepted. */
  readonly reviewedAt: string | null;
  readonly exceptionEndsAt: string | null;
  readonly evidenceDueAt: string | null;
}

/** What an acceptance rests on. */
export interface Support {
  readonly evidenceFreshness: Freshness;
  /** The worst among the latest results of its tests; null without any. */
  readonly latestResultStatus: ResultStatus | null;
}

/** Whether a control may be, and stay, accepted: its evidence is current and none of its tests fails. */
export function isSupported({ evidenceFreshness, latestResultStatus }: Support): boolean {
  return evidenceFreshness === 'current' && latestResultStatus !== 'fail';
}

/**
 * When somebody must look at the control again: one cadence after it was set to implemented or accepted, or when its
 * exception ends. Null where no date is set: in every other status, and where only an event makes it due.
 */
export function findNextReview({ status, cadence, reviewedAt, exceptionEndsAt }: StatusDates): string | null {
  if (status === 'excepted') return exceptionEndsAt;
  if (status !== 'implemented' && status !== 'accepted') return null;
  return reviewedAt === null ? null : addCadence(reviewedAt, cadence);
}

/**
 * The status at a time: `overdue` once the day of requested evidence has passed; `needs_review` from the moment that a
 * review is due or an exception ends; otherwise what was set. An acceptance holds until the next review, as long as the
 * evidence is current and no test fails: until then the control needs a review as well, and is accepted again as soon as
 * that is mended before the review is due.
 */
export function deriveStatus(dates: StatusDates, support: Support, now: string): ControlStatus {
  if (dates.status === 'evidence_requested')
    return dates.evidenceDueAt !== null && dates.evidenceDueAt < now ? 'overdue' : 'evidence_requested';
  const nextReview = findNextReview(dates);
  if (nextReview !== null && nextReview <= now) return 'needs_review';
  return dates.status === 'accepted' && !isSupported(support) ? 'needs_review' : dates.status;
}

/** Whether a control counts in scores and health: all do that apply to the tenant. */
export function isApplicable(status: ControlStatus): boolean {
  return status !== 'not_applicable';
}
