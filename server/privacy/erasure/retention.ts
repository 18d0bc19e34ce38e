import type { CountWork } from '../../installation/feature.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { addTime, type Database, dayMilliseconds, runTransaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow } from '../../storage/rows.ts';
import { noBounds, startErasure } from './erase.ts';
import { erasables, listRetentions, selectExpired } from './texts-store.ts';

/** So many rows are erased in one pass: others of the tenant wait for its lock, and an index of PostgreSQL has their ids. */
const mostErased = 50;

/**
 * Erases the texts of requests and breaches that ended longer ago than the settings of their tenant keep them, the oldest
 * first, wherever the texts are. `continueErasure` erases what exceeds a step.
 * @returns true if there may be more.
 */
export async function eraseExpired(database: Database, now: string, count?: CountWork): Promise<boolean> {
  let left = mostErased;
  for (const kind of ['dsr', 'breach'] as const)
    for (const { id: tenantId, days } of await listRetentions(database.kysely, erasables[kind])) {
      const before = addTime(now, -days * dayMilliseconds);
      const find = (queries: Queries) => selectExpired(queries, erasables[kind], tenantId, before, left);
      // Without a lock: mostly there are none.
      if ((await find(database.kysely)).length === 0) continue;
      const erased = await runTransaction(database, now, async (tx) => {
        const { queries } = tx;
        await tx.lockTenant(tenantId);
        // The setting may have been changed since, or a breach reopened.
        const [current] = await listRetentions(queries, erasables[kind], tenantId);
        // Rows of a running erasure may still have their texts.
        const running = await findRow(queries, 'erasure_jobs', { tenant_id: tenantId, kind });
        if (current?.days !== days || running !== undefined) return 0;
        const ids = (await find(queries)).map(({ id }) => id);
        const target = { kind, target: ids.join(' ') };
        const reason = 'The retention period of the tenant has passed';
        if (ids.length > 0) await startErasure(tx, systemSource(tenantId), target, noBounds, reason);
        return ids.length;
      });
      left -= erased;
      count?.(kind === 'dsr' ? { expiredRequests: erased } : { expiredBreaches: erased });
      if (left <= 0) return true;
    }
  return false;
}
