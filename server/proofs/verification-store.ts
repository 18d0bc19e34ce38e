import type { Selectable } from 'kysely';
import { type Verdict, viewVerification } from '../ledger/verification.ts';
import { addTime, dayMilliseconds, type Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { countDeleted, findRow, newId, type Page, takeNewest } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import type { Finding } from './findings.ts';
import type { Verified } from './verify-database.ts';

export type RunRow = Selectable<Tables['verification_runs']>;

/** A page of the runs, newest first. */
export function listRuns(queries: Queries, before: string | null, limit: number): Promise<Page<RunRow>> {
  return takeNewest(queries.selectFrom('verification_runs').selectAll(), before, limit);
}

/** A run is kept so long. */
const keptFor = 90 * dayMilliseconds;

/** Deletes old runs. The newest one stays, because the next one is due by it. */
export async function forgetRuns(queries: Queries, now: string): Promise<number> {
  const { newest } = await queries
    .selectFrom('verification_runs')
    .select((runs) => runs.fn.max('id').as('newest'))
    .executeTakeFirstOrThrow();
  if (newest === null) return 0;
  const old = queries.deleteFrom('verification_runs').where('finished_at', '<=', addTime(now, -keptFor));
  return countDeleted(old.where('id', '<', newest));
}

/** A run without a heartbeat for so long is lost: its server has crashed. */
const lostAfter = 2 * 60_000;

/**
 * Begins a run, in a transaction. If a run is under way that no server works on any more, ends it first.
 * @param interval begins it only if the previous one is so long ago; null begins it in any case.
 * @returns the run that is under way, and `isNew`, true if it began now; null if none is due.
 */
export async function beginRun(
  queries: Queries,
  now: string,
  claimedBy: string,
  interval: number | null,
): Promise<{ readonly run: RunRow; readonly isNew: boolean } | null> {
  const running = await findRow(queries, 'verification_runs', { status: 'running' });
  if (running !== undefined && running.heartbeat_at > addTime(now, -lostAfter)) return { run: running, isNew: false };
  if (running !== undefined) await changeRun(queries, running, { status: 'interrupted', finished_at: now });
  else if (interval !== null) {
    const latest = await queries
      .selectFrom('verification_runs')
      .select(['status', 'started_at'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    const isDue =
      latest === undefined || latest.status === 'interrupted' || latest.started_at <= addTime(now, -interval);
    if (!isDue) return null;
  }
  const counts = { tenants: 0, verified_tenants: 0, entries: 0, checked_rows: 0, findings: 0 };
  const row = { id: newId(), status: 'running', claimed_by: claimedBy, heartbeat_at: now, started_at: now, ...counts };
  // Another server may have begun one at this moment.
  const begun = await queries
    .insertInto('verification_runs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (begun !== undefined) return { run: begun, isNew: true };
  const other = await findRow(queries, 'verification_runs', { status: 'running' });
  return other === undefined ? null : { run: other, isNew: false };
}

/** Changes a run, unless it has ended. @returns true if it was changed. */
async function changeRun(queries: Queries, { id, claimed_by }: RunRow, columns: Partial<RunRow>): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('verification_runs')
    .set(columns)
    .where('id', '=', id)
    .where('claimed_by', '=', claimed_by)
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0;
}

/** Notes how far a run is. @returns false if the run was ended by another server. */
export function recordHeartbeat(
  queries: Queries,
  run: RunRow,
  now: string,
  verified: number,
  tenants: number,
): Promise<boolean> {
  return changeRun(queries, run, { heartbeat_at: now, verified_tenants: verified, tenants });
}

/** Ends a run that the server cannot finish. */
export function interruptRun(queries: Queries, run: RunRow, now: string): Promise<boolean> {
  return changeRun(queries, run, { status: 'interrupted', finished_at: now });
}

/** The result of a worker. */
export interface Outcome {
  readonly list: readonly Finding[];
  readonly verified: Verified;
}

/** Stores the outcome of a run. */
export function finishRun(queries: Queries, run: RunRow, now: string, { list, verified }: Outcome): Promise<boolean> {
  const counts = verified.tenants.map(count);
  const sum = (name: 'entries' | 'checked_rows') => counts.reduce((total, one) => total + one[name], 0);
  return changeRun(queries, run, {
    ...judge(list),
    finished_at: now,
    tenants: counts.length,
    verified_tenants: counts.length,
    entries: sum('entries'),
    checked_rows: sum('checked_rows'),
    findings: list.length,
  });
}

/**
 * Stores and emits what a run found of a tenant. What concerns the whole server concerns each tenant, which learns no more of it.
 * @returns false if another server has ended the run: nothing is stored, because its own run reports.
 */
export async function storeVerification(
  tx: Transaction,
  run: RunRow,
  report: Verified['tenants'][number],
  list: readonly Finding[],
): Promise<boolean> {
  const { queries, now } = tx;
  const { tenantId: tenant_id } = report;
  if (!(await changeRun(queries, run, { heartbeat_at: now }))) return false;
  const concerning = list
    .filter(({ tenantId }) => tenantId === null || tenantId === tenant_id)
    .map((finding) => (finding.tenantId === null ? { ...finding, message: ofServer } : finding))
    .sort((one, other) => Number(one.tenantId === null) - Number(other.tenantId === null));
  const columns = { ...judge(concerning), started_at: run.started_at, finished_at: now, ...count(report) };
  const row = await queries
    .insertInto('verifications')
    .values({ tenant_id, ...columns })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
  const data = viewVerification(row);
  const type = data.status === 'holds' ? 'ledger.verified' : 'ledger.verification_failed';
  await emitEvents(tx, [{ tenantId: tenant_id, type, data }]);
  return true;
}

const ofServer = 'Something was found that concerns the whole server: its administrator sees what.';

/** The verdict of findings, and the first of the most severe ones. */
function judge(list: readonly Finding[]): { readonly status: Verdict; readonly fault: string | null } {
  const first = (kind: Finding['kind']) => list.find((finding) => finding.kind === kind);
  const worst = first('tampered') ?? first('unreadable') ?? first('unchecked');
  if (worst === undefined) return { status: 'holds', fault: null };
  return {
    status: worst.kind === 'tampered' ? 'failed' : 'could_not_check',
    fault: worst.message.slice(0, longestFault),
  };
}

const longestFault = 500;

function count({ chains, rows }: Verified['tenants'][number]) {
  return { entries: chains.reduce((total, { entries }) => total + entries, 0), checked_rows: rows.checked };
}
