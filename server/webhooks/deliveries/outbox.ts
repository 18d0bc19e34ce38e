import type { Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { compileInserts, newId, prepareStatement, runTogether } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import type { DeliveryRow } from './delivery.ts';
import { isOperational, type NewWebhookEvent, type StoredEvent } from './event.ts';
import { passesFilter, type ReadyFilter, readFilter } from './event-filter.ts';

/**
 * Writes events, and the deliveries to every endpoint that wants them, in the transaction of the changes that they
 * describe: neither is stored without the other.
 * @param except an endpoint that is left out: the one that the events are about.
 */
export async function emitEvents(tx: Transaction, events: readonly NewWebhookEvent[], except?: string): Promise<void> {
  const byTenant = Map.groupBy(events, (event) => event.tenantId);
  for (const [tenantId, subscribers] of await findSubscribers(tx, byTenant.keys(), except))
    await queueEvents(tx, byTenant.get(tenantId) ?? [], subscribers);
}

/**
 * Writes events of a tenant like {@link emitEvents}, but none that no endpoint wants: for what is stored elsewhere anyway.
 * @param describe returns the events; not called where there is no endpoint.
 */
export async function emitWanted(
  tx: Transaction,
  tenantId: string,
  subscribers: Subscribers,
  describe: () => readonly Omit<NewWebhookEvent, 'tenantId'>[],
): Promise<void> {
  if (subscribers.length === 0) return;
  const wanted = describe().filter(({ type }) => subscribers.some((subscriber) => wants(subscriber, type)));
  const events = wanted.map((event) => ({ tenantId, ...event }));
  if (events.length > 0) await queueEvents(tx, events, subscribers);
}

/** Signals the sender, once the transaction is durable, which enabled endpoints have something to be sent. */
export function announceDeliveries(
  tx: Transaction,
  endpoints: readonly Pick<Subscribers[number], 'id' | 'status'>[],
  deliveries: readonly Pick<DeliveryRow, 'tenant_id' | 'endpoint_id'>[],
): void {
  const tenants = new Map(deliveries.map(({ tenant_id, endpoint_id }) => [endpoint_id, tenant_id]));
  const reached = endpoints.flatMap(({ id, status }) => {
    const tenant_id = tenants.get(id);
    return status === 'enabled' && tenant_id !== undefined ? { tenant_id, id } : [];
  });
  if (reached.length > 0) tx.afterCommit(() => tx.signals.emit('deliveries', reached));
}

/** The endpoints of a tenant, as far as they decide what becomes of its events. */
type Subscribers = readonly Pick<Selectable<Tables['webhook_endpoints']>, 'id' | 'event_types' | 'filter' | 'status'>[];

const selectSubscribers = prepareStatement<{ tenantId: string }, Subscribers[number]>((queries, parameter) =>
  queries
    .selectFrom('webhook_endpoints')
    .select(['id', 'event_types', 'filter', 'status'])
    .where('tenant_id', '=', parameter('tenantId'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
);

/**
 * The endpoints of each tenant.
 * @param except an endpoint that is left out.
 */
export async function findSubscribers(
  { queries }: Transaction,
  tenantIds: Iterable<string>,
  except?: string,
): Promise<ReadonlyMap<string, Subscribers>> {
  const ids = [...tenantIds];
  const found = await runTogether(
    queries,
    ids.map((tenantId) => selectSubscribers(queries, { tenantId })),
  );
  return new Map(ids.map((tenantId, index) => [tenantId, (found[index] ?? []).filter(({ id }) => id !== except)]));
}

/** True if an endpoint subscribes to events of a type; its filter is not checked. */
function wants({ event_types }: Pick<Subscribers[number], 'event_types'>, type: string): boolean {
  return event_types === null || event_types.split(' ').includes(type);
}

/**
 * Stores events, and a delivery of each for each endpoint that wants it. For an endpoint that the server disabled it is a dead
 * letter from the start, so that nothing is lost when the endpoint comes back.
 * @param events of the tenant of the endpoints.
 * @returns the deliveries.
 */
export async function queueEvents(
  tx: Transaction,
  events: readonly NewWebhookEvent[],
  subscribers: Subscribers,
): Promise<readonly DeliveryRow[]> {
  const { queries, now } = tx;
  const stored = events.map(({ tenantId, type, data, traceParent = tx.traceParent ?? null }) => ({
    id: newId(),
    tenant_id: tenantId,
    type,
    data: JSON.stringify(data),
    subject_id: typeof data.subjectId === 'string' ? data.subjectId : null,
    user_id: typeof data.userId === 'string' ? data.userId : null,
    dsr_id: typeof data.dsrId === 'string' ? data.dsrId : null,
    sequence: typeof data.sequence === 'number' ? data.sequence : null,
    trace_parent: traceParent,
    created_at: now,
  }));
  const ready = subscribers.map((one) => ({ ...one, filter: one.filter === null ? null : readFilter(one.filter) }));
  const rows = events.flatMap(({ type, data }, index) => {
    // Filters are about what happens in the tenant: events about webhooks pass.
    const passes = (filter: ReadyFilter | null) => filter === null || isOperational(type) || passesFilter(filter, data);
    return ready
      .filter((subscriber) => wants(subscriber, type) && passes(subscriber.filter))
      .map(({ id, status }) => {
        const delivery = newDelivery(stored[index] as StoredEvent, id, now);
        if (status !== 'disabled') return delivery;
        return { ...delivery, status: 'dead', reason: 'endpoint_disabled', due_at: null, finished_at: now };
      });
  });
  await tx.send([
    ...compileInserts(queries, 'webhook_events', stored),
    ...compileInserts(queries, 'webhook_deliveries', rows),
  ]);
  announceDeliveries(tx, subscribers, rows);
  return rows;
}

/** A delivery that waits for its first attempt. */
export function newDelivery(
  event: Pick<StoredEvent, 'id' | 'tenant_id' | 'type'>,
  endpointId: string,
  now: string,
  redeliveryOf: string | null = null,
): DeliveryRow {
  return {
    id: newId(),
    tenant_id: event.tenant_id,
    endpoint_id: endpointId,
    event_id: event.id,
    event_type: event.type,
    status: 'pending',
    reason: null,
    response_status: null,
    attempts: 0,
    first_attempt_at: null,
    due_at: now,
    claimed_until: null,
    redelivery_of: redeliveryOf,
    created_at: now,
    finished_at: null,
  };
}
