import { sql } from 'kysely';
import type { CountWork } from '../../installation/feature.ts';
import { recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { addTime, type Database, dayMilliseconds, inTransaction, runTransaction } from '../../storage/database.ts';
import { locksRows, type Queries } from '../../storage/queries.ts';
import { countDeleted, findRow, isDistributed } from '../../storage/rows.ts';
import { forgetPeriods } from './statistics-store.ts';
import { isUnclaimed } from './store.ts';

/** The most events that are forgotten in a pass. */
const batch = 200;

/** Events are forgotten after so many days unless the tenant chose otherwise; statistics and orders always are. */
const usualDays = 30;

/**
 * Deletes a batch of old events, with their deliveries and attempts, and the other old rows of webhooks. An event that
 * was sent again stays until its last delivery is as old; deliveries that wait for a paused endpoint and finished
 * orders to send again are deleted, too.
 * @returns true if there may be more.
 */
export async function forgetOldEvents(database: Database, now: string, count?: CountWork): Promise<boolean> {
  const before = addTime(now, -usualDays * dayMilliseconds);
  const { hasMorePeriods, ...others } = await inTransaction(database, async (queries) => {
    const ended = queries.deleteFrom('webhook_redeliveries').where('status', '<>', 'running');
    const webhookRedeliveries = await countDeleted(ended.where('created_at', '<=', before));
    const { webhookHours, hasMore } = await forgetPeriods(queries, before.slice(0, 'YYYY-MM-DD'.length));
    return { webhookRedeliveries, webhookHours, hasMorePeriods: hasMore };
  });
  count?.(others);
  let left = batch;
  for (const { id, days, oldest } of await listOldest(database.kysely)) {
    const isUsual = days === null || days === usualDays;
    // By whole days where it is audited, so that the log gets few events of it.
    const until = isUsual ? before : addTime(now, -days * dayMilliseconds).slice(0, 'YYYY-MM-DD'.length);
    if (oldest === null || oldest > until) continue;
    const { events, deliveries } = isUsual
      ? await inTransaction(database, (queries) => forget(queries, id, until, left))
      : await forgetAudited(database, now, { id, days }, until, left);
    count?.({ webhookEvents: events, webhookDeliveries: deliveries });
    left -= events;
    if (left === 0) return true;
  }
  return hasMorePeriods;
}

interface TenantRetention {
  readonly id: string;
  readonly days: number | null;
  readonly oldest: string | null;
}

/** Every tenant, with its setting and the time of its oldest event. */
async function listOldest(queries: Queries): Promise<readonly TenantRetention[]> {
  if (isDistributed(queries)) {
    // Each node finds the oldest of its tenants.
    const tenants = await queries.selectFrom('tenants').select(['id', 'webhook_days as days']).orderBy('id').execute();
    const { rows } = await sql<{ id: string; oldest: string }>`
      select tenant_id as id, min(created_at) as oldest from webhook_events group by tenant_id`.execute(queries);
    const oldest = new Map(rows.map((row) => [row.id, row.oldest]));
    return tenants.map((tenant) => ({ ...tenant, oldest: oldest.get(tenant.id) ?? null }));
  }
  const { rows } = await sql<TenantRetention>`
    select id, webhook_days as days,
      (select min(created_at) from webhook_events where tenant_id = tenants.id) as oldest
    from tenants order by id`.execute(queries);
  return rows;
}

/** Forgets events by the setting of a tenant, and records their numbers. @returns them. */
function forgetAudited(
  database: Database,
  now: string,
  { id, days }: { readonly id: string; readonly days: number },
  until: string,
  limit: number,
): ReturnType<typeof forget> {
  return runTransaction(database, now, async (tx) => {
    await tx.lockTenant(id);
    // It may have been changed since it was read; a tenant whose seal does not hold is not found.
    if ((await findRow(tx.queries, 'tenants', { id }))?.webhook_days !== days) return { events: 0, deliveries: 0 };
    const counts = await forget(tx.queries, id, until, limit);
    if (counts.events > 0)
      await recordEvent(tx, systemSource(id), {
        module: 'webhooks',
        action: 'webhook_delivery.forgotten',
        targetId: null,
        targetRef: null,
        reason: 'The retention period of the tenant has passed',
        diff: counts,
      });
    return counts;
  });
}

/** @param until a time, or a day that is kept itself. */
async function forget(queries: Queries, tenantId: string, until: string, limit: number) {
  // An event that is being sent again at this moment is locked.
  const skipped = locksRows(queries) ? sql`for update skip locked` : sql``;
  const { rows } = await sql<{ id: string }>`
    select id from webhook_events as event
    where tenant_id = ${tenantId} and created_at <= ${until} and not exists (
      select 1 from webhook_deliveries as delivery
      where delivery.tenant_id = ${tenantId} and delivery.event_id = event.id and (delivery.created_at > ${until} or not ${isUnclaimed(queries)}))
    order by created_at limit ${sql.lit(limit)} ${skipped}`.execute(queries);
  if (rows.length === 0) return { events: 0, deliveries: 0 };
  const ids = rows.map(({ id }) => id);
  const all = queries.selectFrom('webhook_deliveries').select('id').where('tenant_id', '=', tenantId);
  const attempts = queries.deleteFrom('webhook_attempts').where('tenant_id', '=', tenantId);
  await attempts.where('delivery_id', 'in', all.where('event_id', 'in', ids)).execute();
  const deletion = queries.deleteFrom('webhook_deliveries').where('tenant_id', '=', tenantId);
  const { numDeletedRows } = await deletion.where('event_id', 'in', ids).executeTakeFirstOrThrow();
  const events = queries.deleteFrom('webhook_events').where('tenant_id', '=', tenantId);
  await events.where('id', 'in', ids).execute();
  return { events: ids.length, deliveries: Number(numDeletedRows) };
}
