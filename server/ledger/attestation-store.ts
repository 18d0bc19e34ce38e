import { type Selectable, sql } from 'kysely';
import { addTime } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow, insertRows, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { readCheckpoint, readTreeName } from './checkpoint.ts';
import { findCheckpoint } from './checkpoint-store.ts';
import type { LedgerOf } from './entry.ts';
import {
  findFirstLeaf,
  findLeaf,
  findLogCheckpoint,
  hashNote,
  type LogCheckpoint,
  type LogLeaf,
  logInterval,
  proveLeaf,
} from './installation-log.ts';
import { textOf } from './signed-note.ts';
import { installationLog } from './tree-store.ts';

/** An hourly task: to request a timestamp or a cosignature for the newest checkpoint of the log. */
export type LogTask = Selectable<Tables['log_tasks']>;

/** A timestamp or a cosignature of a checkpoint of the log. */
export type Attestation = Selectable<Tables['log_attestations']>;

export type TaskKind = 'timestamp' | 'cosignature';

/** Names a task: its kind, and the key of the witness. */
export type TaskName = Pick<LogTask, 'source'> & { readonly kind: TaskKind };

/**
 * Claims a task that is due, so that only one of several servers does it.
 * @returns the task; undefined if it is not due or another server claimed it.
 */
export async function claimTask(
  queries: Queries,
  { kind, source }: TaskName,
  now: string,
): Promise<Pick<LogTask, 'size'> | undefined> {
  const row = { kind, source, tried_at: null, size: null, fault: null };
  await insertRows(queries, 'log_tasks', [row], { skipsPresent: true });
  const [from, to] = [addTime(now, -logInterval), addTime(now, logInterval)];
  return (
    queries
      .updateTable('log_tasks')
      .set({ tried_at: now })
      .where('kind', '=', kind)
      .where('source', '=', source)
      // A time in the future was written with a wrong clock, and must not delay the next try.
      .where(sql<boolean>`(tried_at is null or tried_at <= ${from} or tried_at > ${to})`)
      .returning('size')
      .executeTakeFirst()
  );
}

/** Records how a task ended. @param fault null if it succeeded. */
export async function endTask(
  queries: Queries,
  { kind, source }: TaskName,
  { size, fault }: Pick<LogTask, 'size' | 'fault'>,
): Promise<void> {
  await updateRow(queries, 'log_tasks', { kind, source }, { size, fault });
}

/** Every task that a server started. */
export function listTasks(queries: Queries): Promise<readonly LogTask[]> {
  return queries.selectFrom('log_tasks').selectAll().orderBy('kind').orderBy('source').execute();
}

/** Stores a timestamp or a cosignature. */
export async function storeAttestation(queries: Queries, attestation: Attestation): Promise<void> {
  await insertRows(queries, 'log_attestations', [attestation], { skipsPresent: true });
}

/** The newest checkpoint that has a timestamp, or a cosignature of a witness. */
export async function findNewestAttested(
  queries: Queries,
  { kind, source }: TaskName,
): Promise<Pick<Attestation, 'size' | 'at'> | undefined> {
  return queries
    .selectFrom('log_attestations')
    .select(['size', 'at'])
    .where('kind', '=', kind)
    .$if(kind === 'cosignature', (rest) => rest.where('source', '=', source))
    .orderBy('size', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst();
}

/** Every timestamp and cosignature in the order of the checkpoints, or those of the checkpoint of a size. */
export function readAttestations(queries: Queries, size?: number): Promise<readonly Attestation[]> {
  return queries
    .selectFrom('log_attestations')
    .selectAll()
    .$if(size !== undefined, (all) => all.where('size', '=', size as number))
    .orderBy('size')
    .orderBy('kind')
    .orderBy('source')
    .execute();
}

/**
 * Proves that the log has a checkpoint, in its best attested state, or else in its newest.
 * @param note the signed note of the checkpoint.
 * @returns undefined if the log does not have it.
 */
export async function findAttestedProof(queries: Queries, note: string) {
  const hash = hashNote(note);
  const named = readCheckpoint(textOf(note));
  const of = named && readTreeName(named.origin.slice(named.origin.indexOf('/') + 1));
  if (!of) return undefined;
  const wanted = { tenant_id: of.tenantId, ledger: of.ledger, size: named.size, hash };
  const leaf = await findRow(queries, 'log_leaves', wanted);
  if (leaf === undefined) return undefined;
  const checkpoint = await findBestAttested(queries, leaf.sequence);
  return checkpoint && { hash, ...(await proveAttested(queries, leaf, checkpoint)) };
}

/**
 * Proves that the log has a checkpoint of a ledger, the newest of at most a size that its best attested state covers.
 * @returns undefined if the log has none.
 */
export async function findLogProof(queries: Queries, of: LedgerOf, covers: number) {
  const first = await findFirstLeaf(queries, of);
  const log = first && (await findBestAttested(queries, first.sequence));
  const leaf = log && (await findLeaf(queries, of, log.size, covers));
  const checkpoint = leaf && (await findCheckpoint(queries, of, leaf.size));
  if (checkpoint === undefined || log === undefined) return undefined;
  const proof = await proveAttested(queries, leaf as LogLeaf, log);
  return { size: checkpoint.size, checkpoint: checkpoint.note, proof };
}

/** How many of the newest attested states of the log are compared: those of two days. */
const mostCompared = 48;

/**
 * The state of the log with the most timestamps and cosignatures among the newest attested ones, the newest of those;
 * without any, the newest state.
 * @param atLeast the least leaves that it has.
 */
async function findBestAttested(queries: Queries, atLeast: number): Promise<LogCheckpoint | undefined> {
  const attested = await queries
    .selectFrom('log_attestations')
    .select(({ fn }) => ['size', fn.countAll<number>().as('attestations')])
    .where('size', '>=', atLeast)
    // A damaged database may lack the checkpoint.
    .where('size', 'in', (log) =>
      log.selectFrom('checkpoints').select('size').where('ledger', '=', installationLog.ledger),
    )
    .groupBy('size')
    .orderBy('size', 'desc')
    .limit(mostCompared)
    .execute();
  const most = Math.max(...attested.map(({ attestations }) => Number(attestations)));
  return findLogCheckpoint(queries, attested.find(({ attestations }) => Number(attestations) === most)?.size);
}

/** The audit path of a leaf in a state of the log, with the attestations of this state. */
async function proveAttested(queries: Queries, leaf: LogLeaf, { size, note }: LogCheckpoint) {
  const attestations = await readAttestations(queries, size);
  const cosignatures = attestations.filter(({ kind }) => kind === 'cosignature').map(({ content }) => `${content}\n`);
  return {
    index: leaf.sequence - 1,
    hashes: (await proveLeaf(queries, leaf, size)).map((one) => one.toString('base64')),
    note: `${note}${cosignatures.join('')}`,
    timestamp: attestations.find(({ kind }) => kind === 'timestamp')?.content ?? null,
  };
}
