import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as turnEventLoop } from 'node:timers/promises';
import { invalidValues, Problem } from '../http/problem.ts';
import { announceSize, readUpload } from '../http/request.ts';
import type { ReceivedUpload } from '../http/route.ts';
import { addTime, type Database, inTransaction, runTransaction, type Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow, insertRow, newId, updateRow } from '../storage/rows.ts';
import { largestFile, type ReceivedFile } from './evidence.ts';
import { readMediaType } from './file-name.ts';

/** Bytes of a chunk: each is written by itself, so that an upload holds the only writer of SQLite for a moment at a time. */
const chunkSize = 256 * 1024;

interface Upload {
  readonly tenantId: string;
  readonly now: string;
  /** Bytes that the files of the tenant may have in all. */
  readonly quota: number;
  /**
   * Checks the preconditions before the body is read, in the transaction that reserves the space.
   * @throws {Problem}
   */
  check(tx: Transaction): Promise<unknown>;
}

/**
 * Stores a file while it arrives. It belongs to nothing until `takeFile`.
 * @throws {Problem} `payload_too_large`, `evidence_quota_exceeded`, `validation_failed` for an empty file.
 */
export async function receiveFile(
  database: Database,
  request: IncomingMessage,
  upload: Upload,
): Promise<ReceivedUpload<ReceivedFile>> {
  const { tenantId } = upload;
  // The first step refuses what is known to be too large, before anything is written.
  const body = readUpload(request, largestFile);
  let next = await body.next();
  const id = await reserve(database, upload, Math.min(announceSize(request, largestFile), largestFile));
  const discard = () => inTransaction(database, (queries) => deleteUnfinished(queries, tenantId, id));
  try {
    const hash = createHash('sha256');
    let size = 0;
    let position = 0;
    let waiting: Buffer[] = [];
    let waitingSize = 0;
    const flush = async () => {
      const bytes = Buffer.concat(waiting, waitingSize);
      const chunk = { tenant_id: tenantId, file_id: id, position, bytes };
      await inTransaction(database, (queries) => queries.insertInto('control_evidence_chunks').values(chunk).execute());
      position += 1;
      waiting = [];
      waitingSize = 0;
    };
    for (; next.done !== true; next = await body.next()) {
      hash.update(next.value);
      size += next.value.length;
      waiting.push(next.value);
      waitingSize += next.value.length;
      if (waitingSize >= chunkSize) await flush();
    }
    if (size === 0) throw invalidValues([{ path: 'body', issue: 'must not be empty: send the bytes of the file' }]);
    if (waitingSize > 0) await flush();
    const value = { id, size, sha256: hash.digest('hex'), mediaType: readMediaType(request.headers['content-type']) };
    // A retry with the same Idempotency-Key is the same request if it has the same bytes.
    return { bytes: Buffer.from(`${value.sha256} ${value.mediaType}`), value, discard };
  } catch (error) {
    // If this fails, housekeeping deletes the file.
    await discard().catch(() => undefined);
    throw error;
  }
}

/** Reserves the space of an upload, so that concurrent ones cannot exceed the quota together. @returns the id of the file. */
function reserve(database: Database, { tenantId, now, quota, check }: Upload, size: number): Promise<string> {
  return runTransaction(database, now, async (tx) => {
    await tx.lockTenant(tenantId);
    await check(tx);
    const used = await sumSizes(tx.queries, tenantId);
    if (used + size > quota)
      throw new Problem(
        'evidence_quota_exceeded',
        `The evidence files of this tenant may have ${quota} bytes in all; ${used} are used.`,
        { fields: { quota, used } },
      );
    const row = { id: newId(), tenant_id: tenantId, size, created_at: now, finished_at: null };
    return (await insertRow(tx.queries, 'control_evidence_files', row)).id;
  });
}

