import { z } from 'zod';
import { findRepeated, Id, list, Time, UtcTime, visibleText } from '../http/schemas.ts';
import { isNotificationOverdue, notificationDue } from './breach-deadline.ts';
import { breachStatuses } from './breach-status.ts';

export const breachSeverities = ['low', 'medium', 'high', 'critical'] as const;
export const BreachSeverity = z.enum(breachSeverities).meta({ id: 'BreachSeverity' });
export const BreachStatusName = z.enum(breachStatuses).meta({ id: 'BreachStatus' });

const DataCategories = list(visibleText(100), 50).superRefine((categories, context) => {
  for (const index of findRepeated(categories))
    context.addIssue({ code: 'custom', path: [index], message: 'is named twice' });
});

const fields = {
  title: visibleText(200),
  description: visibleText(10_000).meta({ description: 'What happened, its likely consequences, what was done.' }),
  severity: BreachSeverity,
};
const affectedSubjects = z.int().min(0).meta({ description: 'How many persons are affected, as far as it is known.' });
const dataCategories = DataCategories.meta({ description: 'Kinds of data that are affected.' });

/** What reports a breach (GDPR Article 33(3) and (5)). */
export const BreachInput = z
  .strictObject({
    ...fields,
    discoveredAt: Time.meta({
      description: 'When the tenant became aware of it; not in the future, and not before 2000.',
    }),
    affectedSubjects: affectedSubjects.optional(),
    dataCategories: dataCategories.optional(),
  })
  .meta({ id: 'BreachInput' });
export type BreachInput = z.output<typeof BreachInput>;

const notifiedAt = { description: 'Not before the discovery, and not in the future; null takes it back.' };

/** A change of an incident; when it was discovered stays, because the deadline runs from there. */
export const BreachChange = z
  .strictObject({
    ...fields,
    affectedSubjects: affectedSubjects.nullable(),
    dataCategories,
    status: BreachStatusName,
    authorityNotifiedAt: Time.nullable().meta(notifiedAt),
    subjectsNotifiedAt: Time.nullable().meta(notifiedAt),
    notificationReason: visibleText(2000)
      .nullable()
      .meta({ description: 'Why the authority need not be notified, or why it was notified late.' }),
  })
  .partial()
  .meta({ id: 'BreachChange' });
export type BreachChange = z.output<typeof BreachChange>;

/** An incident as its tenant sees it. */
export const BreachView = z
  .strictObject({
    id: Id,
    title: z.string(),
    description: z.string(),
    severity: BreachSeverity,
    status: BreachStatusName,
    affectedSubjects: z.int().min(0).nullable(),
    dataCategories: z.array(z.string()),
    discoveredAt: UtcTime,
    notificationDueAt: UtcTime.meta({ description: 'When the authority must be notified: 72 hours after discovery.' }),
    isNotificationOverdue: z.boolean().meta({
      description: 'Whether that time has passed without a notification, and without a reason for none.',
    }),
    authorityNotifiedAt: UtcTime.nullable(),
    subjectsNotifiedAt: UtcTime.nullable(),
    notificationReason: z.string().nullable(),
    closedAt: UtcTime.nullable(),
    createdAt: UtcTime,
    updatedAt: UtcTime,
  })
  .meta({ id: 'Breach' });
export type BreachView = z.output<typeof BreachView>;

const BreachEventData = z
  .strictObject({ breachId: Id, severity: BreachSeverity, status: BreachStatusName, notificationDueAt: UtcTime })
  .meta({ id: 'BreachEventData' });

/** The data of the webhook events about incidents. */
export const breachEvents = { 'breach.reported': BreachEventData, 'breach.updated': BreachEventData };

/** An incident as it is kept: without what follows from it and from the time of looking at it. */
export type Breach = Omit<BreachView, 'notificationDueAt' | 'isNotificationOverdue'>;

/** An incident as it stands at a time. */
export function viewBreach(breach: Breach, now: string): BreachView {
  return {
    ...breach,
    notificationDueAt: notificationDue(breach.discoveredAt),
    isNotificationOverdue: isNotificationOverdue(breach, now),
  };
}
