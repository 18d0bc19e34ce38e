import type { Selectable } from 'kysely';
import { z } from 'zod';
import { invalidValues, type ProblemDetail } from '../http/problem.ts';
import { dictionary, filteredPageOf, Id, list, namedObject, Time, text, UtcTime } from '../http/schemas.ts';
import {
  commit,
  draftTemplate,
  fillTemplate,
  type Link,
  ownValues,
  type Position,
  readTemplate,
  type TemplateDraft,
  writeTemplate,
} from '../ledger/entry.ts';
import { ByteCache } from '../storage/cache.ts';
import type { Tables } from '../storage/tables.ts';
import { Language } from './language.ts';
import type { Purpose } from './notice.ts';
import { Basis, Region } from './purpose-basis.ts';

export const SubjectChannel = z.enum(['email', 'phone', 'subject_id']).meta({ id: 'SubjectChannel' });
export const CaptureMethod = z
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
export const RecordInput = namedObject('ConsentRecordInput', {
  subjectId: SubjectId,
  subjectChannel: SubjectChannel.optional(),
  ip: text(256).optional().meta({ description: 'Stored only as a keyed hash.' }),
  ua: text(4096).optional().meta({ description: 'Stored only as a keyed hash.' }),
  method: CaptureMethod.optional(),
  purposes: PurposeChoices,
  capturedAt: CaptureTime.optional(),
});

/** In place of a hash, from a browser that has no SHA-256 for the page. */
export const unverified = 'unverified';

const ShownHash = text(64).regex(
  /^(?:[0-9a-f]{64}|unverified)$/,
  `must be a SHA-256 in lower-case hex, or ${unverified}`,
);

/** spec.md "Public endpoints": what the public capture takes, and what was shown to the visitor. */
export const PublicRecordInput = namedObject('PublicConsentRecordInput', {
  subjectId: SubjectId.meta({ description: 'Pseudonymous id of the visitor.' }),
  purposes: PurposeChoices.meta({ description: 'One entry for each purpose of the notice.' }),
  method: text(64).min(1).optional(),
  capturedAt: CaptureTime.optional(),
  noticeVersion: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'The version that the visitor saw; default: that of `shownHash`, else the current one.' }),
  language: Language.optional().meta({ description: 'The language of the notice that was shown, as a BCP 47 tag.' }),
  shownHash: ShownHash.optional().meta({
    description:
      'SHA-256, in lower-case hex, of the body of `GET /v1/public/consent/{noticeId}` that was shown; `unverified` if the browser could not compute it. A hash decides version and language of the record.',
  }),
  region: Region.optional().meta({
    description: 'The region that the page applied: ISO 3166-1 alpha-2 or ISO 3166-2. Absent for unknown.',
  }),
});

/** The request of a capture of either kind. A field that a record has under the same name is stored without further code. */
export type CaptureBody = Omit<z.output<typeof RecordInput>, 'method'> &
  Pick<z.output<typeof PublicRecordInput>, 'method' | 'noticeVersion' | 'language' | 'shownHash' | 'region'>;

export const WithdrawalInput = namedObject('ConsentWithdrawalInput', {
  purposes: list(text(64).min(1), 50)
    .min(1)
    .optional()
    .meta({ description: 'The purposes to withdraw; default: all that the record granted and that can be refused.' }),
  method: CaptureMethod.optional(),
  capturedAt: CaptureTime.optional(),
});

/** Where the decisions of a subject count together: those of API callers, and apart from them those of visitors. */
export const spaces = ['api', 'public'] as const;
export type Space = (typeof spaces)[number];

/** The state of one purpose, and the record that set it. */
const PurposeState = namedObject('PurposeState', {
  granted: z.boolean(),
  recordId: Id.meta({ description: 'The latest record that names the purpose.' }),
});

/** Purpose key to its state. */
export const PurposeStates = z.record(z.string(), PurposeState);
export type PurposeStates = Readonly<Record<string, z.output<typeof PurposeState>>>;

const ledgerHash = z.string().regex(/^sha256:[0-9a-f]{64}$/);

export const RecordKind = z.enum(['capture', 'withdrawal']).meta({ id: 'RecordKind' });
export const RecordSource = z
  .enum(['api', 'public', 'import'])
  .meta({ id: 'RecordSource', description: 'Who sent it: a caller with credentials, a page, or `svc import`.' });

