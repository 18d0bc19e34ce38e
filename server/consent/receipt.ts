import { z } from 'zod';
import { AnyJson, namedObject, UtcTime } from '../http/schemas.ts';
import { findCheckpoint } from '../ledger/checkpoint-store.ts';
import type { Queries } from '../storage/queries.ts';
import type { NoticeVersion, Purpose } from './notice.ts';
import { type DataCategory, dataTerms, type Recipient, rightArticles } from './notice-facts.ts';
import { findVersions } from './notice-store.ts';
import { listMissingFacts } from './receipt-facts.ts';
import { CaptureMethod, type ConsentRecord, type PurposeStates, stateAfter, unverified } from './record.ts';
import { findPreceding, findRecord, listNewestRecords, listRecordsOf } from './record-store.ts';

const Node = z.record(z.string(), AnyJson);
type Node = z.output<typeof Node>;

/**
 * A consent receipt after the profile of ISO/IEC TS 27560:2023 that the W3C community group for the Data Privacy Vocabulary
 * publishes (https://w3id.org/dpv/guides/consent-27560, report of 15 February 2026; terms of DPV 2.3).
 */
export const ConsentReceipt = namedObject('ConsentReceipt', {
  '@context': Node,
  '@id': z.string(),
  '@type': z.literal('dpv:ConsentReceipt'),
  'dct:conformsTo': z.string().optional().meta({ description: 'The profile; absent if `missing` names anything.' }),
  'dct:identifier': z.string(),
  'dpv:hasIdentifier': z.string(),
  'dct:created': UtcTime,
  'dct:publisher': z.string().meta({ description: 'The `@id` of the controller.' }),
  'dct:source': Node.meta({ description: 'The entry of the consent ledger, with its hash.' }),
  'dct:provenance': z
    .array(Node)
    .meta({ description: 'The latest signed checkpoint that covers the entry, and what the receipt leaves out.' }),
  'dpv:hasRecordOfActivity': z.array(Node).meta({ description: 'One consent record for each purpose.' }),
  missing: z.array(z.string()).meta({
    description:
      'The fields of the notice that the profile requires and that the version in question does not state, such as `purposes.analytics.recipients`. Not part of the profile: processors of JSON-LD skip it.',
  }),
});
export type ConsentReceipt = z.output<typeof ConsentReceipt>;

const profile = 'https://w3id.org/dpv/schema/dpv-27560';

/** Inline, so that no reader fetches anything. Texts of these properties are addresses or times, not words. */
const context: Node = {
  dct: 'http://purl.org/dc/terms/',
  dpv: 'https://w3id.org/dpv#',
  'eu-gdpr': 'https://w3id.org/dpv/legal/eu/gdpr#',
  loc: 'https://w3id.org/dpv/loc#',
  pd: 'https://w3id.org/dpv/pd#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  schema: 'https://schema.org/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  spdx: 'http://spdx.org/rdf/terms#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  ...typed('@id', [
    'dct:conformsTo',
    'dct:publisher',
    'dpv:hasDataController',
    'dpv:hasJurisdiction',
    'dpv:hasLegalBasis',
    'dpv:hasLocation',
    'dpv:hasRecipient',
    'dpv:isExercisedAt',
    'dpv:isIndicatedBy',
    'skos:broader',
    'spdx:algorithm',
  ]),
  ...typed('xsd:dateTime', ['dct:created', 'dct:date', 'dpv:isIndicatedAtTime']),
  ...typed('xsd:hexBinary', ['spdx:checksumValue']),
};

function typed(type: string, terms: readonly string[]): Node {
  return Object.fromEntries(terms.map((term) => [term, { '@type': type }]));
}

/** GDPR Article 9. */
const specialCategories: ReadonlySet<DataCategory> = new Set([
  'health',
  'biometric',
  'genetic',
  'ethnic_origin',
  'political_opinion',
  'religious_belief',
  'philosophical_belief',
  'trade_union_membership',
  'sexuality',
]);

const recipientTerms = { processor: 'dpv:DataProcessor', third_party: 'dpv:ThirdParty' } as const;

/** A record, and what held for the subject before it. */
interface Step {
  readonly record: ConsentRecord;
  readonly before: PurposeStates;
}

/** A record with what the subject decided before and after it. */
interface Events {
  readonly steps: readonly [Step, ...Step[]];
  /** The records that granted what held before the first step. */
  readonly granting: readonly ConsentRecord[];
  /** True if later decisions are left out. */
  readonly isCut: boolean;
}

/** The events, and what the notice states about them. */
interface History extends Events {
  /** For how long a consent counts, by the number of the version; undefined where it states none. */
  readonly durations: ReadonlyMap<number, string | undefined>;
}

/** The most later decisions in a receipt; a subject may have a million. The newest ones count. */
const mostLater = 200;

