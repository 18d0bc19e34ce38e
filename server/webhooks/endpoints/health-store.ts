import { locksRows, type Queries } from '../../storage/database.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import type { Health } from './health.ts';

const columns = [
  'failing_since as failingSince',
  'failed_at as failedAt',
  'last_error as lastError',
  'failures',
  'notified_at as notifiedAt',
  'paused_until as pausedUntil',
] as const;

/**
 * Finds how an endpoint fares, whatever tenant it belongs to.
 * @returns with the address that it has now; nothing when it was deleted.
 */
export async function findHealth(
  queries: Queries,
  endpointId: string,
): Promise<{ readonly url: string; readonly health: Health } | undefined> {
  const [row] = await selectHealth(queries, { endpointId });
  if (row === undefined) return undefined;
  const { url, ...health } = row;
  return { url, health };
}

const selectHealth = prepareQuery<{ endpointId: string }, Health & { readonly url: string }>((queries, parameter) =>
  queries
    .selectFrom('webhook_endpoints')
    .leftJoin('webhook_health', 'webhook_health.endpoint_id', 'webhook_endpoints.id')
    .select(['url', ...columns])
    .where('id', '=', parameter('endpointId'))
    .where('deleted_at', 'is', null),
);

/**
 * Reads how an endpoint fares and locks it until the transaction ends; SQLite has one writer in
 * any case.
 * @param found what was read before.
 */
export async function lockHealth(queries: Queries, endpointId: string, found: Health): Promise<Health> {
  if (!locksRows(queries)) return found;
  const { endpoint_id: _, ...health } = await queries
    .insertInto('webhook_health')
    .values({ endpoint_id: endpointId })
    .onConflict((conflict) =>
      conflict.column('endpoint_id').doUpdateSet((row) => ({ endpoint_id: row.ref('excluded.endpoint_id') })),
    )
    .returning(['endpoint_id', ...columns])
    .executeTakeFirstOrThrow();
  return health;
}

/**
 * Resets failures and pauses of an endpoint. If the others were notified that it is failing, that and since when is kept, so that
 * they are notified when a delivery arrives.
 */
export async function restartHealth(queries: Queries, endpointId: string): Promise<void> {
  await queries
    .deleteFrom('webhook_health')
    .where('endpoint_id', '=', endpointId)
    .where('notified_at', 'is', null)
    .execute();
  await queries
    .updateTable('webhook_health')
    .set({ failed_at: null, last_error: null, failures: null, paused_until: null })
    .where('endpoint_id', '=', endpointId)
    .execute();
}

/** Forgets how an endpoint fared. */
export async function forgetHealth(queries: Queries, endpointId: string): Promise<void> {
  await queries.deleteFrom('webhook_health').where('endpoint_id', '=', endpointId).execute();
}

/** Notes how an endpoint fares. */
export async function saveHealth(queries: Queries, endpointId: string, health: Health): Promise<void> {
  const values = {
    failing_since: health.failingSince,
    failed_at: health.failedAt,
    last_error: health.lastError,
    failures: health.failures,
    notified_at: health.notifiedAt,
    paused_until: health.pausedUntil,
  };
  await queries
    .insertInto('webhook_health')
    .values({ endpoint_id: endpointId, ...values })
    .onConflict((conflict) => conflict.column('endpoint_id').doUpdateSet(values))
    .execute();
}
