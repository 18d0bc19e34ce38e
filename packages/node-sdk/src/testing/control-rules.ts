import type {
  ControlCadence,
  ControlStatus,
  EvidenceFreshness,
  SettableControlStatus,
  TestResultStatus,
} from '../types/api.ts';

const monthsOf = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12, event_driven: null } as const;
/** The last time that RFC 3339 can write. */
const lastTime = '9999-12-31T23:59:59.999Z';

/** The time one cadence later, or several, in calendar months; null where only an event makes it due. */
export function addCadence(time: string, cadence: ControlCadence, count = 1): string | null {
  const months = monthsOf[cadence];
  if (months === null) return null;
  const date = new Date(time);
  const day = date.getUTCDate();
  // On the first day no month is too short.
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getUTCFullYear() > 9999 ? lastTime : date.toISOString();
}

/** Where a control may go from each status. */
export const transitions: Readonly<Record<ControlStatus, readonly SettableControlStatus[]>> = {
  not_started: ['in_progress', 'evidence_requested', 'evidence_submitted', 'implemented', 'not_applicable', 'excepted'],
  in_progress: ['not_started', 'evidence_requested', 'evidence_submitted', 'implemented', 'not_applicable', 'excepted'],
  evidence_requested: ['in_progress', 'evidence_submitted', 'not_applicable', 'excepted'],
  overdue: ['in_progress', 'evidence_requested', 'evidence_submitted', 'not_applicable', 'excepted'],
  evidence_submitted: ['accepted', 'needs_review', 'evidence_requested', 'in_progress'],
  implemented: [
    ...(['accepted', 'needs_review', 'evidence_requested', 'evidence_submitted'] as const),
    ...(['in_progress', 'not_applicable', 'excepted'] as const),
  ],
  needs_review: [
    ...(['in_progress', 'evidence_requested', 'evidence_submitted', 'implemented'] as const),
    ...(['accepted', 'not_applicable', 'excepted'] as const),
  ],
  accepted: ['needs_review', 'evidence_requested', 'in_progress', 'not_applicable', 'excepted'],
  not_applicable: ['not_started', 'in_progress'],
  excepted: ['in_progress', 'evidence_requested', 'implemented', 'needs_review'],
};

/** What decides the status of a control, as it was set last. */
export interface StatusDates {
  readonly status: SettableControlStatus;
  readonly cadence: ControlCadence;
  readonly reviewedAt: string | null;
  readonly exceptionEndsAt: string | null;
  readonly evidenceDueAt: string | null;
}

/** What an acceptance rests on. */
export interface Support {
  readonly evidenceFreshness: EvidenceFreshness;
  readonly latestResultStatus: TestResultStatus | null;
}

/** When somebody must look at a control again. */
export function findNextReview({ status, cadence, reviewedAt, exceptionEndsAt }: StatusDates): string | null {
  if (status === 'excepted') return exceptionEndsAt;
  if (status !== 'implemented' && status !== 'accepted') return null;
  return reviewedAt === null ? null : addCadence(reviewedAt, cadence);
}

/** The status at a time: `overdue` and `needs_review` may come by time alone. */
export function deriveStatus(dates: StatusDates, support: Support, now: string): ControlStatus {
  const { status, evidenceDueAt } = dates;
  if (status === 'evidence_requested') return evidenceDueAt !== null && evidenceDueAt < now ? 'overdue' : status;
  const nextReview = findNextReview(dates);
  if (nextReview !== null && nextReview <= now) return 'needs_review';
  const isSupported = support.evidenceFreshness === 'current' && support.latestResultStatus !== 'fail';
  return status === 'accepted' && !isSupported ? 'needs_review' : status;
}

/**
 * How fresh evidence is.
 * @param count the items that were not withdrawn.
 * @param latest when the latest of those was collected that count; null when none does.
 */
export function rateFreshness(
  count: number,
  latest: string | null,
  cadence: ControlCadence,
  now: string,
): EvidenceFreshness {
  if (count === 0) return 'missing';
  if (latest === null) return 'expired';
  const staleFrom = addCadence(latest, cadence);
  if (staleFrom === null || now < staleFrom) return 'current';
  const expiredFrom = addCadence(latest, cadence, 2);
  return expiredFrom === null || now < expiredFrom ? 'stale' : 'expired';
}

/** The worst first. */
const resultStatuses: readonly TestResultStatus[] = ['fail', 'warning', 'unknown', 'manual', 'pass'];

/** The worst of several results; null for none. */
export function findWorst(statuses: readonly (TestResultStatus | undefined)[]): TestResultStatus | null {
  return resultStatuses.find((status) => statuses.includes(status)) ?? null;
}
