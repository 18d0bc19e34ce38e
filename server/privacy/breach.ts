import type { Selectable } from 'kysely';
import { z } from 'zod';
import { invalidValues, Problem, type ProblemDetail } from '../http/problem.ts';
import {
  findPastFault,
  Id,
  list,
  namedObject,
  refuseRepeated,
  Time,
  UtcTime,
  viewRow,
  visibleText,
} from '../http/schemas.ts';
import { addTime, dayMilliseconds } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';

export type BreachRow = Selectable<Tables['breach_incidents']>;

export const BreachSeverity = z.enum(['low', 'medium', 'high', 'critical']).meta({ id: 'BreachSeverity' });
export const BreachStatus = z.enum(['open', 'contained', 'closed']).meta({ id: 'BreachStatus' });

const fields = {
  title: visibleText(200),
  description: visibleText(10_000).meta({ description: 'What happened, its likely consequences, the measures taken.' }),
  severity: BreachSeverity,
};
const affectedSubjects = z.int().min(0).meta({ description: 'How many people are affected, as far as known.' });
const dataCategories = list(visibleText(100), 50)
  .superRefine(refuseRepeated('is a duplicate'))
  .meta({ description: 'Kinds of data affected.' });

/** The details that GDPR Article 33(3) and (5) ask for. */
export const BreachInput = namedObject('BreachInput', {
  ...fields,
  discoveredAt: Time.meta({
    description: 'When the tenant became aware of it; not in the future, and not before 2000.',
  }),
  affectedSubjects: affectedSubjects.optional(),
  dataCategories: dataCategories.optional(),
});
export type BreachInput = z.output<typeof BreachInput>;

const notifiedAt = { description: 'Not before the discovery, and not in the future; null clears it.' };

/** An edit of a breach. `discoveredAt` cannot change: the deadline starts there. */
export const BreachChange = z
  .strictObject({
    ...fields,
    affectedSubjects: affectedSubjects.nullable(),
    dataCategories,
    status: BreachStatus,
    authorityNotifiedAt: Time.nullable().meta(notifiedAt),
    subjectsNotifiedAt: Time.nullable().meta(notifiedAt),
    notificationReason: visibleText(2000)
      .nullable()
      .meta({ description: 'Why the authority need not be notified, or why it was notified late.' }),
  })
  .partial()
  .meta({ id: 'BreachChange' });
export type BreachChange = z.output<typeof BreachChange>;

/** A breach as the API returns it. */
export const BreachView = namedObject('Breach', {
  id: Id,
  title: z.string().nullable().meta({ description: 'Null once it is erased.' }),
  description: z.string().nullable(),
  severity: BreachSeverity,
  status: BreachStatus,
  affectedSubjects: z.int().min(0).nullable(),
  dataCategories: z.array(z.string()),
  discoveredAt: UtcTime,
  notificationDueAt: UtcTime.meta({ description: 'When the authority must be notified: 72 hours after discovery.' }),
  isNotificationOverdue: z.boolean().meta({
    description: 'Whether that time has passed without a notification and without a `notificationReason`.',
  }),
  authorityNotifiedAt: UtcTime.nullable(),
  subjectsNotifiedAt: UtcTime.nullable(),
  notificationReason: z.string().nullable(),
  closedAt: UtcTime.nullable(),
  erasedAt: UtcTime.nullable().meta({
    description:
      'When its texts were erased: the title, the description, the categories of data and the reason are empty since.',
  }),
  createdAt: UtcTime,
  updatedAt: UtcTime,
});
export type BreachView = z.output<typeof BreachView>;

export const breachFilters = { status: BreachStatus.optional(), severity: BreachSeverity.optional() };
export type BreachFilter = z.output<z.ZodObject<typeof breachFilters>>;

const BreachEventData = namedObject('BreachEventData', {
  breachId: Id,
  severity: BreachSeverity,
  status: BreachStatus,
  notificationDueAt: UtcTime,
});

/** The data of the webhook events about breaches. */
export const breachEvents = { 'breach.reported': BreachEventData, 'breach.updated': BreachEventData };

/** A breach as the API returns it. @param now the time that `isNotificationOverdue` is computed for. */
export function viewBreach(row: BreachRow, now: string): BreachView {
  const notificationDueAt = notificationDue(row.discovered_at);
  // An erased breach was closed, which takes a notification or a reason.
  const isUnexplained =
    row.authority_notified_at === null && row.notification_reason === null && row.erased_at === null;
  return viewRow(BreachView, row, {
    dataCategories: row.data_categories === null ? [] : JSON.parse(row.data_categories),
    notificationDueAt,
    isNotificationOverdue: isUnexplained && now > notificationDueAt,
  });
}

/** The authority must be notified so soon after the discovery: 72 hours. */
export const notificationPeriod = 3 * dayMilliseconds;

/** When the authority must be notified: GDPR Article 33(1); Nigeria Data Protection Act 2023 section 40. */
export function notificationDue(discoveredAt: string): string {
  return addTime(discoveredAt, notificationPeriod);
}

/** The status that a breach may move to from each status; a closed one can be reopened. */
export const breachMoves: Readonly<Record<BreachView['status'], readonly BreachView['status'][]>> = {
  open: ['contained', 'closed'],
  contained: ['closed'],
  closed: ['open'],
};

/**
 * Applies an edit to a breach, without writing it. The fields that are computed from others stay as they are.
 * @throws {Problem} `breach_transition_not_allowed`; `validation_failed` if the edited breach is invalid.
 */
export function applyChange(before: BreachView, change: BreachChange, now: string): BreachView {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const wanted: BreachView = { ...before, ...given };
  const [from, to] = [before.status, wanted.status];
  const allowed = breachMoves[from];
  if (from !== to && !allowed.includes(to))
    throw new Problem(
      'breach_transition_not_allowed',
      `A breach that is ${from} cannot become ${to}; it can become ${allowed.join(' or ')}.`,
      { fields: { from, to, allowed } },
    );
  const details = [...checkTimes(before, change, now), ...checkReason(wanted)];
  if (details.length > 0) throw invalidValues(details);
  return { ...wanted, closedAt: to === 'closed' ? (before.closedAt ?? now) : null };
}

/** Notifications happen after the discovery and in the past. */
function checkTimes({ discoveredAt }: BreachView, change: BreachChange, now: string): readonly ProblemDetail[] {
  return (['authorityNotifiedAt', 'subjectsNotifiedAt'] as const).flatMap((name) => {
    const time = change[name] ?? null;
    if (time === null) return [];
    const issue = findPastFault(time, now) ?? (time < discoveredAt ? 'must not be before discoveredAt' : null);
    return issue === null ? [] : [{ path: `body.${name}`, issue }];
  });
}

/** The two cases in which the tenant must document its reasons (GDPR Article 33(1) and (5)). */
function checkReason(wanted: BreachView): readonly ProblemDetail[] {
  const { status, authorityNotifiedAt, notificationDueAt, notificationReason } = wanted;
  const issue =
    (authorityNotifiedAt !== null &&
      authorityNotifiedAt > notificationDueAt &&
      'is required if the authority was notified later than 72 hours after the discovery') ||
    (status === 'closed' &&
      authorityNotifiedAt === null &&
      'is required to close a breach that the authority was not notified of');
  return notificationReason === null && issue ? [{ path: 'body.notificationReason', issue }] : [];
}
