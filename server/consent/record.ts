import { z } from 'zod';
import { dictionary, Id, list, pageOf, Time, text, UtcTime } from '../http/schemas.ts';
import type { Link } from '../ledger/append.ts';

const SubjectChannel = z.enum(['email', 'phone', 'subject_id']).meta({ id: 'SubjectChannel' });
const CaptureMethod = z
  .enum(['banner', 'modal', 'inline', 'checkbox', 'double_opt_in', 'verbal_recorded'])
  .meta({ id: 'CaptureMethod' });
export const SubjectId = text(256).min(1);
export const PurposeChoices = dictionary(text(64), z.boolean(), 50).meta({
  description: 'Purpose key to granted flag.',
});
export type PurposeChoices = Readonly<Record<string, boolean>>;

/** When a decision was made; its bounds depend on the clock and are checked with it. */
const CaptureTime = Time.meta({
  description:
    'When it was decided, at most 5 minutes ahead of the server and not before 2000-01-01; default: the time of the server.',
});

/** spec.md "Consent record": what the authenticated capture takes. */
export const RecordInput = z
  .strictObject({
    subjectId: SubjectId,
    subjectChannel: SubjectChannel.optional(),
    ip: text(256).optional().meta({ description: 'Stored only as a keyed hash.' }),
    ua: text(4096).optional().meta({ description: 'Stored only as a keyed hash.' }),
    method: CaptureMethod.optional(),
    purposes: PurposeChoices,
    capturedAt: CaptureTime.optional(),
  })
  .meta({ id: 'ConsentRecordInput' });

/** spec.md "Public endpoints": what the public capture takes, and the version that the visitor saw. */
export const PublicRecordInput = z
  .strictObject({
    subjectId: SubjectId.meta({ description: 'Pseudonymous id of the visitor.' }),
    purposes: PurposeChoices.meta({ description: 'One entry for each purpose of the notice.' }),
    method: text(64).min(1).optional(),
    capturedAt: CaptureTime.optional(),
    noticeVersion: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'The version that the visitor saw; default: the current one.' }),
  })
  .meta({ id: 'PublicConsentRecordInput' });

/** The request of a capture of either kind. A field that a record has under the same name is stored without further code. */
export type CaptureBody = Omit<z.output<typeof RecordInput>, 'method'> &
  Pick<z.output<typeof PublicRecordInput>, 'method' | 'noticeVersion'>;

/** What a withdrawal takes. */
export const WithdrawalInput = z
  .strictObject({
    purposes: list(text(64).min(1), 50)
      .min(1)
      .optional()
      .meta({ description: 'The purposes to withdraw; default: all that the record granted and that can be refused.' }),
    method: CaptureMethod.optional(),
    capturedAt: CaptureTime.optional(),
  })
  .meta({ id: 'ConsentWithdrawalInput' });

/** Where the decisions of a subject count together: those of API callers, and apart from them those of visitors. */
export const spaces = ['api', 'public'] as const;
export type Space = (typeof spaces)[number];

/** What holds for one purpose, and the record that says so. */
const PurposeState = z
  .strictObject({
    granted: z.boolean(),
    recordId: Id.meta({ description: 'The latest record that names the purpose.' }),
  })
  .meta({ id: 'PurposeState' });

/** Purpose key to what holds for it. */
export const PurposeStates = z.record(z.string(), PurposeState);
export type PurposeStates = Readonly<Record<string, z.output<typeof PurposeState>>>;

const ledgerHash = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** A row of the consent ledger. */
export const ConsentRecord = z
  .strictObject({
    id: Id,
    noticeId: Id,
    noticeVersion: z.int().min(1),
    noticeContentHash: z.string().meta({ description: 'SHA-256 of the content of that version, hex.' }),
    subjectId: z.string(),
    subjectChannel: SubjectChannel.nullable(),
    kind: z.enum(['capture', 'withdrawal']).meta({ id: 'RecordKind' }),
    withdrawsRecordId: Id.nullable().meta({ description: 'The record that a withdrawal turns off.' }),
    method: z.string().nullable(),
    purposes: PurposeChoices,
    otherPurposes: PurposeStates.meta({
      description:
        'The purposes that this record does not name and that earlier records of the subject decided, on this notice and in this space: purpose key to what still holds. With `purposes` it is the state after this record.',
    }),
    source: z
      .enum(['api', 'public'])
      .meta({ id: 'RecordSource', description: 'Who sent it: a caller with credentials, or a page.' }),
    space: z.enum(spaces).meta({
      id: 'RecordSpace',
      description:
        'Which decisions it counts with: `public` for those of visitors, `api` for all others. A withdrawal is in the space of the record that it withdraws, so its `source` may differ.',
    }),
    ipHash: z.string().nullable(),
    uaHash: z.string().nullable(),
    capturedAt: UtcTime,
    recordedAt: UtcTime,
    sequence: z.int().min(1).meta({ description: 'The place in the ledger of the tenant, from 1, without gaps.' }),
    ledgerHash: ledgerHash.meta({ description: 'SHA-256 over the preceding hash and the canonical record.' }),
    prevLedgerHash: ledgerHash.nullable(),
  })
  .meta({ id: 'ConsentRecord' });
