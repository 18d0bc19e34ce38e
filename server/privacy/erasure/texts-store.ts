import { sql } from 'kysely';
import type { AuditSource } from '../../http/principal.ts';
import { breachRows, dsrRows, type RowKind } from '../../ledger/audit/rows.ts';
import { recordChanges } from '../../ledger/audit/store.ts';
import { newSalt } from '../../ledger/entry.ts';
import { noteErased } from '../../ledger/erasure-store.ts';
import { type ClearedOpenings, clearOpeningsAbout } from '../../ledger/opening-store.ts';
import type { Transaction } from '../../storage/database.ts';
import { noteErasure } from '../../storage/erased-remains.ts';
import type { Queries } from '../../storage/queries.ts';
import { updateRow } from '../../storage/rows.ts';
import { holds } from '../../storage/secrets.ts';
import type { DsrRow } from '../dsr.ts';

/** A kind of rows with texts that may name people, its personal columns: they can be erased once the row has ended. */
interface Erasable {
  readonly kind: RowKind<'dsr_requests'>;
  readonly endedStatus: string;
  readonly endedAt: 'completed_at';
  /** The setting of the tenant; null for never. */
  readonly days: 'dsr_text_days';
}

/** By the kind of their erasure. Dates, types, outcomes, severity and the number of people stay. */
export const erasables: Readonly<Record<'dsr' | 'breach', Erasable>> = {
  dsr: { kind: dsrRows, endedStatus: 'completed', endedAt: 'completed_at', days: 'dsr_text_days' },
  breach: {
    kind: breachRows,
    endedStatus: 'closed',
    endedAt: 'closed_at',
    days: 'breach_text_days',
    // Kysely's types are too deep for a table that varies, so the queries name one of the two.
  } as unknown as Erasable,
};

/**
 * Erases the texts of ended rows, the salts without which their hashes in the audit log confirm no guess, and the
 * openings of the audit events about the rows. Open and erased rows stay as they are. The audit log gets the number of
 * texts.
 * @param ids of rows of the tenant of the source.
 * @param reason for the audit log; names no person.
 * @param isAgain after a restore: a row that had ended when it was erased may be open in the backup. It loses its texts
 *   and can be used as before.
 * @returns the number of rows, and the cleared openings, which the caller records (`recordErasure`). If there are more
 *   openings about them, the rows still have their texts, so that they are found again.
 */
export async function eraseTexts(
  tx: Transaction,
  source: AuditSource,
  { kind, endedStatus }: Erasable,
  ids: readonly string[],
  reason: string,
  isAgain = false,
): Promise<ClearedOpenings & { readonly rows: number }> {
  const { queries, now } = tx;
  const { tenantId } = source;
  const texts = kind.personal as readonly (keyof DsrRow)[];
  await tx.lockTenant(tenantId);
  const rows =
    ids.length === 0
      ? []
      : await queries
          .selectFrom(kind.table)
          .selectAll()
          .where('tenant_id', '=', tenantId)
          .where('id', 'in', ids)
          .$if(!isAgain, (query) => query.where('status', '=', endedStatus))
          .where('erased_at', 'is', null)
          .execute();
  const countTexts = (row: DsrRow) => texts.filter((name) => row[name] !== null).length;
  const found = rows.filter((row) => row.status === endedStatus || countTexts(row) > 0);
  if (found.length === 0) return { rows: 0, openings: [], hasMore: false };
  const counts = new Map(found.map((row) => [row.id, countTexts(row)]));
  await noteErased(tx, tenantId, { kind: 'texts', table: kind.table, ids: [...counts.keys()] });
  const cleared = await clearOpeningsAbout(queries, tenantId, [...counts.keys()]);
  if (cleared.hasMore) return { rows: 0, ...cleared };
  const empty = { ...Object.fromEntries(texts.map((name) => [name, null])), updated_at: now };
  const ended = found.filter(({ status }) => status === endedStatus).map(({ id }) => id);
  const erased =
    ended.length === 0
      ? []
      : await queries
          .updateTable(kind.table)
          .set({ ...empty, salt: null, erased_at: now })
          .where('tenant_id', '=', tenantId)
          .where('id', 'in', ended)
          .returningAll()
          .execute();
  for (const { id, status } of found)
    if (status !== endedStatus)
      erased.push(await updateRow(queries, kind.table, { tenant_id: tenantId, id }, { ...empty, salt: newSalt() }));
  const changes = erased.map((row) => {
    const diff = { texts: counts.get(row.id) as number };
    return { source, row, change: { verb: 'erased', targetRef: null, reason, diff } };
  });
  await recordChanges(tx, kind, changes);
  await noteErasure(tx);
  return { rows: erased.length, ...cleared };
}

/** The tenants that do not keep these texts forever. A tenant whose seal does not hold loses none: its setting may be false. */
export async function listRetentions(queries: Queries, { days }: Erasable, tenantId?: string) {
  const rows = await queries
    .selectFrom('tenants')
    .selectAll()
    .where(days, 'is not', null)
    .$if(tenantId !== undefined, (query) => query.where('id', '=', tenantId as string))
    .orderBy('id')
    .execute();
  const held = rows.filter((row) => holds(queries, 'tenants', row));
  return held.map((row) => ({ id: row.id, days: row[days] as number }));
}

/** The ids of what ended by then and still has its texts, the oldest first. */
export function selectExpired(
  queries: Queries,
  { kind, endedStatus, endedAt }: Erasable,
  tenantId: string,
  before: string,
  limit: number,
) {
  return queries
    .selectFrom(kind.table)
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where(endedAt, '<=', before)
    .where('status', '=', endedStatus)
    .where('erased_at', 'is', null)
    .orderBy(endedAt)
    .limit(sql.lit(limit))
    .execute();
}