/** A row of the consent ledger. */
export const ConsentRecord = namedObject('ConsentRecord', {
  id: Id.meta({
    description: 'UUID. That of an imported record is version 8: a keyed hash of its id in the other tool.',
  }),
  noticeId: Id,
  noticeVersion: z.int().min(1),
  noticeContentHash: z.string().meta({ description: 'SHA-256 of the content of that version, hex.' }),
  subjectId: z.string().nullable().meta({ description: 'Null once erased.' }),
  subjectChannel: SubjectChannel.nullable(),
  kind: RecordKind,
  withdrawsRecordId: Id.nullable().meta({ description: 'The record that a withdrawal turns off.' }),
  method: z.string().nullable(),
  purposes: PurposeChoices,
  language: z.string().nullable().meta({
    description: 'BCP 47 tag of the notice that a visitor was shown; null if the page did not send it.',
  }),
  shownHash: z.string().nullable().meta({
    description:
      'SHA-256, hex, of what a visitor was shown: the bytes of that version in that language. `unverified` if the browser could not compute it, null if the page did not send it.',
  }),
  region: z.string().nullable().meta({
    description: 'The region of a visitor as the page applied it: ISO 3166-1 or ISO 3166-2; null for unknown.',
  }),
  basis: z.record(z.string(), Basis).nullable().meta({
    description:
      'The basis of each purpose of the version in that region, for a visitor: purpose key to basis. Where the region is unknown, consent was needed.',
  }),
  otherPurposes: PurposeStates.meta({
    description:
      'The purposes that this record does not name and that earlier records of the subject decided, on this notice and in this space: purpose key to what still holds. With `purposes` it is the state after this record.',
  }),
  source: RecordSource,
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
  salt: z.string().nullable().meta({
    description:
      'What is hashed has commitments to `subjectId`, `ipHash` and `uaHash` in their place: SHA-256, hex, over this salt, the name of the field, a zero byte and the value. Null once erased.',
  }),
  erasedAt: UtcTime.nullable().meta({
    description: 'When the values that identify a person were erased; null if they were not.',
  }),
});
export type ConsentRecord = z.output<typeof ConsentRecord>;
export const ConsentRecordPage = filteredPageOf(ConsentRecord);

const recordEventFields = ConsentRecord.pick({
  noticeId: true,
  noticeVersion: true,
  subjectId: true,
  kind: true,
  withdrawsRecordId: true,
  method: true,
  purposes: true,
  language: true,
  shownHash: true,
  region: true,
  basis: true,
  source: true,
  space: true,
  capturedAt: true,
  recordedAt: true,
  sequence: true,
  ledgerHash: true,
}).shape;
const RecordEventData = namedObject('ConsentRecordEventData', { recordId: Id, ...recordEventFields });

/** The data of the webhook events about records. */
export const consentRecordEvents = { 'consent.recorded': RecordEventData, 'consent.withdrawn': RecordEventData };

/**
 * The response to a visitor: enough to find the record again and to prove it. Anyone may send a subject id, so the
 * response must not depend on earlier decisions of the subject.
 */
export const PublicRecord = ConsentRecord.pick({
  id: true,
  noticeId: true,
  noticeVersion: true,
  subjectId: true,
  method: true,
  purposes: true,
  language: true,
  shownHash: true,
  region: true,
  basis: true,
  capturedAt: true,
  recordedAt: true,
  noticeContentHash: true,
  ledgerHash: true,
  prevLedgerHash: true,
  salt: true,
})
  .extend({ ledgerHash, subjectId: z.string() })
  .meta({ id: 'PublicConsentRecord' });

type NullableKey = { [Key in keyof ConsentRecord]: null extends ConsentRecord[Key] ? Key : never }[keyof ConsentRecord];
type PlacedKey = 'recordedAt' | 'sequence' | 'ledgerHash' | 'prevLedgerHash' | 'salt' | 'erasedAt';

/** A record that has been decided on and waits for its place in the ledger. What may be null may be left out. */
export type RecordDraft = Omit<ConsentRecord, NullableKey | PlacedKey> &
  Partial<Pick<ConsentRecord, Exclude<NullableKey, PlacedKey>>> & {
    readonly tenantId: string;
    readonly subjectId: string;
  };

const {
  ledgerHash: _hash,
  prevLedgerHash: _previous,
  salt: _salt,
  erasedAt: _erased,
  ...hashedFields
} = ConsentRecord.shape;
/** In the order of the API, and in canonical order. Only these are stored and shown, whatever else a draft has. */
const recordFields = listFields(Object.keys(ConsentRecord.shape));
const entryKeys = [...Object.keys(hashedFields), 'tenantId'].sort();
const sharedFields = listFields(entryKeys.filter((key) => !(key in ownValues)));
const publicFields = listFields(Object.keys(PublicRecord.shape));
const eventFields = listFields(Object.keys(recordEventFields));

