import { z } from 'zod';
import { Id, Time, text, UtcTime, visibleText } from '../http/schemas.ts';
import { isOverdue } from './dsr-deadline.ts';

/** The rights of a person that a request can be about (GDPR Articles 15 to 21). */
export const dsrTypes = ['access', 'erasure', 'rectification', 'portability', 'restriction', 'objection'] as const;
export const dsrChannels = ['email', 'phone', 'web', 'letter', 'in_person', 'other'] as const;
export const dsrStatuses = ['open', 'completed'] as const;
export const dsrOutcomes = ['fulfilled', 'rejected', 'partially_fulfilled'] as const;

export const DsrType = z.enum(dsrTypes).meta({ id: 'DataSubjectRequestType' });
export const DsrStatus = z.enum(dsrStatuses).meta({ id: 'DataSubjectRequestStatus' });
const DsrChannel = z.enum(dsrChannels).meta({ id: 'DataSubjectRequestChannel' });
export const DsrOutcome = z.enum(dsrOutcomes).meta({ id: 'DataSubjectRequestOutcome' });

/** Taken as it is: it must be found again under the very text that other systems use. */
export const DsrSubjectId = text(256).min(1);
const Reason = visibleText(2000);

/** What opens a request. */
export const DsrInput = z
  .strictObject({
    subjectId: DsrSubjectId.meta({ description: 'Who asks, by the id that the tenant knows them by.' }),
    type: DsrType,
    channel: DsrChannel.optional().meta({ description: 'How the request came.' }),
    notes: visibleText(5000).optional(),
    receivedAt: Time.optional().meta({
      description:
        'When the request came, which its period runs from; not in the future, and not before 2000. Default: the time of the server.',
    }),
  })
  .meta({ id: 'DataSubjectRequestInput' });
export type DsrInput = z.output<typeof DsrInput>;

/** What extends the period: the person must be told why (GDPR Article 12(3)). */
export const DsrExtension = z
  .strictObject({ reason: Reason.meta({ description: 'Why it takes longer, as the person is told.' }) })
  .meta({ id: 'DataSubjectRequestExtension' });
export type DsrExtension = z.output<typeof DsrExtension>;

/** What completes a request: whose request is not fulfilled must be told why (GDPR Article 12(4)). */
export const DsrCompletion = z
  .strictObject({
    outcome: DsrOutcome,
    reason: Reason.optional().meta({ description: 'Required unless the request is fulfilled.' }),
  })
  .refine(({ outcome, reason }) => outcome === 'fulfilled' || reason !== undefined, {
    path: ['reason'],
    message: 'is required unless the request is fulfilled',
  })
  .meta({ id: 'DataSubjectRequestCompletion' });
export type DsrCompletion = z.output<typeof DsrCompletion>;

/** A request of a data subject as its tenant sees it. */
export const DsrView = z
  .strictObject({
    id: Id,
    subjectId: z.string(),
    type: DsrType,
    channel: DsrChannel.nullable(),
    notes: z.string().nullable(),
    status: DsrStatus,
    receivedAt: UtcTime,
    dueAt: UtcTime.meta({ description: 'When it must be answered.' }),
    isOverdue: z.boolean().meta({ description: 'Whether it is open past its due date.' }),
    extendedAt: UtcTime.nullable(),
    extensionReason: z.string().nullable(),
    outcome: DsrOutcome.nullable(),
    reason: z.string().nullable().meta({ description: 'Why it was not fulfilled, or not wholly.' }),
    completedAt: UtcTime.nullable(),
    createdAt: UtcTime,
    updatedAt: UtcTime,
  })
  .meta({ id: 'DataSubjectRequest' });
export type DsrView = z.output<typeof DsrView>;

/** The data of the webhook events about requests; that of `dsr.completed` is exactly what spec.md "Events" 4 says. */
export const dsrEvents = {
  'dsr.created': z
    .strictObject({ dsrId: Id, subjectId: z.string(), type: DsrType, dueAt: UtcTime })
    .meta({ id: 'DataSubjectRequestCreatedEventData' }),
  'dsr.completed': z
    .strictObject({ dsrId: Id, subjectId: z.string(), type: DsrType, outcome: DsrOutcome })
    .meta({ id: 'DataSubjectRequestCompletedEventData' }),
};

/** A request without what depends on the time of looking at it. */
export type Dsr = Omit<DsrView, 'isOverdue'>;

/** A request as it stands at a time. */
export function viewDsr(dsr: Dsr, now: string): DsrView {
  return { ...dsr, isOverdue: isOverdue(dsr, now) };
}