/** Makes the receipt of a record. @param version the version of its notice. */
export async function makeReceipt(
  queries: Queries,
  tenantId: string,
  record: ConsentRecord,
  version: NoticeVersion,
  now: string,
): Promise<ConsentReceipt> {
  const history = await readHistory(queries, tenantId, record);
  const durations = await readDurations(queries, tenantId, history, version);
  const checkpoint = await findCheckpoint(queries, { tenantId, ledger: 'consent' });
  const isCovered = checkpoint !== undefined && checkpoint.size >= record.sequence;
  return writeReceipt(record, version, { ...history, durations }, isCovered ? checkpoint.note : null, now);
}

/** The `consentDuration` of each version that an event is for. @param version is known already. */
async function readDurations(
  queries: Queries,
  tenantId: string,
  { steps, granting }: Events,
  { version, consentDuration }: NoticeVersion,
): Promise<History['durations']> {
  const numbers = [...steps.map(({ record }) => record), ...granting].map(({ noticeVersion }) => noticeVersion);
  const others = [...new Set(numbers)].filter((number) => number !== version);
  const found = await findVersions(queries, tenantId, steps[0].record.noticeId, others);
  return new Map([[version, consentDuration], ...found.map((one) => [one.version, one.consentDuration] as const)]);
}

async function readHistory(queries: Queries, tenantId: string, record: ConsentRecord): Promise<Events> {
  const { noticeId, subjectId, space, sequence, withdrawsRecordId } = record;
  if (subjectId === null) {
    // The other decisions of the subject cannot be found any more.
    const withdrawn =
      withdrawsRecordId === null ? undefined : await findRecord(queries, tenantId, noticeId, withdrawsRecordId);
    const granting = withdrawn === undefined ? [] : [withdrawn];
    return { steps: [{ record, before: stateAfter(withdrawn) }], granting, isCut: false };
  }
  const place = { tenantId, noticeId, subjectId, space };
  const [preceding] = await findPreceding(queries, { ...place, before: sequence });
  const before = stateAfter(preceding);
  const granted = Object.keys(record.purposes).flatMap((key) => (before[key]?.granted ? [before[key].recordId] : []));
  const granting = await listRecordsOf(queries, tenantId, noticeId, [...new Set(granted)]);
  const newest = await listNewestRecords(queries, { ...place, limit: mostLater + 1 });
  const later = newest.filter((one) => one.sequence > sequence).toReversed();
  const isCut = later.length > mostLater;
  const chain = isCut ? later : [record, ...later];
  const steps = chain.slice(1).map((one, index) => ({ record: one, before: stateAfter(chain[index]) }));
  return { steps: [{ record, before }, ...steps], granting, isCut };
}

function writeReceipt(
  record: ConsentRecord,
  version: NoticeVersion,
  history: History,
  note: string | null,
  now: string,
): ConsentReceipt {
  const id = `urn:uuid:${record.id}#receipt-${now}`;
  const missing: string[] = [];
  // A purpose that cannot be refused, or needed no consent in the region of the visitor, has another basis.
  const asked = version.purposes.filter(
    ({ key, required }) =>
      !required && Object.hasOwn(record.purposes, key) && (record.basis?.[key] ?? 'consent') === 'consent',
  );
  if (asked.length === 0) missing.push('purposes');
  const records = asked.map((purpose) => writeRecord(record, version, purpose, history, missing));
  return {
    '@context': context,
    '@id': id,
    '@type': 'dpv:ConsentReceipt',
    ...(missing.length === 0 ? { 'dct:conformsTo': `${profile}#receipt` } : {}),
    'dct:identifier': id,
    'dpv:hasIdentifier': id,
    'dct:created': now,
    'dct:publisher': nameController(record),
    'dct:source': {
      '@id': `urn:uuid:${record.id}`,
      'dct:identifier': record.id,
      'dct:created': record.recordedAt,
      'schema:position': record.sequence,
      'spdx:checksum': writeChecksum(record.ledgerHash.replace('sha256:', '')),
    },
    'dct:provenance': writeProvenance(note, record, history),
    'dpv:hasRecordOfActivity': records,
    missing: [...new Set(missing)],
  };
}