/** Fields to select. A copy of an object that has them all already is filled faster than an empty one. */
function listFields(keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(keys.map((key) => [key, null]));
}

/** The values of these fields; null for those that a draft left out. */
function select(fields: Readonly<Record<string, unknown>>, values: object): object {
  const selected: Record<string, unknown> = { ...fields };
  for (const key in fields) selected[key] = (values as typeof fields)[key] ?? null;
  return selected;
}

/** The part of a record that a visitor gets. */
export function presentPublicRecord(record: ConsentRecord): z.output<typeof PublicRecord> {
  return select(publicFields, record) as z.output<typeof PublicRecord>;
}

/** The decision and its place in the ledger, and nothing about the device. */
export function presentEventData(record: ConsentRecord): z.output<typeof RecordEventData> {
  return { recordId: record.id, ...select(eventFields, record) } as z.output<typeof RecordEventData>;
}

/**
 * The template of an entry, which is the canonical text of the record without its hashes, with commitments to the values that
 * identify a person, and the tenant. The keys are in canonical order here, so that serialising is enough; a test compares
 * with the general form.
 */
export function toTemplate(draft: RecordDraft): TemplateDraft {
  const name = `${draft.tenantId}${JSON.stringify(select(sharedFields, draft))}`;
  let template = templates.get(name);
  if (template === undefined) {
    const purposes = sortPurposes(draft.purposes, (granted) => granted);
    const basis = draft.basis && sortPurposes(draft.basis, (one) => one);
    template = draftTemplate(draft.tenantId, writeTemplate(entryKeys, { ...draft, purposes, basis }));
    if (templates.size >= mostTemplates) templates.clear();
    templates.set(name, template);
  }
  return template;
}

/** Templates by the values that they have: few are in use at a time. */
const templates = new Map<string, TemplateDraft>();
const mostTemplates = 500;

/**
 * Seals a draft at its place in the ledger: its entry, and the columns that the entry is made of or has commitments to.
 * @param number that of its template, once it is stored.
 */
export function toRow(draft: RecordDraft, salt: string, template: TemplateDraft, number: number, position: Position) {
  const { id, tenantId, noticeId, space, subjectId, ipHash = null, uaHash = null, otherPurposes } = draft;
  const { at, sequence } = position;
  const others = sortPurposes(otherPurposes, ({ granted, recordId }) => ({ granted, recordId }));
  const row = {
    tenant_id: tenantId,
    sequence,
    id,
    notice_id: noticeId,
    space,
    template: number,
    captured_at: draft.capturedAt,
    recorded_at: at,
    withdraws_record_id: draft.withdrawsRecordId ?? null,
    other_purposes: Object.keys(others).length === 0 ? null : JSON.stringify(others),
    subject_commitment: commit(salt, 'subjectId', subjectId),
    ip_commitment: ipHash && commit(salt, 'ipHash', ipHash),
    ua_commitment: uaHash && commit(salt, 'uaHash', uaHash),
    subject_id: subjectId,
    ip_hash: ipHash,
    ua_hash: uaHash,
    salt,
  };
  return { entry: fillTemplate(template.parts, row), row };
}

/** A copy in canonical order. The key of a purpose begins with a letter, so it is never `__proto__`. */
function sortPurposes<Value>(values: Readonly<Record<string, Value>>, copy: (value: Value) => Value) {
  const sorted: Record<string, Value> = {};
  for (const key of Object.keys(values).sort()) sorted[key] = copy(values[key] as Value);
  return sorted;
}

/** The columns of a ledger row that the API shows. */
export const recordColumns = [
  'sequence',
  'id',
  'notice_id',
  'space',
  'captured_at',
  'recorded_at',
  'withdraws_record_id',
  'other_purposes',
  'subject_id',
  'ip_hash',
  'ua_hash',
  'salt',
  'hash',
  'erased_at',
] as const;

/** The stored columns of a record, with the text of its template and the hash of the record before it. */
export type StoredRecord = Pick<Selectable<Tables['consent_records']>, (typeof recordColumns)[number]> & {
  readonly template_text: string;
  readonly prev_hash: string | null;
};

/** Reads a record from its stored columns. */
export function readRecord(row: StoredRecord): ConsentRecord {
  return {
    ...readShared(row.template_text),
    id: row.id,
    noticeId: row.notice_id,
    space: row.space,
    capturedAt: row.captured_at,
    recordedAt: row.recorded_at,
    withdrawsRecordId: row.withdraws_record_id,
    otherPurposes: row.other_purposes === null ? {} : JSON.parse(row.other_purposes),
    subjectId: row.subject_id,
    ipHash: row.ip_hash,
    uaHash: row.ua_hash,
    sequence: row.sequence,
    ...presentHashes(row.hash, row.prev_hash),
    salt: row.salt,
    erasedAt: row.erased_at,
  } as ConsentRecord;
}