/** The bytes that the files of a tenant have, including those that are arriving. */
export async function sumSizes(queries: Queries, tenantId: string): Promise<number> {
  const row = await queries
    .selectFrom('control_evidence_files')
    .select(({ fn }) => fn.sum<number | string | null>('size').as('sum'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return Number(row?.sum ?? 0);
}

/** Makes a file that has arrived a part of the tenant's evidence, in the transaction of the item. */
export async function takeFile({ queries, now }: Transaction, tenantId: string, { id, size }: ReceivedFile) {
  const match = { tenant_id: tenantId, id, finished_at: null };
  await updateRow(queries, 'control_evidence_files', match, { size, finished_at: now });
}

/** Deletes the bytes of a file. Its row stays, so that verification finds bytes that come back. */
export async function eraseFile(queries: Queries, tenantId: string, id: string): Promise<void> {
  await queries
    .deleteFrom('control_evidence_chunks')
    .where('tenant_id', '=', tenantId)
    .where('file_id', '=', id)
    .execute();
  await updateRow(queries, 'control_evidence_files', { tenant_id: tenantId, id }, { size: 0 });
}

/** The bytes of a file to send, a chunk at a time. @throws if it is erased meanwhile, so that the answer breaks off. */
export async function* sendFile(queries: Queries, tenantId: string, fileId: string, size: number) {
  let sent = 0;
  for await (const bytes of readFile(queries, tenantId, fileId)) {
    sent += bytes.length;
    yield bytes;
  }
  if (sent < size) throw new Error('An evidence file has fewer bytes than its item says.');
}

async function* readFile(queries: Queries, tenantId: string, fileId: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; position += 1) {
    const chunk = await queries
      .selectFrom('control_evidence_chunks')
      .select('bytes')
      .where('file_id', '=', fileId)
      .where('position', '=', position)
      .where('tenant_id', '=', tenantId)
      .executeTakeFirst();
    if (chunk === undefined) return;
    yield chunk.bytes;
    // SQLite runs synchronously: without a turn of the event loop, a fast reader would block all other requests.
    await turnEventLoop();
  }
}

/** How long a file may arrive: four times as long as the server waits for its body. */
const abandonedAfter = 60 * 60_000;

/**
 * Deletes a file that never became evidence, because its server stopped while it arrived.
 * @returns true if there was one, so that there may be another.
 */
export async function deleteAbandonedFile(queries: Queries, now: string): Promise<boolean> {
  const file = await queries
    .selectFrom('control_evidence_files')
    .select(['tenant_id', 'id'])
    .where('finished_at', 'is', null)
    .where('created_at', '<', addTime(now, -abandonedAfter))
    .limit(1)
    .executeTakeFirst();
  if (file === undefined) return false;
  await deleteUnfinished(queries, file.tenant_id, file.id);
  return true;
}

async function deleteUnfinished(queries: Queries, tenantId: string, id: string): Promise<void> {
  const match = { tenant_id: tenantId, id, finished_at: null };
  if ((await findRow(queries, 'control_evidence_files', match)) === undefined) return;
  const chunks = queries.deleteFrom('control_evidence_chunks').where('tenant_id', '=', tenantId);
  await chunks.where('file_id', '=', id).execute();
  const file = queries.deleteFrom('control_evidence_files').where('tenant_id', '=', tenantId);
  await file.where('id', '=', id).execute();
}

export interface FileReport {
  /** The number of files that were read. */
  readonly checked: number;
  /** The number of those that were erased. */
  readonly erased: number;
  readonly faults: readonly { readonly evidenceId: string; readonly name: string; readonly issue: string }[];
}

/**
 * Compares the bytes of every file of a tenant with the hash of its item, and finds those that are missing, or are there
 * although they were erased. The hash and the time of the erasure are parts of the row, which is compared with the audit log
 * like every other: only an event of an erasure explains a missing file.
 */
export async function verifyFiles(queries: Queries, tenantId: string): Promise<FileReport> {
  const items = await queries
    .selectFrom('control_evidence')
    .select(['id', 'file_id', 'file_name', 'file_size', 'sha256', 'erased_at'])
    .where('tenant_id', '=', tenantId)
    .where('file_size', 'is not', null)
    .orderBy('id')
    .execute();
  const faults: FileReport['faults'][number][] = [];
  let erased = 0;
  for (const { id, file_id, file_name, file_size, sha256, erased_at } of items) {
    const hash = createHash('sha256');
    let size = 0;
    for await (const bytes of readFile(queries, tenantId, file_id as string)) {
      hash.update(bytes);
      size += bytes.length;
    }
    const add = (issue: string) => faults.push({ evidenceId: id, name: file_name ?? '', issue });
    if (erased_at !== null) {
      erased += 1;
      if (size > 0) add('was erased, but has bytes');
    } else if (size === 0) add('is missing, and no erasure covers it');
    else if (size !== file_size || hash.digest('hex') !== sha256)
      add('the bytes differ from the hash in the audit log');
  }
  return { checked: items.length - erased, erased, faults };
}