/** The consent record about one purpose. @param missing gets the fields that the notice does not state. */
function writeRecord(
  record: ConsentRecord,
  version: NoticeVersion,
  purpose: Purpose,
  history: History,
  missing: string[],
): Node {
  const id = `urn:uuid:${record.id}#purpose-${purpose.key}`;
  const subject = `urn:uuid:${record.id}#data-subject`;
  const absent = [...listMissingFacts(version, purpose)];
  const { controllerName, controllerContact = {}, links = {} } = version;
  const controller = writeEntity(nameController(record), 'dpv:DataController', controllerName, controllerContact);
  const recipients = purpose.recipients?.map((recipient, index) =>
    writeRecipient(`urn:uuid:${record.noticeId}#v${version.version}-${purpose.key}-${index}`, recipient),
  );
  const events = listEvents(history, purpose.key).map((event) =>
    writeEvent(event, subject, history.durations.get(event.record.noticeVersion), absent),
  );
  missing.push(...absent);
  return {
    '@id': id,
    '@type': 'dpv:ConsentRecord',
    ...(absent.length === 0 ? { 'dct:conformsTo': `${profile}#record` } : {}),
    'dct:identifier': id,
    'dpv:hasDataSubject': {
      '@id': subject,
      '@type': 'dpv:DataSubject',
      ...(record.subjectId === null ? {} : { 'dct:identifier': record.subjectId }),
    },
    'dpv:hasNotice': [
      {
        '@id': nameNotice(record),
        '@type': 'dpv:ConsentNotice',
        'dct:identifier': record.noticeId,
        'schema:version': String(version.version),
        'dct:title': version.name,
        'dct:language': record.language ?? version.language,
        'dct:date': version.publishedAt,
        'spdx:checksum': writeChecksum(version.contentHash),
        ...describeShown(record),
      },
      ...(links.privacyPolicy === undefined ? [] : [{ '@id': links.privacyPolicy, '@type': 'dpv:PrivacyNotice' }]),
    ],
    'dpv:hasProcess': writeProcess(record, version, purpose, recipients),
    'dpv:hasConsentStatus': events,
    'dpv:hasEntity': [controller, ...(recipients ?? [])],
  };
}

function writeProcess(
  record: ConsentRecord,
  { jurisdictions, rights, links = {}, translations = {} }: NoticeVersion,
  { key, dataCategories, storage, ...own }: Purpose,
  recipients: readonly Node[] | undefined,
): Node {
  /** A property, if the notice states it. */
  const state = (property: string, values: (string | Node)[] = []): Node =>
    values.length === 0 ? {} : { [property]: values };
  const controller = nameController(record);
  const { label, description } = translations[record.language ?? '']?.purposes[key] ?? own;
  // An empty list states that there are no other recipients.
  const receiving =
    recipients?.length === 0 ? [controller] : recipients?.map((recipient) => recipient['@id'] as string);
  return {
    '@type': 'dpv:Process',
    'dpv:hasPurpose': {
      '@type': 'dpv:Purpose',
      'dct:identifier': key,
      'dct:title': label,
      ...(description === '' ? {} : { 'dct:description': description }),
    },
    ...state('dpv:hasPersonalData', dataCategories?.map(writeData)),
    'dpv:hasDataController': controller,
    'dpv:hasLegalBasis': nameConsent(record),
    ...writeStorage(storage),
    ...state('dpv:hasRecipient', receiving),
    ...state(
      'dpv:hasConsentControl',
      links.withdrawal === undefined
        ? undefined
        : [{ '@type': 'dpv:WithdrawConsent', 'dpv:isExercisedAt': links.withdrawal }],
    ),
    ...state('dpv:hasJurisdiction', jurisdictions?.map(nameTerritory)),
    ...state(
      'dpv:hasRight',
      rights?.map((right) => ({
        '@type': ['dpv:DataSubjectRight', `eu-gdpr:${rightArticles[right]}`],
        ...(links.rights === undefined ? {} : { 'dpv:isExercisedAt': links.rights }),
      })),
    ),
  };
}

function writeData(category: DataCategory): Node {
  return {
    '@type': specialCategories.has(category) ? 'dpv:SpecialCategoryPersonalData' : 'dpv:PersonalData',
    'skos:broader': `pd:${dataTerms[category]}`,
  };
}

function writeStorage({ locations = [], period, criteria }: NonNullable<Purpose['storage']> = {}): Node {
  const conditions: Node[] = [];
  if (locations.length > 0)
    conditions.push({ '@type': 'dpv:StorageLocation', 'dpv:hasLocation': locations.map(nameTerritory) });
  if (period !== undefined) conditions.push({ '@type': 'dpv:StorageDuration', 'dpv:hasDuration': writePeriod(period) });
  if (criteria !== undefined) {
    const until = { '@type': 'dpv:UntilEventDuration', 'rdf:value': criteria };
    conditions.push({ '@type': 'dpv:StorageDuration', 'dpv:hasDuration': until });
  }
  return conditions.length === 0 ? {} : { 'dpv:hasStorageCondition': conditions };
}

function writePeriod(period: string): Node {
  return { '@type': 'dpv:TemporalDuration', 'rdf:value': { '@type': 'xsd:duration', '@value': period } };
}

/** A decision of a subject about a purpose. */
interface ConsentEvent {
  readonly record: ConsentRecord;
  readonly status: 'ConsentGiven' | 'RenewedConsentGiven' | 'ConsentRefused' | 'ConsentWithdrawn';
}

