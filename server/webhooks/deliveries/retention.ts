import { sql } from 'kysely';
import { locksRows, type Queries } from '../../storage/database.ts';

const day = 24 * 60 * 60 * 1000;
const batch = 200;

/** What is kept of webhooks is forgotten after so many days. */
const retentionDays = 30;

/**
 * Forgets a batch of the oldest events that are older than 30 days, with their deliveries and attempts. An event that
 * was sent again stays until its last delivery is as old; what waits for a paused endpoint waits no longer either, and
 * orders to send again are forgotten too.
 * @returns whether there may be more.
 */
export async function forgetOldEvents(queries: Queries, now: string): Promise<boolean> {
  const before = new Date(Date.parse(now) - retentionDays * day).toISOString();
  // An event that is being sent again at this moment is locked.
  const skipped = locksRows(queries) ? sql`for update skip locked` : sql``;
  const { rows } = await sql<{ id: string }>`
    select id from webhook_events as event
    where created_at <= ${before} and not exists (
      select 1 from webhook_deliveries as delivery
      where delivery.event_id = event.id and (delivery.created_at > ${before} or delivery.claimed_by is not null))
    order by created_at limit ${sql.lit(batch)} ${skipped}`.execute(queries);
  await queries
    .deleteFrom('webhook_redeliveries')
    .where('created_at', '<=', before)
    .where('status', '<>', 'running')
    .execute();
  if (rows.length === 0) return false;
  const ids = rows.map(({ id }) => id);
  const deliveries = await queries
    .deleteFrom('webhook_deliveries')
    .where('event_id', 'in', ids)
    .returning('id')
    .execute();
  for (let start = 0; start < deliveries.length; start += attemptBatch) {
    const some = deliveries.slice(start, start + attemptBatch).map(({ id }) => id);
    await queries.deleteFrom('webhook_attempts').where('delivery_id', 'in', some).execute();
  }
  await queries.deleteFrom('webhook_events').where('id', 'in', ids).execute();
  return rows.length === batch;
}

const attemptBatch = 500;
