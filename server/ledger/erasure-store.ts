import { sql } from 'kysely';
import type { Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow, insertRows, isDistributed } from '../storage/rows.ts';
import { requireSeal } from '../storage/secrets.ts';
import { type Erased, type ErasureLog, nameLine, writeErasure } from './erasure-log.ts';

/**
 * Notes what this transaction erases, for `erasures.log`: this server appends it after the commit, others within a minute.
 * Every function that clears values for good calls it.
 */
export async function noteErased(tx: Transaction, tenantId: string, erased: Erased): Promise<void> {
  await tx.lockTenant(tenantId);
  const { queries, now, signals } = tx;
  const number = (await readLast(queries, tenantId)) + 1;
  const line = writeErasure(requireSeal(tx), { tenantId, number, at: now, erased });
  await insertRows(queries, 'erasures', [{ tenant_id: tenantId, number, line }]);
  tx.afterCommit(() => signals.emit('erasureNoted', line));
}

/** The number of the last erasure of a tenant. */
async function readLast(queries: Queries, tenantId: string): Promise<number> {
  const { last } = await queries
    .selectFrom('erasures')
    .select(({ fn }) => fn.max<number | null>('number').as('last'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

/** True if this history already has an erasure, as a line of `erasures.log` has it. */
export async function hasErasure(
  queries: Queries,
  { tenantId, number, line }: { readonly tenantId: string; readonly number: number; readonly line: string },
): Promise<boolean> {
  return (await findRow(queries, 'erasures', { tenant_id: tenantId, number, line })) !== undefined;
}

/** The erasures of a tenant with larger numbers, as they are in the log: in order, some at a time. */
export async function* readErasures(queries: Queries, tenantId: string, after: number) {
  for (let last = after; ; ) {
    const rows = await queries
      .selectFrom('erasures')
      .select(['number', 'line'])
      .where('tenant_id', '=', tenantId)
      .where('number', '>', last)
      .orderBy('number')
      .limit(sql.lit(batch))
      .execute();
    yield rows;
    if (rows.length < batch) return;
    last = (rows.at(-1) as (typeof rows)[number]).number;
  }
}

/** A line can have a thousand records. */
const batch = 50;

/** The number of the last erasure of each tenant that has one. */
export async function listLastErasures(queries: Queries): Promise<ReadonlyMap<string, number>> {
  // An index finds each; several nodes find their own.
  const newest = isDistributed(queries)
    ? sql<{
        id: string;
        last: number | null;
      }>`select tenant_id as id, max(number) as last from erasures group by tenant_id`
    : sql<{ id: string; last: number | null }>`
        select id, (select max(number) from erasures where tenant_id = tenants.id) as last from tenants`;
  const { rows } = await newest.execute(queries);
  return new Map(rows.flatMap(({ id, last }) => (last === null ? [] : [[id, last]])));
}

/**
 * Appends the erasures that the log lacks: those of other servers, and those whose append a crash interrupted.
 * @param known the names of the lines to leave out, for a log that may have gaps anywhere; without it, the erasures
 *   after the last line of each tenant are appended.
 */
export async function completeErasures(
  queries: Queries,
  log: ErasureLog,
  known: ReadonlySet<string> | null = null,
): Promise<number> {
  let appended = 0;
  log.open();
  for (const [tenantId, last] of await listLastErasures(queries)) {
    const after = known === null ? log.last(tenantId) : 0;
    if (after >= last) continue;
    for await (const rows of readErasures(queries, tenantId, after)) {
      const lacking = rows.filter(({ number, line }) => !(known?.has(nameLine(line)) ?? log.has(tenantId, number)));
      log.append(lacking.map(({ line }) => line));
      appended += lacking.length;
    }
  }
  return appended;
}
