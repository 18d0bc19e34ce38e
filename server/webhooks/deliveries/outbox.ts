import type { Queries, UnitOfWork } from '../../storage/database.ts';
import { insertRows, newId, prepareQuery } from '../../storage/rows.ts';
import { isOperational, type NewWebhookEvent, type StoredEvent } from './event.ts';
import { passesFilter, type ReadyFilter, readFilter } from './event-filter.ts';

/**
 * Writes events, and the deliveries to every endpoint that wants them, in the unit of work of the changes that they
 * describe: neither is stored without the other.
 * @param except an endpoint that is left out: the one that the events are about.
 */
export async function emitEvents(work: UnitOfWork, events: readonly NewWebhookEvent[], except?: string): Promise<void> {
  const rows = await insertEvents(work.transaction, work.now, events);
  const woken: string[] = [];
  for (const [tenantId, ofTenant] of Map.groupBy(rows, ({ tenant_id }) => tenant_id)) {
    const subscribers = (await selectSubscribers(work.transaction, { tenantId })).filter(({ id }) => id !== except);
    woken.push(...(await queueDeliveries(work.transaction, work.now, ofTenant, subscribers)));
  }
  announceDeliveries(work, woken);
}

/**
 * Writes events of a tenant like {@link emitEvents}, but none that no endpoint wants: for what is stored elsewhere anyway.
 * @param describe returns the events; not called where there is no endpoint.
 */
export async function emitWanted(
  work: UnitOfWork,
  tenantId: string,
  describe: () => readonly Omit<NewWebhookEvent, 'tenantId'>[],
  except?: string,
): Promise<void> {
  const { transaction, now } = work;
  const subscribers = (await selectSubscribers(transaction, { tenantId })).filter(({ id }) => id !== except);
  if (subscribers.length === 0) return;
  const wanted = describe().filter(({ type }) => subscribers.some((subscriber) => wants(subscriber, type)));
  if (wanted.length === 0) return;
  const rows = await insertEvents(
    transaction,
    now,
    wanted.map((event) => ({ tenantId, ...event })),
  );
  announceDeliveries(work, await queueDeliveries(transaction, now, rows, subscribers));
}

/** Signals the sender, once the unit of work is durable, that endpoints have something to be sent. */
export function announceDeliveries(work: UnitOfWork, endpointIds: readonly string[]): void {
  if (endpointIds.length > 0) work.afterCommit(() => work.signals.emit('deliveries', endpointIds));
}

/** Stores events. @returns the rows, in order. */
export async function insertEvents(
  queries: Queries,
  now: string,
  events: readonly NewWebhookEvent[],
): Promise<readonly StoredEvent[]> {
  const rows = events.map(({ tenantId, type, data }) => ({
    id: newId(),
    tenant_id: tenantId,
    type,
    data: JSON.stringify(data),
    created_at: now,
  }));
  await insertRows(queries, 'webhook_events', rows);
  return rows;
}

/** The endpoints of a tenant, as far as they decide what becomes of its events. */
type Subscribers = readonly {
  readonly id: string;
  readonly event_types: string | null;
  readonly filter: string | null;
  readonly status: string;
}[];

const selectSubscribers = prepareQuery<{ tenantId: string }, Subscribers[number]>((queries, parameter) =>
  queries
    .selectFrom('webhook_endpoints')
    .select(['id', 'event_types', 'filter', 'status'])
    .where('tenant_id', '=', parameter('tenantId'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
);

/** Whether an endpoint wants events of a type, whatever they hold. */
function wants({ event_types }: Pick<Subscribers[number], 'event_types'>, type: string): boolean {
  return event_types === null || event_types.split(' ').includes(type);
}

/**
 * Makes a delivery of each event for each endpoint that wants it. For an endpoint that the server disabled it is a dead
 * letter from the start, so that nothing is lost when the endpoint comes back.
 * @param events of the tenant of the endpoints.
 * @returns the endpoints that have something to be sent now.
 */
async function queueDeliveries(
  queries: Queries,
  now: string,
  events: readonly StoredEvent[],
  subscribers: Subscribers,
): Promise<readonly string[]> {
  const ready = subscribers.map((one) => ({ ...one, filter: one.filter === null ? null : readFilter(one.filter) }));
  const rows = events.flatMap((event) => {
    const readData = readOnce(event);
    return ready
      .filter((subscriber) => wants(subscriber, event.type) && passes(subscriber.filter, event.type, readData))
      .map(({ id, status }) => {
        const delivery = newDelivery(event, id, now);
        if (status !== 'disabled') return delivery;
        return { ...delivery, status: 'dead', reason: 'endpoint_disabled', due_at: null, finished_at: now };
      });
  });
  await insertRows(queries, 'webhook_deliveries', rows);
  const enabled = subscribers.filter(
    ({ id, status }) => status === 'enabled' && rows.some((row) => row.endpoint_id === id),
  );
  return enabled.map(({ id }) => id);
}

type Data = NewWebhookEvent['data'];

/** The data of an event, parsed at most once. */
function readOnce({ data }: StoredEvent): () => Data {
  let parsed: Data | undefined;
  return () => {
    parsed ??= JSON.parse(data) as Data;
    return parsed;
  };
}

/** Filters are about what happens in the tenant: events about webhooks pass. */
function passes(filter: ReadyFilter | null, type: string, readData: () => Data): boolean {
  return filter === null || isOperational(type) || passesFilter(filter, readData());
}

/** A delivery that waits for its first attempt. */
export function newDelivery(
  event: Pick<StoredEvent, 'id' | 'tenant_id' | 'type'>,
  endpointId: string,
  now: string,
  redeliveryOf: string | null = null,
) {
  return {
    id: newId(),
    tenant_id: event.tenant_id,
    endpoint_id: endpointId,
    event_id: event.id,
    event_type: event.type,
    status: 'pending',
    reason: null as string | null,
    response_status: null as number | null,
    attempts: 0,
    first_attempt_at: null as string | null,
    due_at: now as string | null,
    claimed_by: null as string | null,
    redelivery_of: redeliveryOf,
    created_at: now,
    finished_at: null as string | null,
  };
}