export type ConsentRecord = z.output<typeof ConsentRecord>;
export const ConsentRecordPage = pageOf(ConsentRecord);

const recordEventFields = ConsentRecord.pick({
  noticeId: true,
  noticeVersion: true,
  subjectId: true,
  kind: true,
  withdrawsRecordId: true,
  method: true,
  purposes: true,
  source: true,
  space: true,
  capturedAt: true,
  recordedAt: true,
  sequence: true,
  ledgerHash: true,
}).shape;
const RecordEventData = z.strictObject({ recordId: Id, ...recordEventFields }).meta({ id: 'ConsentRecordEventData' });

/** The data of the webhook events about records. */
export const recordEvents = { 'consent.recorded': RecordEventData, 'consent.withdrawn': RecordEventData };

/** The decision and its place in the ledger, and nothing about the device. */
export function presentEventData(record: ConsentRecord): z.output<typeof RecordEventData> {
  return { recordId: record.id, ...pick(record, recordEventFields) } as z.output<typeof RecordEventData>;
}

/** The values of the fields of a schema, in its order. */
function pick(record: ConsentRecord, fields: object): Partial<ConsentRecord> {
  return Object.fromEntries(Object.keys(fields).map((key) => [key, record[key as keyof ConsentRecord]]));
}

/**
 * What a visitor gets back: enough to find the record again and to prove it. Anybody may send a subject id, so nothing
 * here may depend on what the subject decided before.
 */
export const PublicRecord = ConsentRecord.pick({
  id: true,
  noticeId: true,
  noticeVersion: true,
  subjectId: true,
  method: true,
  purposes: true,
  capturedAt: true,
  recordedAt: true,
  noticeContentHash: true,
  ledgerHash: true,
  prevLedgerHash: true,
})
  .extend({ ledgerHash })
  .meta({ id: 'PublicConsentRecord' });

/** The part of a record that a visitor gets. */
export function presentPublicRecord(record: ConsentRecord): z.output<typeof PublicRecord> {
  return pick(record, PublicRecord.shape) as z.output<typeof PublicRecord>;
}

type NullableKey = { [Key in keyof ConsentRecord]: null extends ConsentRecord[Key] ? Key : never }[keyof ConsentRecord];
type PositionKey = 'recordedAt' | 'sequence' | 'ledgerHash' | 'prevLedgerHash';

/** A record that has been decided on and waits for its place in the ledger. What may be null may be left out. */
export type RecordDraft = Omit<ConsentRecord, NullableKey | PositionKey> &
  Partial<Pick<ConsentRecord, Exclude<NullableKey, PositionKey>>> & { readonly tenantId: string };

const { ledgerHash: _hash, prevLedgerHash: _previous, ...hashedFields } = ConsentRecord.shape;
/** In the order of the API, and in canonical order. Only these are stored and shown, whatever else a draft has. */
const recordKeys = Object.keys(ConsentRecord.shape);
const entryKeys = [...Object.keys(hashedFields), 'tenantId'].sort();

/** The values of these keys; null for those that a draft left out. */
function select(keys: readonly string[], values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const selected: Record<string, unknown> = {};
  for (const key of keys) selected[key] = values[key] ?? null;
  return selected;
}

/**
 * The canonical text of an entry: the record without its hashes, and the tenant. The keys are in canonical order here, so
 * that serialising is enough; a test compares with the general form.
 */
export function sealRecord(draft: RecordDraft, recordedAt: string, sequence: number): string {
  const [purposes, otherPurposes] = [sortKeys(draft.purposes), sortStates(draft.otherPurposes)];
  return JSON.stringify(select(entryKeys, { ...draft, purposes, otherPurposes, recordedAt, sequence }));
}

function sortKeys<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  const keys = Object.keys(values);
  return keys.length < 2 ? values : Object.fromEntries(keys.sort().map((key) => [key, values[key] as Value]));
}

function sortStates(states: PurposeStates): PurposeStates {
  if (Object.keys(states).length === 0) return states;
  const sorted = Object.entries(sortKeys(states));
  return Object.fromEntries(sorted.map(([key, { granted, recordId }]) => [key, { granted, recordId }]));
}

/** A ledger row as it is stored. */
export interface StoredRecord {
  readonly entry: string;
  readonly hash: string;
  readonly prev_hash: string | null;
}

/** A record from what is stored. */
export function readRecord({ entry, hash, prev_hash }: StoredRecord): ConsentRecord {
  const { tenantId: _, ...record } = JSON.parse(entry);
  return { ...record, ...presentHashes(hash, prev_hash) };
}

/** A draft with its place in the ledger. */
export function placeRecord(draft: RecordDraft, { at: recordedAt, sequence, hash, prevHash }: Link): ConsentRecord {
  const values = { ...draft, recordedAt, sequence, ...presentHashes(hash, prevHash) };
  return select(recordKeys, values) as Partial<ConsentRecord> as ConsentRecord;
}

/** The hashes of a ledger row as the API gives them. */
function presentHashes(hash: string, previous: string | null) {
  return { ledgerHash: `sha256:${hash}`, prevLedgerHash: previous && `sha256:${previous}` };
}
