import { type CompiledQuery, type Insertable, type RawBuilder, sql } from 'kysely';
import {
  appendEntries,
  type EntryDraft,
  type Link,
  lockHeads,
  newSalt,
  type Position,
  readHead,
  selectPrevious,
  type TemplateDraft,
} from '../ledger/entry.ts';
import type { Transaction } from '../storage/database.ts';
import { locksRows, type Queries } from '../storage/queries.ts';
import {
  compileFind,
  compileGiven,
  compileInserts,
  cutPage,
  inBatches,
  isDistributed,
  mapPage,
  type Page,
  prepareQuery,
  runTogether,
  scanPage,
  takeNewest,
} from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import {
  type ConsentRecord,
  type RecordDraft,
  readRecord,
  recordColumns,
  type Space,
  type StoredRecord,
  spaces,
  toRecord,
  toRow,
  toTemplate,
} from './record.ts';
import { noteSpellings } from './spelling-store.ts';
import { countDecisions } from './statistics-store.ts';

/** Appends records to the ledgers of their tenants, in order, and keeps the counters of their notices. */
export async function appendRecords(
  tx: Transaction,
  drafts: readonly RecordDraft[],
): Promise<readonly ConsentRecord[]> {
  const templates = drafts.map(toTemplate);
  const [stored, heads] = await Promise.all([findTemplates(tx.queries, templates), lockHeads(tx, 'consent', drafts)]);
  const newTemplates: Insertable<Tables['record_templates']>[] = [];
  const entries: EntryDraft<'consent'>[] = [];
  const salts: string[] = [];
  for (const [index, draft] of drafts.entries()) {
    const { tenantId } = draft;
    const template = templates[index] as TemplateDraft;
    const salt = newSalt();
    const seal = (position: Position) => {
      const { hash, text } = template;
      const numbers = stored.get(tenantId) as Map<string, number>;
      let number = numbers.get(hash);
      if (number === undefined) {
        // A template that is not stored yet gets the number of its first record.
        number = position.sequence;
        numbers.set(hash, number);
        newTemplates.push({ tenant_id: tenantId, number, hash, parts: text });
      }
      return toRow(draft, salt, template, number, position);
    };
    entries.push({ tenantId, seal });
    salts.push(salt);
  }
  const links = await appendEntries(tx, 'consent', entries, heads);
  const records: ConsentRecord[] = [];
  const counted: (ConsentRecord & { readonly tenantId: string })[] = [];
  for (const [index, draft] of drafts.entries()) {
    const record = toRecord(draft, salts[index] as string, links[index] as Link);
    records.push(record);
    counted.push({ ...record, tenantId: draft.tenantId });
  }
  await tx.send([
    ...compileInserts(tx.queries, 'record_templates', newTemplates),
    ...noteSpellings(tx.queries, drafts),
    ...countRecords(tx.queries, drafts),
    ...countDecisions(tx.queries, counted),
  ]);
  return records;
}

/** Finds the numbers of the templates that are stored, by tenant and hash. */
async function findTemplates(
  queries: Queries,
  templates: readonly TemplateDraft[],
): Promise<Map<string, Map<string, number>>> {
  const hashes = new Map<string, Set<string>>();
  for (const { tenantId, hash } of templates) {
    const ofTenant = hashes.get(tenantId);
    if (ofTenant === undefined) hashes.set(tenantId, new Set([hash]));
    else ofTenant.add(hash);
  }
  const found = new Map<string, Map<string, number>>();
  const statements: ReturnType<typeof selectTemplates>[number][] = [];
  for (const [tenantId, ofTenant] of hashes) {
    found.set(tenantId, new Map());
    statements.push(...selectTemplates(queries, tenantId, [...ofTenant]));
  }
  for (const { tenant_id, number, hash } of (await runTogether(queries, statements)).flat())
    found.get(tenant_id)?.set(hash, number);
  return found;
}

const selectTemplates = (queries: Queries, tenantId: string, hashes: readonly string[]) =>
  compileFind(queries, 'record_templates', tenantId, 'hash', hashes, ['tenant_id', 'number', 'hash']);

