import type { Selectable } from 'kysely';
import { z } from 'zod';
import { Email } from '../accounts/members/email.ts';
import { Id, namedObject, Time, text, textLine, UtcTime, viewRow, visibleText } from '../http/schemas.ts';
import { compactPasted } from '../http/typed-text.ts';
import { addTime, dayMilliseconds } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';

export type DsrRow = Selectable<Tables['dsr_requests']>;

/** The rights of a person that a request can be about (GDPR Articles 15 to 21). */
export const dsrTypes = ['access', 'erasure', 'rectification', 'portability', 'restriction', 'objection'] as const;
export const dsrChannels = ['email', 'phone', 'web', 'letter', 'in_person', 'other'] as const;

const DsrType = z.enum(dsrTypes).meta({ id: 'DataSubjectRequestType' });
export const DsrStatus = z.enum(['open', 'completed']).meta({ id: 'DataSubjectRequestStatus' });
const DsrChannel = z.enum(dsrChannels).meta({ id: 'DataSubjectRequestChannel' });
export const DsrOutcome = z
  .enum(['fulfilled', 'rejected', 'partially_fulfilled'])
  .meta({ id: 'DataSubjectRequestOutcome' });

/** Not normalized: other systems look it up by the same text. */
const DsrSubjectId = text(256).min(1);
const Reason = visibleText(2000);

export const DsrInput = namedObject('DataSubjectRequestInput', {
  subjectId: DsrSubjectId.meta({ description: 'The id that the tenant has for the person.' }),
  type: DsrType,
  channel: DsrChannel.optional().meta({ description: 'How the request was received.' }),
  notes: visibleText(5000).optional(),
  receivedAt: Time.optional().meta({
    description:
      'When the request was received; its period starts here. Not in the future, and not before 2000. Default: the time of the server.',
  }),
});
export type DsrInput = z.output<typeof DsrInput>;

/** A request that a person makes with the form. */
export const PublicDsrInput = namedObject('PublicDataSubjectRequestInput', {
  type: DsrType,
  email: Email.meta({ description: 'Where the answer goes.' }),
  name: textLine(200).optional(),
  message: visibleText(2000).optional(),
});
export type PublicDsrInput = z.output<typeof PublicDsrInput>;

/** The response to the person: the same regardless of what is known about them. */
export const PublicDsr = namedObject('PublicDataSubjectRequest', {
  reference: Id.meta({ description: 'The id of the request.' }),
  receivedAt: UtcTime,
  dueAt: UtcTime.meta({ description: 'When it must be answered.' }),
});

/** The token of the confirmation link that the tenant sends to the address of a request. */
export const DsrConfirmationLink = namedObject('DataSubjectRequestConfirmationLink', {
  token: z.string().meta({ description: 'The token itself, shown only once.' }),
  expiresAt: UtcTime,
});

export const DsrConfirmationInput = namedObject('DataSubjectRequestConfirmationInput', {
  token: text(100).transform(compactPasted),
});

export const DsrConfirmation = namedObject('DataSubjectRequestConfirmation', { confirmedAt: UtcTime });

/** An edit of an open request; omitted fields keep their values. */
export const DsrChange = z
  .strictObject({
    subjectId: DsrSubjectId.meta({ description: 'Requests made with the form start with the e-mail address.' }),
    assigneeUserId: Id.nullable().meta({ description: 'A member who may sign in; null for none.' }),
    notes: visibleText(5000).nullable(),
    identityCheck: namedObject('IdentityCheckInput', {
      method: visibleText(200).meta({
        description: 'How: “known account”, “called back”. Not a number of a document.',
      }),
    })
      .nullable()
      .meta({ description: 'Records that the caller checked now who the person is; null removes the check.' }),
  })
  .partial()
  .meta({ id: 'DataSubjectRequestChange' });
export type DsrChange = z.output<typeof DsrChange>;

/** The person must be informed of the reasons for an extension (GDPR Article 12(3)). */
export const DsrExtension = namedObject('DataSubjectRequestExtension', {
  reason: Reason.meta({ description: 'Why it takes longer, as communicated to the person.' }),
});
export type DsrExtension = z.output<typeof DsrExtension>;

