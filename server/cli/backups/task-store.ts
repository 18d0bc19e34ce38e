import type { Selectable } from 'kysely';
import { addTime } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, newId } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';

/** The work on backups, of which an installation does one of each kind at a time. */
export type BackupTask = 'backup' | 'erasures' | 'rehearsal';

export type TaskRow = Selectable<Tables['backup_tasks']>;

/** A task without a heartbeat for so long is lost: its process has ended. */
const lostAfter = 60_000;
/** A failed task is due again after so long, in milliseconds. */
const retryAfter = 15 * 60_000;

/** The state of a task; undefined before its first run. */
export function findTask(queries: Queries, task: BackupTask): Promise<TaskRow | undefined> {
  return findRow(queries, 'backup_tasks', { task });
}

/** The state of every task that has one. */
export async function listTasks(queries: Queries): Promise<readonly TaskRow[]> {
  return queries.selectFrom('backup_tasks').selectAll().orderBy('task').execute();
}

/** True if a process works on it. */
export function isRunning(row: TaskRow | undefined, now: string): boolean {
  if (row === undefined || row.status !== 'running' || isAhead(row.heartbeat_at, now)) return false;
  return row.heartbeat_at > addTime(now, -lostAfter);
}

/** True if a time is from a clock that was set back since. Those of several servers differ by less. */
function isAhead(time: string, now: string): boolean {
  return time > addTime(now, lostAfter);
}

function isDue(row: TaskRow | undefined, now: string, interval: number): boolean {
  if (row === undefined || row.finished_at === null || row.status === 'running') return true;
  if (isAhead(row.started_at, now) || isAhead(row.finished_at, now)) return true;
  if (row.fault !== null) return row.finished_at <= addTime(now, -Math.min(interval, retryAfter));
  return row.started_at <= addTime(now, -interval);
}

/**
 * Takes a task for this process, in a transaction.
 * @param interval takes it only if it is due by this interval, in milliseconds; null takes it in any case.
 * @returns the id of the claim; null if the task is not due, or another process works on it.
 */
export async function claimTask(
  queries: Queries,
  task: BackupTask,
  now: string,
  interval: number | null,
): Promise<string | null> {
  const row = await findTask(queries, task);
  if (isRunning(row, now) || (interval !== null && !isDue(row, now, interval))) return null;
  const claim = { status: 'running', claimed_by: newId(), heartbeat_at: now, started_at: now };
  if (row === undefined) {
    // Another server may take it at this moment.
    const ended = { finished_at: null, fault: null, completed_at: null, name: null, bytes: null };
    const { numInsertedOrUpdatedRows } = await queries
      .insertInto('backup_tasks')
      .values({ task, ...claim, ...ended })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 0n ? null : claim.claimed_by;
  }
  return (await changeTask(queries, task, row.claimed_by, claim)) ? claim.claimed_by : null;
}

/** Changes a task that this process has. @returns false if another one has taken it. */
async function changeTask(
  queries: Queries,
  task: BackupTask,
  claim: string,
  columns: Partial<TaskRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('backup_tasks')
    .set(columns)
    .where('task', '=', task)
    .where('claimed_by', '=', claim)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Records that a process still works on a task. @returns false if another one has taken it. */
export function recordHeartbeat(queries: Queries, task: BackupTask, claim: string, now: string): Promise<boolean> {
  return changeTask(queries, task, claim, { heartbeat_at: now });
}

/** Records that a task succeeded. @param file that it wrote or restored, if any. */
export function completeTask(
  queries: Queries,
  task: BackupTask,
  claim: string,
  now: string,
  file: { readonly name: string; readonly bytes: number },
): Promise<boolean> {
  return changeTask(queries, task, claim, {
    status: 'completed',
    finished_at: now,
    completed_at: now,
    fault: null,
    ...file,
  });
}

/** Records that a task failed. What was last completed stays. */
export function failTask(
  queries: Queries,
  task: BackupTask,
  claim: string,
  now: string,
  fault: string,
): Promise<boolean> {
  return changeTask(queries, task, claim, { status: 'failed', finished_at: now, fault: fault.slice(0, 500) });
}

/** Gives up a task that was interrupted: it is due again at once. */
export function releaseTask(queries: Queries, task: BackupTask, claim: string): Promise<boolean> {
  return changeTask(queries, task, claim, { status: 'interrupted', finished_at: null });
}