/** The statements that add to the counters of the records' notices. */
function countRecords(queries: Queries, drafts: readonly RecordDraft[]): readonly CompiledQuery[] {
  const counts = new Map<string, { readonly tenant_id: string; readonly notice_id: string; added: number }>();
  for (const { tenantId, noticeId } of drafts) {
    const name = `${tenantId} ${noticeId}`;
    const count = counts.get(name);
    if (count === undefined) counts.set(name, { tenant_id: tenantId, notice_id: noticeId, added: 1 });
    else count.added += 1;
  }
  return compileGiven(queries, 'count records', countedColumns, [...counts.values()], addCounts);
}

const countedColumns = { tenant_id: 'text', notice_id: 'text', added: 'bigint' } as const;
const addCounts = () => sql`
  update consent_notices set record_count = record_count + given.added
  from given where consent_notices.tenant_id = given.tenant_id and consent_notices.id = given.notice_id`;

function prepareRecords<Given extends object>(build: Parameters<typeof prepareQuery<Given, StoredRecord>>[0]) {
  const select = prepareQuery(build);
  return async (queries: Queries, values: Given): Promise<readonly ConsentRecord[]> =>
    (await select(queries, values)).map(readRecord);
}

/** One record of a notice. */
export async function findRecord(queries: Queries, tenantId: string, noticeId: string, id: string) {
  const [record] = await selectRecord(queries, { tenantId, noticeId, id });
  return record;
}

const selectRecord = prepareRecords<{ tenantId: string; noticeId: string; id: string }>((queries, parameter) =>
  records(queries, parameter('tenantId'))
    .where('notice_id', '=', parameter('noticeId'))
    .where('id', '=', parameter('id')),
);

/** One record of a tenant, whichever its notice: looked up in each, because an index by id would slow down every capture. */
export async function findRecordById(queries: Queries, tenantId: string, id: string) {
  const found = await queries
    .selectFrom('consent_notices')
    .innerJoin('consent_records', 'consent_records.notice_id', 'consent_notices.id')
    .select(storedColumns)
    .select(selectRest())
    .where('consent_notices.tenant_id', '=', tenantId)
    .where('consent_records.tenant_id', '=', tenantId)
    .where('consent_records.id', '=', id)
    .executeTakeFirst();
  return found && readRecord(found);
}

function records(queries: Queries, tenantId: string) {
  const rows = queries.selectFrom('consent_records').where('tenant_id', '=', tenantId);
  return rows.select(storedColumns).select(selectRest());
}

const storedColumns = recordColumns.map((column) => `consent_records.${column}` as const);

/**
 * The text of the template, and the hash of the record before.
 * @param row the name of the table of records there.
 * @param tenant that of the record.
 */
function selectRest(row = 'consent_records', tenant: RawBuilder<string> = sql.ref(`${row}.tenant_id`)) {
  const template = sql<string>`(
    select template.parts from record_templates as template
    where template.tenant_id = ${tenant} and template.number = ${sql.ref(`${row}.template`)})`;
  return [template.as('template_text'), selectPrevious('consent', row, tenant)] as const;
}

/** The records of a notice with these ids, in any order. */
export function listRecordsOf(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  ids: readonly string[],
): Promise<readonly ConsentRecord[]> {
  return inBatches(ids, async (batch) => {
    const found = records(queries, tenantId).where('notice_id', '=', noticeId).where('id', 'in', batch);
    return (await found.execute()).map(readRecord);
  });
}

/** The newest of some records of a notice. Ids of servers with different clocks are not in order; sequences are. */
export async function findNewest(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  ids: readonly string[],
): Promise<string | null> {
  const newest = await queries
    .selectFrom('consent_records')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('notice_id', '=', noticeId)
    .where('id', 'in', ids)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.id ?? null;
}

/** A filter of the records of a notice; `from` includes its time, `to` does not. */
export interface RecordFilter {
  readonly subjectId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly kind?: string | undefined;
  readonly source?: string | undefined;
  readonly version?: number | undefined;
}

/**
 * A page of the records of a notice, newest first; `before` is the sequence of the last record already seen. An index leads
 * to those of the notice or of the subject, and times are sequences; the rest is a filter of at most `mostScanned` records a
 * page, because each further index would slow down every capture.
 */
