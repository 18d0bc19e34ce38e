import { newId } from '../ids.ts';
import type { Queries } from '../storage/database.ts';
import { insertRows } from '../storage/insert-rows.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { NewWebhookEvent } from './event.ts';

const retentionMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** Writes events in the unit of work of the changes that they tell of: neither is without the other. */
export async function emitEvents(work: UnitOfWork, events: readonly NewWebhookEvent[]): Promise<void> {
  const rows = events.map(({ tenantId, type, data }) => ({
    id: newId(),
    tenant_id: tenantId,
    type,
    data: JSON.stringify(data),
    created_at: work.now,
  }));
  await insertRows(work.transaction, 'webhook_events', rows);
}

/** Forgets events older than 30 days. */
export async function forgetOldEvents(queries: Queries, now: string): Promise<void> {
  const before = new Date(Date.parse(now) - retentionMilliseconds).toISOString();
  await queries.deleteFrom('webhook_events').where('created_at', '<=', before).execute();
}
