import type { Selectable } from 'kysely';
import type { Tables } from '../storage/tables.ts';

/** How often a control is reviewed and tested (spec.md, Control, `cadence`). */
export const cadences = ['monthly', 'quarterly', 'semi_annual', 'annual', 'event_driven'] as const;

export type Cadence = (typeof cadences)[number];

const monthsOf = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12, event_driven: null } as const;

/** The last time that RFC 3339 can express: its years have four digits (RFC 3339 section 5.6). */
const lastTime = '9999-12-31T23:59:59.999Z';

/**
 * The time one or several cadences later, in calendar months of UTC. The time of day stays; a day that the month lacks
 * becomes its last day. Several cadences are added in one step, so that a short month between them drops no days. At most
 * the end of the year 9999.
 * @param time RFC 3339, UTC.
 * @returns RFC 3339, UTC, milliseconds; null for `event_driven`, where only an event makes it due.
 */
export function addCadence(time: string, cadence: Cadence, count = 1): string | null {
  const months = monthsOf[cadence];
  if (months === null) return null;
  const date = new Date(time);
  const dayOfMonth = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + count * months);
  // A day that the month lacks is counted into the month after it, whose day 0 is the last of the month before.
  if (date.getUTCDate() !== dayOfMonth) date.setUTCDate(0);
  return date.getUTCFullYear() > 9999 ? lastTime : date.toISOString();
}

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

/** The statuses that a user can set; a control becomes `overdue` by time only. */
export const settableStatuses = controlStatuses.filter((status) => status !== 'overdue');
export type SettableStatus = Exclude<ControlStatus, 'overdue'>;

/** spec.md "Control", `evidenceFreshness`. */
export const freshnesses = ['current', 'stale', 'expired', 'missing'] as const;

/** spec.md "Control", `latestResultStatus`: the worst first. */
export const resultStatuses = ['fail', 'warning', 'unknown', 'manual', 'pass'] as const;
export type ResultStatus = (typeof resultStatuses)[number];

/**
 * The statuses that a control can change to. Since `overdue` and `needs_review` can come by time only (`deriveStatus`),
 * a change starts from the status that the control has at that moment.
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

/** The columns of a control that its status follows from. */
export type StatusColumns = Pick<
  Selectable<Tables['tenant_controls']>,
  'status' | 'cadence' | 'reviewed_at' | 'exception_ends_at' | 'evidence_due_at'
>;

/** The requirements for a control to stay accepted: current evidence, and no failing test. */
export interface Support {
  readonly evidenceFreshness: (typeof freshnesses)[number];
  readonly latestResultStatus: ResultStatus | null;
}

/** True if setting this status means that the control was reviewed. */
export function isReview(status: string): boolean {
  return status === 'implemented' || status === 'accepted';
}

/**
 * When the next review is due: one cadence after the control was set to implemented or accepted, or when its exception
 * ends. Null in every other status, and with the cadence `event_driven`.
 */
export function findNextReview({ status, cadence, reviewed_at, exception_ends_at }: StatusColumns): string | null {
  if (status === 'excepted') return exception_ends_at;
  if (!isReview(status) || reviewed_at === null) return null;
  return addCadence(reviewed_at, cadence as Cadence);
}

/**
 * The status at a time: `overdue` after the due date of requested evidence; `needs_review` from the moment that a review
 * is due or an exception ends, and while an accepted control lacks its support; otherwise the status that was set.
 */
export function deriveStatus(row: StatusColumns, support: Support, now: string): ControlStatus {
  if (row.status === 'evidence_requested')
    return row.evidence_due_at !== null && row.evidence_due_at < now ? 'overdue' : 'evidence_requested';
  const nextReview = findNextReview(row);
  const isSupported = support.evidenceFreshness === 'current' && support.latestResultStatus !== 'fail';
  if ((nextReview !== null && nextReview <= now) || (row.status === 'accepted' && !isSupported)) return 'needs_review';
  return row.status as SettableStatus;
}