export async function listRecords(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  filter: RecordFilter,
  before: number | null,
  limit: number,
): Promise<Page<ConsentRecord, number>> {
  const { subjectId, from, to, kind, source, version } = filter;
  const ofNotice = records(queries, tenantId).where('notice_id', '=', noticeId);
  if (Object.values(filter).every((value) => value === undefined))
    return mapPage(await takeNewest(ofNotice, before, limit, 'sequence'), readRecord);
  const first = from === undefined ? 1 : await findSequence(queries, tenantId, from);
  const end = to === undefined ? null : await findSequence(queries, tenantId, to);
  const newest = ofNotice.orderBy('sequence', 'desc').where('sequence', '>=', first);
  const read = async (after: number | null, count: number) => {
    const last = Math.min(after ?? Number.MAX_SAFE_INTEGER, end ?? Number.MAX_SAFE_INTEGER);
    const page = newest.where('sequence', '<', last).limit(sql.lit(count));
    if (subjectId === undefined) return (await page.execute()).map(readRecord);
    // Each space has its newest ones through the index.
    const ofSubject = page.where('subject_id', '=', subjectId);
    const found = await Promise.all(spaces.map((space) => ofSubject.where('space', '=', space).execute()));
    const rows = found.flat().sort((one, other) => other.sequence - one.sequence);
    return rows.slice(0, count).map(readRecord);
  };
  const keeps = (record: ConsentRecord) =>
    (from === undefined || record.recordedAt >= from) &&
    (to === undefined || record.recordedAt < to) &&
    (kind === undefined || record.kind === kind) &&
    (source === undefined || record.source === source) &&
    (version === undefined || record.noticeVersion === version);
  return scanPage(read, ({ sequence }) => sequence, keeps, before, limit);
}

/** The sequence of the first record of a tenant at a time or later: times rise with it unless the clock was set back. */
async function findSequence(queries: Queries, tenantId: string, time: string): Promise<number> {
  const head = await readHead(queries, { tenantId, ledger: 'consent' });
  let first = 1;
  let end = (head?.sequence ?? 0) + 1;
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const [record] = await selectAt(queries, { tenantId, sequence: middle });
    if (record !== undefined && record.recordedAt < time) first = middle + 1;
    else end = middle;
  }
  return first;
}

const selectAt = prepareRecords<{ tenantId: string; sequence: number }>((queries, parameter) =>
  records(queries, parameter('tenantId')).where('sequence', '=', parameter('sequence')),
);

/** A subject on one notice, in one space: what counts together. */
export type SubjectPlace = Pick<RecordDraft, 'tenantId' | 'noticeId' | 'subjectId' | 'space'>;

/**
 * The latest records of a subject, and a page of its records over all notices, newest first. Each notice and space gives its
 * newest ones through the index: a page costs the same however long the history is.
 * @param most of each space that `latest` may have.
 * @param before the last sequence already seen; null for the first page.
 * @returns the page, and the latest record on each notice and in each space, the newest notice first.
 */
export async function readSubject(
  queries: Queries,
  tenantId: string,
  subjectId: string,
  most: number,
  before: number | null,
  limit: number,
): Promise<Page<ConsentRecord, number> & { readonly latest: readonly ConsentRecord[] }> {
  const { rows: places } = await latestSequences(tenantId, subjectId).execute(queries);
  if (places.length === 0) return { latest: [], rows: [], next: null };
  const latest = spaces.flatMap((space) => places.filter((place) => place.space === space).slice(0, most));
  let newest: number[] = [];
  for (let start = 0; start < places.length; start += placesBatch) {
    const parts = places.slice(start, start + placesBatch).map(
      ({ notice_id, space }) => sql`select * from (
        select sequence from consent_records
        where tenant_id = ${tenantId} and subject_id = ${subjectId} and notice_id = ${notice_id} and space = ${space}
          and sequence < ${before ?? Number.MAX_SAFE_INTEGER}
        order by sequence desc limit ${sql.lit(limit + 1)}) as part`,
    );
    const { rows } = await sql<{ sequence: number }>`${sql.join(parts, sql` union all `)}`.execute(queries);
    newest = [...newest, ...rows.map(({ sequence }) => sequence)].sort((one, other) => other - one).slice(0, limit + 1);
  }
  const page = cutPage(newest, limit, (sequence) => sequence);
  const sequences = [...latest.map(({ sequence }) => sequence), ...page.rows];
  const found = await records(queries, tenantId).where('sequence', 'in', sequences).execute();
  const bySequence = new Map(found.map(readRecord).map((record) => [record.sequence, record]));
  const read = (sequence: number) => bySequence.get(sequence) as ConsentRecord;
  return { latest: latest.map(({ sequence }) => read(sequence)), rows: page.rows.map(read), next: page.next };
}