/** A person whose request is not fulfilled must be informed of the reasons (GDPR Article 12(4)). */
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

/** A data-subject request as the API returns it. */
export const DsrView = z
  .strictObject({
    id: Id,
    subjectId: z.string().nullable().meta({ description: 'Null once it is erased.' }),
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
    reason: z.string().nullable().meta({ description: 'Why it was not fulfilled, or only partially.' }),
    completedAt: UtcTime.nullable(),
    assigneeUserId: Id.nullable(),
    identityCheck: namedObject('IdentityCheck', {
      method: z.string(),
      at: UtcTime,
      by: Id.nullable().meta({ description: 'The user or the API key; null for the server itself.' }),
    }).nullable(),
    source: z
      .enum(['api', 'public'])
      .meta({ id: 'DataSubjectRequestSource', description: '`public`: made with the form, by anyone.' }),
    requesterEmail: z.string().nullable().meta({ description: 'As typed into the form, not verified.' }),
    requesterName: z.string().nullable(),
    message: z.string().nullable(),
    confirmedAt: UtcTime.nullable().meta({ description: 'When the link that was sent to the address was used.' }),
    erasedAt: UtcTime.nullable().meta({
      description:
        'When its texts were erased, which are null since: the subject, what was written, how the identity was checked.',
    }),
    createdAt: UtcTime,
    updatedAt: UtcTime,
  })
  .meta({ id: 'DataSubjectRequest' });
export type DsrView = z.output<typeof DsrView>;

export const dsrFilters = {
  status: DsrStatus.optional(),
  type: DsrType.optional(),
  subjectId: DsrSubjectId.optional().meta({ description: 'Only requests of this person; exact match.' }),
  assigneeUserId: Id.optional(),
  overdue: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Whether the request is open past its due date, at the time of the call.' }),
};
export type DsrFilter = z.output<z.ZodObject<typeof dsrFilters>>;

const EventSubject = z.string().nullable().meta({ description: 'Null once erased.' });

/** The data of the webhook events; `dsr.completed` has exactly the fields of spec.md "Events" 4. */
export const dsrEvents = {
  'dsr.created': namedObject('DataSubjectRequestCreatedEventData', {
    dsrId: Id,
    subjectId: EventSubject,
    type: DsrType,
    dueAt: UtcTime,
  }),
  'dsr.completed': namedObject('DataSubjectRequestCompletedEventData', {
    dsrId: Id,
    subjectId: EventSubject,
    type: DsrType,
    outcome: DsrOutcome,
  }),
};

/** A request as the API returns it. @param now the time that `isOverdue` is computed for. */
export function viewDsr(row: DsrRow, now: string): DsrView {
  const { identity_check_method: method, identity_checked_at: at, identity_checked_by: by } = row;
  const identityCheck = method === null || at === null ? null : { method, at, by };
  return viewRow(DsrView, row, { isOverdue: isOverdue(row, now), identityCheck });
}

/**
 * The longest period with its extension, in days: one month and two further months (GDPR Article 12(3)), or twice 45 days
 * (California Civil Code section 1798.130(a)(2)).
 */
const longestDays = 90;

/** When a request must be answered. Computed once, at its creation: later changes of the setting have no effect. */
export function dueAfter(receivedAt: string, days: number): string {
  return addTime(receivedAt, days * dayMilliseconds);
}

/** When an extended request must be answered: after three times its period, at most 90 days after the receipt. */
export function extendDue({ received_at, due_at }: Pick<DsrRow, 'received_at' | 'due_at'>): string {
  const period = Date.parse(due_at) - Date.parse(received_at);
  return addTime(received_at, Math.min(3 * period, longestDays * dayMilliseconds));
}

/** True if an open request is past its due date. Both times are UTC with milliseconds, which sort as text. */
export function isOverdue({ status, due_at }: Pick<DsrRow, 'status' | 'due_at'>, now: string): boolean {
  return status === 'open' && now > due_at;
}
