import type { EventData } from './event-data.ts';

/** What a value is, so far as it shows when the program runs; `?` where it may be absent. */
export type Kind =
  | 'string'
  | 'string or null'
  | 'integer'
  | 'integer or null'
  | 'boolean'
  | 'boolean?'
  | 'booleans by name';

/** The kind of each field. */
export interface Shape {
  readonly [field: string]: Kind | Shape;
}

/** The kind of a type; every number of an event is an integer. */
type KindOf<Value> = undefined extends Value
  ? `${PlainKindOf<Exclude<Value, undefined>> & string}?`
  : PlainKindOf<Value>;

type PlainKindOf<Value> = [Value] extends [string]
  ? 'string'
  : [Value] extends [string | null]
    ? 'string or null'
    : [Value] extends [number]
      ? 'integer'
      : [Value] extends [number | null]
        ? 'integer or null'
        : [Value] extends [boolean]
          ? 'boolean'
          : string extends keyof Value
            ? 'booleans by name'
            : ShapeOf<Value>;

/** The shape of a type: each of its fields, and no other. */
export type ShapeOf<Data> = { readonly [Name in keyof Required<Data>]: KindOf<Data[Name & keyof Data]> };

const record = {
  recordId: 'string',
  noticeId: 'string',
  noticeVersion: 'integer',
  subjectId: 'string',
  purposes: 'booleans by name',
  kind: 'string',
  withdrawsRecordId: 'string or null',
  method: 'string or null',
  source: 'string',
  space: 'string',
  capturedAt: 'string',
  recordedAt: 'string',
  sequence: 'integer',
  ledgerHash: 'string',
} as const;
const notice = { noticeId: 'string', name: 'string', domain: 'string', version: 'integer', status: 'string' } as const;
const breach = { breachId: 'string', severity: 'string', status: 'string', notificationDueAt: 'string' } as const;
const control = { controlId: 'string', code: 'string' } as const;
const request = { dsrId: 'string', subjectId: 'string', type: 'string' } as const;
const person = { userId: 'string', email: 'string' } as const;
const member = { ...person, role: 'string', status: 'string' } as const;
const status = { status: 'string' } as const;
const statusChange = { ...member, before: status, after: status } as const;
const endpoint = { webhookId: 'string', host: 'string' } as const;

/** The shape of the data of each type of event; the compiler holds it to the types, and they to it. */
export const eventDataShapes = {
  'consent.recorded': record,
  'consent.withdrawn': record,
  'consent_notice.published': notice,
  'consent_notice.archived': { ...notice, version: 'integer or null' },
  'dsr.created': { ...request, dueAt: 'string' },
  'dsr.completed': { ...request, outcome: 'string' },
  'breach.reported': breach,
  'breach.updated': breach,
  'control.status_changed': { ...control, from: 'string', to: 'string' },
  'control.test_failed': { ...control, testId: 'string', resultId: 'string' },
  'user.provisioned': { ...member, after: { role: 'string', status: 'string' }, restored: 'boolean?' },
  'user.suspended': statusChange,
  'user.reactivated': statusChange,
  'user.deprovisioned': statusChange,
  'user.role_changed': { ...member, before: { role: 'string' }, after: { role: 'string' } },
  'mfa.enabled': person,
  'mfa.disabled': person,
  'webhook.test': { webhookId: 'string' },
  'webhook.endpoint_failing': { ...endpoint, failingSince: 'string', lastError: 'string or null' },
  'webhook.endpoint_recovered': { ...endpoint, failingSince: 'string', recoveredAt: 'string' },
  'webhook.endpoint_disabled': {
    ...endpoint,
    reason: 'string',
    failingSince: 'string or null',
    lastError: 'string or null',
  },
  'webhook.delivery_exhausted': {
    ...endpoint,
    deliveryId: 'string',
    eventId: 'string',
    eventType: 'string',
    attempts: 'integer',
    reason: 'string',
  },
} as const satisfies ShapeOf<EventData>;
