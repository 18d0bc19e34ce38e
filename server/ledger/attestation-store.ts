import { type Selectable, sql } from 'kysely';
import { addTime, type Queries } from '../storage/database.ts';
import { insertRows, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { logInterval } from './installation-log.ts';

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
