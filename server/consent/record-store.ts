import { CompiledQuery, sql } from 'kysely';
import { appendEntries } from '../ledger/append.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import { rememberText } from '../storage/query-text.ts';
import { type ConsentRecord, placeRecord, type RecordDraft, readRecord, sealRecord } from './record.ts';

/** Appends records to the ledgers of their tenants, in order, and keeps the counters of their notices. */
export async function appendRecords(
  queries: Queries,
  now: string,
  drafts: readonly RecordDraft[],
): Promise<readonly ConsentRecord[]> {
  const links = await appendEntries(
    queries,
    'consent',
    now,
    drafts.map((draft) => ({
      tenantId: draft.tenantId,
      seal: ({ sequence, at }) => ({
        id: draft.id,
        notice_id: draft.noticeId,
        subject_id: draft.subjectId,
        entry: sealRecord(draft, at, sequence),
      }),
    })),
  );
  const counts = new Map<string, number>();
  for (const { noticeId } of drafts) counts.set(noticeId, (counts.get(noticeId) ?? 0) + 1);
  await countRecords(queries, [...counts]);
  return drafts.map((draft, index) => placeRecord(draft, links[index] as (typeof links)[number]));
}

const stored = ['entry', 'hash', 'prev_hash'] as const;

/** Adds to the counters of notices, all in one statement. */
async function countRecords(queries: Queries, counts: readonly (readonly [noticeId: string, count: number])[]) {
  const text = rememberText(queries, `count records ${counts.length}`, () => {
    const row = sql`(cast(${sql.val('')} as text), cast(${sql.val(0)} as bigint))`;
    return sql`
      with counted (notice_id, added) as (values ${sql.join(counts.map(() => row))})
      update consent_notices set record_count = record_count + counted.added
      from counted where consent_notices.id = counted.notice_id`;
  });
  await queries.executeQuery(CompiledQuery.raw(text, counts.flat()));
}

/** One record of a notice. */
export async function findRecord(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  id: string,
): Promise<ConsentRecord | undefined> {
  const [row] = await selectRecord(queries, { tenantId, noticeId, id });
  return row && readRecord(row);
}

const selectRecord = prepareQuery<{ tenantId: string; noticeId: string; id: string }, StoredRecord>(
  (queries, parameter) =>
    queries
      .selectFrom('consent_records')
      .select(stored)
      .where('tenant_id', '=', parameter('tenantId'))
      .where('notice_id', '=', parameter('noticeId'))
      .where('id', '=', parameter('id')),
);

/** A page of the records of a notice, newest first; `before` is the id of the last record already seen. */
export async function listRecords(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  before: string | null,
  limit: number,
): Promise<{ records: ConsentRecord[]; next: string | null }> {
  let query = queries
    .selectFrom('consent_records')
    .select(stored)
    .where('tenant_id', '=', tenantId)
    .where('notice_id', '=', noticeId)
    .orderBy('id', 'desc')
    .limit(sql.lit(limit + 1));
  if (before !== null) query = query.where('id', '<', before);
  const rows = await query.execute();
  const records = rows.slice(0, limit).map(readRecord);
  return { records, next: rows.length > limit ? (records.at(-1)?.id ?? null) : null };
}

/** A page of the records of a subject over all notices, newest first; `before` is the last sequence already seen. */
export async function listSubjectRecords(
  queries: Queries,
  tenantId: string,
  subjectId: string,
  before: number | null,
  limit: number,
): Promise<{ records: ConsentRecord[]; total: number; next: number | null }> {
  const ofSubject = queries
    .selectFrom('consent_records')
    .where('tenant_id', '=', tenantId)
    .where('subject_id', '=', subjectId);
  const { total } = await ofSubject.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  let query = ofSubject
    .select(stored)
    .orderBy('sequence', 'desc')
    .limit(sql.lit(limit + 1));
  if (before !== null) query = query.where('sequence', '<', before);
  const rows = await query.execute();
  const records = rows.slice(0, limit).map(readRecord);
  return { records, total: Number(total), next: rows.length > limit ? (records.at(-1)?.sequence ?? null) : null };
}

/** Which subject on which notice. */
export interface SubjectOnNotice {
  readonly tenantId: string;
  readonly noticeId: string;
  readonly subjectId: string;
}

/**
 * The records of a subject on one notice, newest first, read in pages until they tell enough.
 * @param tellsEnough asked after each page.
 */
export async function listHistory(
  queries: Queries,
  { tenantId, noticeId, subjectId }: SubjectOnNotice,
  tellsEnough: (history: readonly ConsentRecord[]) => boolean,
): Promise<readonly ConsentRecord[]> {
  const history: ConsentRecord[] = [];
  for (;;) {
    const rows = await queries
      .selectFrom('consent_records')
      .select(stored)
      .where('tenant_id', '=', tenantId)
      .where('subject_id', '=', subjectId)
      .where('notice_id', '=', noticeId)
      .where('sequence', '<', history.at(-1)?.sequence ?? Number.MAX_SAFE_INTEGER)
      .orderBy('sequence', 'desc')
      .limit(sql.lit(historyPage))
      .execute();
    history.push(...rows.map(readRecord));
    if (rows.length < historyPage || tellsEnough(history)) return history;
  }
}

const historyPage = 50;

/** The latest record of each subject on its notice, in one query per 64 of them. */
export async function findLatestRecords(
  queries: Queries,
  subjects: readonly SubjectOnNotice[],
): Promise<readonly ConsentRecord[]> {
  const records: ConsentRecord[] = [];
  for (let start = 0; start < subjects.length; start += latestBatch) {
    const wanted = subjects.slice(start, start + latestBatch);
    const last = wanted.at(-1) as SubjectOnNotice;
    // Few lengths make few texts, and each text is prepared once; the last subject fills the rest up, and its record comes again.
    const size = wanted.length === 1 ? 1 : Math.ceil(wanted.length / 8) * 8;
    const parameters = Array.from({ length: size }, (_, index) => wanted[index] ?? last).flatMap((subject) => [
      subject.tenantId,
      subject.noticeId,
      subject.subjectId,
    ]);
    const query = CompiledQuery.raw(latestText(queries, size), parameters);
    const { rows } = await queries.executeQuery<StoredRecord>(query as CompiledQuery<StoredRecord>);
    records.push(...rows.map(readRecord));
  }
  return records;
}

interface StoredRecord {
  readonly entry: string;
  readonly hash: string;
  readonly prev_hash: string | null;
}

const latestBatch = 64;

function latestText(queries: Queries, size: number): string {
  return rememberText(queries, `latest records ${size}`, () => {
    const row = sql`(${sql.val('')}, ${sql.val('')}, ${sql.val('')})`;
    return sql`
      with wanted (tenant_id, notice_id, subject_id) as (values ${sql.join(Array.from({ length: size }, () => row))})
      select record.entry, record.hash, record.prev_hash
      from wanted join consent_records record on record.tenant_id = wanted.tenant_id and record.sequence = (
        select max(sequence) from consent_records other
        where other.tenant_id = wanted.tenant_id and other.subject_id = wanted.subject_id and other.notice_id = wanted.notice_id
      )`;
  });
}
