import { newId } from '../ids.ts';
import type { Queries } from '../storage/database.ts';
import { insertRows } from '../storage/insert-rows.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { EventType, StoredEvent } from './event.ts';

/** The endpoints of a tenant, as far as they decide what becomes of its events. */
export type Subscribers = readonly {
  readonly id: string;
  readonly event_types: string | null;
  readonly status: string;
}[];

/** Finds the endpoints of a tenant. */
export function findSubscribers(queries: Queries, tenantId: string): Promise<Subscribers> {
  return selectSubscribers(queries, { tenantId });
}

const selectSubscribers = prepareQuery<{ tenantId: string }, Subscribers[number]>((queries, parameter) =>
  queries
    .selectFrom('webhook_endpoints')
    .select(['id', 'event_types', 'status'])
    .where('tenant_id', '=', parameter('tenantId'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
);

/** Whether any of the endpoints wants events of a type. */
export function isWanted(subscribers: Subscribers, type: EventType): boolean {
  return subscribers.some((subscriber) => wants(subscriber, type));
}

function wants({ event_types }: Subscribers[number], type: string): boolean {
  return event_types === null || event_types.split(' ').includes(type);
}

/**
 * Makes a delivery of each event for each endpoint that wants it. For an endpoint that the server disabled it is a dead
 * letter from the start, so that nothing is lost when the endpoint comes back.
 * @param events of the tenant of the endpoints.
 * @returns the endpoints that have something to be sent now.
 */
export async function queueDeliveries(
  queries: Queries,
  now: string,
  events: readonly StoredEvent[],
  subscribers: Subscribers,
): Promise<readonly string[]> {
  const rows = events.flatMap((event) =>
    subscribers
      .filter((subscriber) => wants(subscriber, event.type))
      .map(({ id, status }) => {
        const delivery = newDelivery(event, id, now);
        if (status !== 'disabled') return delivery;
        return { ...delivery, status: 'dead', reason: 'endpoint_disabled', due_at: null, finished_at: now };
      }),
  );
  await insertRows(queries, 'webhook_deliveries', rows);
  const enabled = subscribers.filter(
    ({ id, status }) => status === 'enabled' && rows.some((row) => row.endpoint_id === id),
  );
  return enabled.map(({ id }) => id);
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