/** The fields that all records of a stored template have. They share the values, which therefore cannot be changed. */
function readShared(templateText: string): Readonly<Record<string, unknown>> {
  let shared = sharedByTemplate.get(templateText);
  if (shared === undefined) {
    const { tenantId: _, ...rest } = readTemplate(templateText);
    for (const value of Object.values(rest)) Object.freeze(value);
    shared = rest;
    sharedByTemplate.set(templateText, shared, templateText.length);
  }
  return shared;
}

const sharedByTemplate = new ByteCache<Readonly<Record<string, unknown>>>(4 * 1024 * 1024);

/** A draft with its place in the ledger. */
export function toRecord(draft: RecordDraft, salt: string, link: Link): ConsentRecord {
  const { at: recordedAt, sequence, hash, prevHash } = link;
  const placed = { ...draft, recordedAt, sequence, ...presentHashes(hash, prevHash), salt };
  return select(recordFields, placed) as ConsentRecord;
}

function presentHashes(hash: string, previous: string | null) {
  return { ledgerHash: `sha256:${hash}`, prevLedgerHash: previous && `sha256:${previous}` };
}

/**
 * Checks choices against the purposes of a notice: none unknown, no required one refused.
 * @param complete requires a choice for every purpose.
 * @param pathOf the path of the choice about a purpose in the request.
 * @throws {Problem} `validation_failed` naming each wrong one.
 */
export function checkChoices(
  purposes: readonly Purpose[],
  choices: PurposeChoices,
  complete: boolean,
  pathOf: (purpose: string) => string = (purpose) => `body.purposes.${purpose}`,
): void {
  const details: ProblemDetail[] = [];
  let known = 0;
  for (const { key, required } of purposes) {
    const choice = Object.hasOwn(choices, key) ? choices[key] : undefined;
    if (choice !== undefined) known += 1;
    else if (complete) details.push({ path: pathOf(key), issue: 'is missing: name every purpose of the notice' });
    if (required && choice === false) {
      details.push({ path: pathOf(key), issue: 'is required and cannot be refused' });
    }
  }
  const named = Object.keys(choices);
  if (named.length > known) {
    const unknown = named.filter((key) => !purposes.some((purpose) => purpose.key === key));
    details.push(...unknown.map((key) => ({ path: pathOf(key), issue: 'is not a purpose of the notice' })));
  }
  if (named.length === 0 && !complete) details.push({ path: 'body.purposes', issue: 'must name at least one purpose' });
  if (details.length > 0) throw invalidValues(details);
}

/** The content of an earlier record of a subject on the notice; records and drafts both have it. */
export type EarlierRecord = Pick<RecordDraft, 'id' | 'purposes' | 'otherPurposes' | 'capturedAt' | 'method' | 'source'>;

/** The state of a subject on a notice in one space after its latest record there: purpose key to state. */
export function stateAfter(latest: EarlierRecord | undefined): PurposeStates {
  if (latest === undefined) return {};
  const state: Record<string, PurposeStates[string]> = { ...latest.otherPurposes };
  for (const [key, granted] of Object.entries(latest.purposes)) state[key] = { granted, recordId: latest.id };
  return state;
}

/** The part of a state that choices leave as it is. */
export function keepOthers(state: PurposeStates, choices: PurposeChoices): PurposeStates {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !Object.hasOwn(choices, key)));
}

/** The records that choices turn off: each grants, in this state, something that is refused now. */
export function findGranting(state: PurposeStates, choices: PurposeChoices): ReadonlySet<string> {
  const refused = Object.entries(state).filter(([key, { granted }]) => granted && choices[key] === false);
  return new Set(refused.map(([, { recordId }]) => recordId));
}

/**
 * The earlier record that a visitor's request repeats: the same choices, made at the same moment.
 * @param history records of the subject on the notice, in any order.
 */
export function findRepeated<Earlier extends EarlierRecord>(
  history: readonly Earlier[],
  { capturedAt, method, purposes }: CaptureBody,
): Earlier | undefined {
  return history.find(
    (record) =>
      record.source === 'public' &&
      record.capturedAt === capturedAt &&
      (record.method ?? undefined) === method &&
      sameChoices(record.purposes, purposes),
  );
}

/** True if both name the same purposes with the same choices. */
export function sameChoices(one: PurposeChoices, other: PurposeChoices): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
