import type { Installation } from '../../installation/installation.ts';
import { beginImport, completeImport, countImported } from '../../installation/transfer-store.ts';
import { recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { blamesRow, inTransaction, runTransaction, type Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import type { PrivateHasher } from '../../storage/secrets.ts';
import type { Spool, Spooled } from '../../storage/spool.ts';
import type { NoticeVersion } from '../notice.ts';
import { findNotice } from '../notice-store.ts';
import { type ConsentRecord, type RecordDraft, sameChoices } from '../record.ts';
import { appendRecords, findLatestRecords, listRecordsOf } from '../record-store.ts';
import { draftRecord } from '../recorder.ts';
import type { ImportedDecision } from './decision.ts';

/** Where decisions are imported to: a published version of a notice, whose status does not matter. */
export interface ImportTarget {
  readonly tenantId: string;
  readonly noticeId: string;
  readonly version: NoticeVersion;
}

/** A decision on its way: the key is the id of its record. */
type Waiting = Spooled<ImportedDecision>;

/**
 * The id of the record of an imported decision: a UUID of version 8 (RFC 9562) of a keyed hash of its id in the other tool,
 * which is so recognized if it is imported again, also after an erasure, and is itself stored nowhere.
 */
export function nameRecord(hasher: PrivateHasher, { tenantId, noticeId }: ImportTarget, id: string): string {
  const hex = hasher.hash(tenantId, `import ${noticeId} ${id}`) as string;
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0b11) | 0b1000).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

/** The decisions of the file, compared with the records of the notice. */
export interface Comparison {
  /** Not imported yet. */
  readonly fresh: readonly Waiting[];
  /** Imported before. */
  readonly present: readonly Waiting[];
  readonly faults: readonly { readonly of: Waiting; readonly issue: string }[];
}

/** Compares decisions with the records that there are: those of the same ids, and the newest of their subjects. */
export async function compareDecisions(
  queries: Queries,
  target: ImportTarget,
  waiting: readonly Waiting[],
): Promise<Comparison> {
  const { tenantId, noticeId, version } = target;
  // Before the look at the ids: what another process imports in between is found by its id then, not taken for outdated.
  const { outdated } = await compareTimes(queries, target, waiting);
  const found = await listRecordsOf(
    queries,
    tenantId,
    noticeId,
    waiting.map(({ key }) => key),
  );
  const records = new Map(found.map((record) => [record.id, record]));
  const present: Waiting[] = [];
  const faults = outdated.filter(({ of }) => !records.has(of.key));
  const late = new Set(faults.map(({ of }) => of));
  const fresh: Waiting[] = [];
  for (const one of waiting) {
    const record = records.get(one.key);
    if (record === undefined) {
      if (!late.has(one)) fresh.push(one);
    } else if (isSame(record, one.item, version)) present.push(one);
    else faults.push({ of: one, issue: 'id: was imported before with another decision' });
  }
  return { fresh, present, faults };
}

/** The newest record of each subject, and the decisions that are older than it. */
async function compareTimes(queries: Queries, { tenantId, noticeId }: ImportTarget, waiting: readonly Waiting[]) {
  const subjects = [...new Set(waiting.map(({ item }) => item.subjectId))];
  const places = subjects.map((subjectId) => ({ place: { tenantId, noticeId, subjectId, space: 'api' as const } }));
  const newest = await findLatestRecords(queries, places);
  const latest = new Map(newest.map((record) => [record.subjectId as string, record]));
  const outdated: { of: Waiting; issue: string }[] = [];
  for (const one of waiting) {
    const { capturedAt, subjectId } = one.item;
    const newer = latest.get(subjectId)?.capturedAt ?? '';
    // The state of a subject follows the order of its records.
    if (newer > capturedAt)
      outdated.push({ of: one, issue: `capturedAt: the subject has a newer record, of ${newer}` });
  }
  return { latest, outdated };
}

/** True if a record is that of a decision. An erased record has no subject id to compare. */
function isSame(record: ConsentRecord, decision: ImportedDecision, { version }: NoticeVersion): boolean {
  if (record.noticeVersion !== version || record.capturedAt !== decision.capturedAt) return false;
  if (record.subjectId !== null && record.subjectId !== decision.subjectId) return false;
  return sameChoices(record.purposes, decision.purposes);
}

interface Counts {
  readonly records: number;
  readonly withdrawals: number;
}

/** A decision cannot be imported any more, because others were recorded since it was checked. */
class ImportConflict extends Error {
  override readonly name = 'ImportConflict';

  constructor({ of, issue }: Comparison['faults'][number]) {
    super(`Line ${of.line}: ${issue}.`);
  }
}

/**
 * Appends the records of decisions, oldest first, with one audit event for all of them. No webhook event: the decisions
 * are old, and receivers would take them for new ones.
 * @param waiting none of them recorded: an index refuses an id that is there.
 * @param file the SHA-256 of the file, hex. @param remaining the decisions of the file that follow.
 * @throws {ImportConflict} and nothing is written.
 */
async function importDecisions(
  tx: Transaction,
  hasher: PrivateHasher,
  target: ImportTarget,
  waiting: readonly Waiting[],
  { file, remaining }: { readonly file: string; readonly remaining: number },
): Promise<Counts> {
  const { tenantId, noticeId, version } = target;
  const { queries } = tx;
  // Locks the notice, so that no capture of the same subjects comes between the look and the write.
  await findNotice(queries, tenantId, noticeId);
  const { latest, outdated } = await compareTimes(queries, target, waiting);
  const [fault] = outdated;
  if (fault !== undefined) throw new ImportConflict(fault);
  const histories = new Map<string, readonly (ConsentRecord | RecordDraft)[]>();
  const drafts: RecordDraft[] = [];
  for (const { key: id, item } of waiting) {
    const { id: _, subjectId, ip = null, ua = null, subjectChannel = null, method = null, ...said } = item;
    const newest = latest.get(subjectId);
    const history = histories.get(subjectId) ?? (newest === undefined ? [] : [newest]);
    const place = { tenantId, noticeId, subjectId, space: 'api' } as const;
    const draft = await draftRecord(queries, place, version, history, {
      ...said,
      id,
      subjectChannel,
      method,
      source: 'import',
      ipHash: hasher.hash(tenantId, ip),
      uaHash: hasher.hash(tenantId, ua),
    });
    histories.set(subjectId, [draft, ...history]);
    drafts.push(draft);
  }
  const records = await appendRecords(tx, drafts);
  const [first, last] = [records[0], records.at(-1)] as [ConsentRecord, ConsentRecord];
  const withdrawals = records.filter(({ kind }) => kind === 'withdrawal').length;
  await recordEvent(tx, systemSource(tenantId), {
    module: 'consent',
    action: 'consent.imported',
    targetId: noticeId,
    targetRef: null,
    diff: {
      file,
      noticeVersion: version.version,
      records: records.length,
      withdrawals,
      remaining,
      firstSequence: first.sequence,
      lastSequence: last.sequence,
      ledgerHash: last.ledgerHash,
    },
  });
  return { records: records.length, withdrawals };
}

/** Decisions of one transaction, which holds its locks for some tenths of a second. */
export const importBatch = 500;

/** Between two transactions: as long as a server waits between two attempts to get the lock of SQLite. */
const pause = 50;

/**
 * Imports what is in the spool, oldest first, one transaction for each batch.
 * @param file the SHA-256 of the file, hex. @param showDone is called with how many were written.
 * @returns the counts, and why it stopped before the end; null if it did not.
 */
export async function importAll(
  { database, hasher, clock }: Installation,
  target: ImportTarget,
  spool: Spool<ImportedDecision>,
  file: string,
  showDone: (done: number) => void,
): Promise<{ readonly imported: Counts; readonly conflict: string | null }> {
  const imported = { records: 0, withdrawals: 0 };
  const total = spool.size;
  let done = 0;
  const { tenantId: tenant_id, noticeId: notice_id } = target;
  const transfer = await inTransaction(database, (queries) =>
    beginImport(queries, { count: total, at: clock(), source: file, tenant_id, notice_id }),
  );
  const append = (batch: readonly Waiting[]) =>
    runTransaction(database, clock(), async (tx) => {
      const counts = await importDecisions(tx, hasher, target, batch, { file, remaining: total - done });
      await countImported(tx.queries, transfer as string, counts.records);
      return counts;
    });
  /** Appends those of a batch that no other process imports meanwhile. */
  const appendRest = async (batch: readonly Waiting[], error: unknown): Promise<Counts> => {
    if (!blamesRow(error) && !(error instanceof ImportConflict)) throw error;
    const { fresh, faults } = await compareDecisions(database.kysely, target, batch);
    if (faults[0] !== undefined) throw new ImportConflict(faults[0]);
    if (fresh.length === batch.length) throw error;
    return fresh.length === 0
      ? { records: 0, withdrawals: 0 }
      : append(fresh).catch((next: unknown) => appendRest(fresh, next));
  };
  for (const batch of spool.readBatches(importBatch)) {
    // PostgreSQL hands its locks to those that wait.
    if (done > 0 && database.dialect === 'sqlite') await new Promise((resolve) => setTimeout(resolve, pause));
    done += batch.length;
    try {
      const { records, withdrawals } = await append(batch).catch((error: unknown) => appendRest(batch, error));
      imported.records += records;
      imported.withdrawals += withdrawals;
    } catch (error) {
      if (!(error instanceof ImportConflict)) throw error;
      return { imported, conflict: error.message };
    }
    showDone(done);
  }
  if (transfer !== null) await inTransaction(database, (queries) => completeImport(queries, transfer));
  return { imported, conflict: null };
}