const placesBatch = 50;

/** The newest record of each notice and space: one step into the index finds each, however many records are between. */
function latestSequences(tenantId: string, subjectId: string) {
  const ofSubject = sql`from consent_records where tenant_id = ${tenantId} and subject_id = ${subjectId}`;
  const newest = sql`order by notice_id desc, space desc, sequence desc limit 1`;
  return sql<{ sequence: number; notice_id: string; space: Space }>`
    with recursive latest (sequence, notice_id, space) as (
      select * from (select sequence, notice_id, space ${ofSubject} ${newest}) as first
      union all
      select record.sequence, record.notice_id, record.space
      from latest join consent_records record on record.tenant_id = ${tenantId} and record.sequence = coalesce(
        (select sequence ${ofSubject} and notice_id = latest.notice_id and space < latest.space ${newest}),
        (select sequence ${ofSubject} and notice_id < latest.notice_id ${newest})
      )
    ) select sequence, notice_id, space from latest`;
}

/** The newest records of a subject on a notice, in one space: at most so many. */
export const listNewestRecords = prepareRecords<SubjectPlace & { readonly limit: number }>((queries, parameter) =>
  inPlace(queries, parameter).orderBy('sequence', 'desc').limit(parameter('limit')),
);

/** The oldest records of a subject on a notice after a number, in one space: at most so many. */
export const listRecordsAfter = prepareRecords<SubjectPlace & { readonly after: number; readonly limit: number }>(
  (queries, parameter) =>
    inPlace(queries, parameter)
      .where('sequence', '>', parameter('after'))
      .orderBy('sequence')
      .limit(parameter('limit')),
);

/** The newest record of a subject on a notice before a number, in one space. */
export const findPreceding = prepareRecords<SubjectPlace & { readonly before: number }>((queries, parameter) =>
  inPlace(queries, parameter).where('sequence', '<', parameter('before')).orderBy('sequence', 'desc').limit(sql.lit(1)),
);

function inPlace(queries: Queries, parameter: <Name extends keyof SubjectPlace>(name: Name) => SubjectPlace[Name]) {
  return records(queries, parameter('tenantId'))
    .where('subject_id', '=', parameter('subjectId'))
    .where('notice_id', '=', parameter('noticeId'))
    .where('space', '=', parameter('space'));
}

/** The latest record of each subject on its notice and in its space. */
export async function findLatestRecords(
  queries: Queries,
  subjects: readonly { readonly place: SubjectPlace }[],
): Promise<readonly ConsentRecord[]> {
  const wanted = subjects.map(({ place: { tenantId, noticeId, subjectId, space } }) => ({
    tenant_id: tenantId,
    notice_id: noticeId,
    subject_id: subjectId,
    space,
  }));
  // All are of one tenant there, which `selectLatest` names in each of its three tables.
  const tenants = isDistributed(queries) ? Array<unknown>(3).fill(wanted[0]?.tenant_id) : [];
  const statements = compileGiven(queries, 'latest records', placeColumns, wanted, selectLatest, tenants);
  return (await runTogether(queries, statements)).flat().map(readRecord);
}

const placeColumns = { tenant_id: 'text', notice_id: 'text', subject_id: 'text', space: 'text' } as const;

function selectLatest(queries: Queries): RawBuilder<StoredRecord> {
  const tenantOf = (table: string) => (isDistributed(queries) ? sql.val('') : sql.ref<string>(`${table}.tenant_id`));
  const columns = sql.join([
    ...recordColumns.map((column) => sql.ref(`record.${column}`)),
    ...selectRest('record', tenantOf('record')),
  ]);
  const isWanted = sql`tenant_id = ${tenantOf('given')} and subject_id = given.subject_id
    and notice_id = given.notice_id and space = given.space`;
  if (locksRows(queries))
    // With a join, PostgreSQL would read all records: it cannot know that each row finds one by its number.
    return sql`select ${columns} from given cross join lateral (
      select * from consent_records where ${isWanted} order by sequence desc limit 1
    ) as record`;
  return sql`select ${columns} from given join consent_records record on record.tenant_id = given.tenant_id
    and record.sequence = (select max(sequence) from consent_records where ${isWanted})`;
}
