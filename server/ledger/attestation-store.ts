import { type Selectable, sql } from 'kysely';
import { addTime, type Queries } from '../storage/database.ts';
import { findRow, insertRows, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { readLedgerName } from './anchor-log.ts';
import { textOf } from './attestations.ts';
import { readCheckpoint } from './checkpoint.ts';
import { findLogCheckpoint, hashNote, logInterval, proveLeaf } from './installation-log.ts';

/** An hourly task: to get a statement about the newest checkpoint of the log. */
export type LogTask = Selectable<Tables['log_tasks']>;

/** What an authority or a witness stated about a checkpoint of the log. */
export type Attestation = Selectable<Tables['log_attestations']>;

export type TaskKind = 'timestamp' | 'cosignature';

/** Names a task: its kind, and the key of the witness. */
export type TaskName = Pick<LogTask, 'source'> & { readonly kind: TaskKind };

/**
 * Takes a task whose hour has come, so that one of several servers does it.
 * @returns whether this caller does it now.
 */
export async function claimTask(queries: Queries, { kind, source }: TaskName, now: string): Promise<boolean> {
  const row = { kind, source, tried_at: null, size: null, fault: null };
  await insertRows(queries, 'log_tasks', [row], { skipsPresent: true });
  const [from, to] = [addTime(now, -logInterval), addTime(now, logInterval)];
  const claimed = await queries
    .updateTable('log_tasks')
    .set({ tried_at: now })
    .where('kind', '=', kind)
    .where('source', '=', source)
    // A time far in the future is that of a wrong clock, and must not delay the next try.
    .where(sql<boolean>`(tried_at is null or tried_at <= ${from} or tried_at > ${to})`)
    .executeTakeFirst();
  return claimed.numUpdatedRows > 0n;
}

/** Records how a task ended. @param fault null if it succeeded. */
export async function endTask(
  queries: Queries,
  { kind, source }: TaskName,
  { size, fault }: Pick<LogTask, 'size' | 'fault'>,
): Promise<void> {
  await updateRow(queries, 'log_tasks', { kind, source }, { size, fault });
}

/** Every task that a server began. */
export function listTasks(queries: Queries): Promise<readonly LogTask[]> {
  return queries.selectFrom('log_tasks').selectAll().orderBy('kind').orderBy('source').execute();
}

/** Stores what an authority or a witness stated. */
export async function storeAttestation(queries: Queries, attestation: Attestation): Promise<void> {
  await insertRows(queries, 'log_attestations', [attestation], { skipsPresent: true });
}

/** What others stated about the checkpoint of a size. */
export function listAttestations(queries: Queries, size: number): Promise<readonly Attestation[]> {
  return queries
    .selectFrom('log_attestations')
    .selectAll()
    .where('size', '=', size)
    .orderBy('kind')
    .orderBy('source')
    .execute();
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

/** Every statement, in the order of the checkpoints. */
export function readAttestations(queries: Queries): Promise<readonly Attestation[]> {
  return queries.selectFrom('log_attestations').selectAll().orderBy('size').orderBy('kind').orderBy('source').execute();
}

/**
 * Proves that the log has a checkpoint, in its newest state that has a timestamp or a cosignature, or else in its newest.
 * @param note the signed note of the checkpoint.
 * @returns undefined if the log does not have it.
 */
export async function findAttestedProof(queries: Queries, note: string) {
  const hash = hashNote(note);
  const named = readCheckpoint(textOf(note));
  const of = named && readLedgerName(named.origin.slice(named.origin.indexOf('/') + 1));
  if (!of) return undefined;
  const wanted = { tenant_id: of.tenantId, ledger: of.ledger, size: named.size, hash };
  const leaf = await findRow(queries, 'log_leaves', wanted);
  if (leaf === undefined) return undefined;
  const newest = await queries
    .selectFrom('log_attestations')
    .select('size')
    .where('size', '>=', leaf.sequence)
    .orderBy('size', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst();
  const checkpoint = await findLogCheckpoint(queries, newest?.size);
  if (checkpoint === undefined) return undefined;
  const { size } = checkpoint;
  const attestations = await listAttestations(queries, size);
  const cosignatures = attestations.filter(({ kind }) => kind === 'cosignature').map(({ content }) => `${content}\n`);
  const timestamp = attestations.find(({ kind }) => kind === 'timestamp');
  return {
    hash,
    index: leaf.sequence - 1,
    hashes: (await proveLeaf(queries, leaf, size)).map((one) => one.toString('base64')),
    note: `${checkpoint.note}${cosignatures.join('')}`,
    extra: timestamp?.content ?? null,
  };
}