/** The events about a purpose, the oldest first: the consent that held before, the decision, and the later ones. */
function listEvents({ steps, granting }: History, key: string): readonly ConsentEvent[] {
  const held = steps[0].before[key];
  const grant = held?.granted ? granting.find(({ id }) => id === held.recordId) : undefined;
  const events = steps
    .filter(({ record }) => Object.hasOwn(record.purposes, key))
    .map(({ record, before }): ConsentEvent => {
      const isHeld = before[key]?.granted === true;
      if (record.purposes[key] === true) return { record, status: isHeld ? 'RenewedConsentGiven' : 'ConsentGiven' };
      return { record, status: isHeld ? 'ConsentWithdrawn' : 'ConsentRefused' };
    });
  return grant === undefined ? events : [{ record: grant, status: 'ConsentGiven' }, ...events];
}

function writeEvent(
  { record, status }: ConsentEvent,
  subject: string,
  duration: string | undefined,
  absent: string[],
): Node {
  const isGiven = status === 'ConsentGiven' || status === 'RenewedConsentGiven';
  // A refusal has no validity that runs out.
  if (isGiven && duration === undefined) absent.push('consentDuration');
  return {
    '@type': isGiven ? [`dpv:${status}`, nameConsent(record)] : `dpv:${status}`,
    'dpv:isIndicatedAtTime': record.capturedAt,
    'dpv:isIndicatedBy': subject,
    ...(record.method === null ? {} : { 'dpv:hasIndicationMethod': record.method }),
    ...(isGiven && duration !== undefined ? { 'dpv:hasDuration': writePeriod(duration) } : {}),
    'dpv:hasNotice': { '@id': nameNotice(record) },
    'dct:source': { '@id': `urn:uuid:${record.id}` },
  };
}

/** Each way of capture that has a name is an action of the subject; of others nothing is known. */
function nameConsent({ method }: ConsentRecord): string {
  return CaptureMethod.safeParse(method).success ? 'dpv:ExpressedConsent' : 'dpv:Consent';
}

function writeRecipient(id: string, recipient: Recipient): Node {
  const { name, role, country, ...contact } = recipient;
  return {
    ...writeEntity(id, recipientTerms[role], name, contact),
    ...(country === undefined ? {} : { 'dpv:hasLocation': nameTerritory(country) }),
  };
}

type Contact = NonNullable<NoticeVersion['controllerContact']>;

function writeEntity(id: string, type: string, name: string, { address, email }: Contact): Node {
  const points = [
    ...(email === undefined ? [] : [{ '@type': 'schema:ContactPoint', 'schema:email': email }]),
    ...(address === undefined ? [] : [{ '@type': 'schema:PostalAddress', 'schema:streetAddress': address }]),
  ];
  return {
    '@id': id,
    '@type': type,
    'dpv:hasIdentifier': id,
    'dpv:hasName': name,
    ...(points.length === 0 ? {} : { 'schema:contactPoint': points }),
  };
}

function nameController({ noticeId, noticeVersion }: ConsentRecord): string {
  return `urn:uuid:${noticeId}#v${noticeVersion}-controller`;
}

function nameNotice({ noticeId, noticeVersion }: ConsentRecord): string {
  return `urn:uuid:${noticeId}#v${noticeVersion}`;
}

function nameTerritory(code: string): string {
  return `loc:${code}`;
}

/** The bytes that the visitor was shown, if the record names them. */
function describeShown({ language, shownHash }: ConsentRecord): Node {
  if (shownHash === null || shownHash === unverified) return {};
  return { 'dct:hasFormat': { 'dct:language': language, 'spdx:checksum': writeChecksum(shownHash) } };
}

function writeChecksum(hash: string): Node {
  return {
    '@type': 'spdx:Checksum',
    'spdx:algorithm': 'spdx:checksumAlgorithm_sha256',
    'spdx:checksumValue': hash,
  };
}

/** The checkpoint that covers the entry, and what the receipt cannot say. */
function writeProvenance(note: string | null, { erasedAt }: ConsentRecord, { isCut }: History): Node[] {
  const statements: Node[] = [];
  if (note !== null)
    statements.push({
      'dct:description': 'Signed checkpoint of the ledger that holds the entry (C2SP tlog-checkpoint).',
      'rdf:value': note,
    });
  if (erasedAt !== null)
    statements.push({
      'dct:description': `The data subject was erased at ${erasedAt}: other decisions of theirs can no longer be found.`,
    });
  if (isCut) statements.push({ 'dct:description': `Of the later decisions only the latest ${mostLater} are named.` });
  return statements.map((statement) => ({ '@type': 'dct:ProvenanceStatement', ...statement }));
}
