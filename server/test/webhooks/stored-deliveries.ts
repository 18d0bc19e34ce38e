import assert from 'node:assert/strict';
import { insertRows, newId } from '../../storage/rows.ts';
import type { DeliveryRow, DeliveryStatus } from '../../webhooks/deliveries/delivery.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import { readAllRows } from '../http/stored-rows.ts';

/** The fields of a delivery that a test sets. */
export interface WantedDelivery {
  readonly webhookId: string;
  readonly status?: DeliveryStatus;
  readonly reason?: string | null;
  readonly eventType?: string;
  readonly createdAt?: string;
  readonly data?: object;
}

/**
 * Stores deliveries as the sender leaves them, each with its own event: by default dead letters.
 * @returns the rows, in order.
 */
export async function storeDeliveries(
  { installation, clock }: TestServer,
  { id: tenant_id }: Pick<TestTenant, 'id'>,
  wanted: readonly WantedDelivery[],
): Promise<readonly DeliveryRow[]> {
  const now = clock.now();
  const stored = wanted.map((one) => {
    const { status = 'dead', eventType = 'consent.recorded', createdAt = now, data = { secret: 'of the event' } } = one;
    const event = { id: newId(), tenant_id, type: eventType, data: JSON.stringify(data), created_at: createdAt };
    const isOpen = status === 'pending';
    const isTried = !isOpen && one.reason !== 'endpoint_disabled';
    const row: DeliveryRow = {
      id: newId(),
      tenant_id,
      endpoint_id: one.webhookId,
      event_id: event.id,
      event_type: eventType,
      status,
      reason: one.reason !== undefined ? one.reason : ['dead', 'redelivered'].includes(status) ? 'http_error' : null,
      response_status: isTried ? (status === 'delivered' ? 204 : 500) : null,
      attempts: isTried ? 1 : 0,
      first_attempt_at: isTried ? createdAt : null,
      due_at: isOpen ? createdAt : null,
      claimed_until: null,
      redelivery_of: null,
      created_at: createdAt,
      finished_at: isOpen ? null : now,
    };
    return { event, row };
  });
  await installation.database.kysely.transaction().execute(async (transaction) => {
    const events = stored.map(({ event }) => event);
    const rows = stored.map(({ row }) => row);
    await insertRows(transaction, 'webhook_events', events);
    await insertRows(transaction, 'webhook_deliveries', rows);
  });
  return stored.map(({ row }) => row);
}

/** Stores one delivery. @returns its id. */
export async function storeDelivery(
  server: TestServer,
  tenant: Pick<TestTenant, 'id'>,
  wanted: WantedDelivery,
): Promise<string> {
  const [row] = await storeDeliveries(server, tenant, [wanted]);
  return (row as DeliveryRow).id;
}

/** Stores an attempt at a delivery. @returns the row. */
export async function storeAttempt({ installation, clock }: TestServer, deliveryId: string, columns: object = {}) {
  const { kysely } = installation.database;
  const delivery = kysely.selectFrom('webhook_deliveries').select('tenant_id').where('id', '=', deliveryId);
  const row = {
    ...(await delivery.executeTakeFirstOrThrow()),
    delivery_id: deliveryId,
    id: newId(),
    at: clock.now(),
    outcome: 'http_error',
    response_status: 500,
    message: 'The receiver answered 500.',
    excerpt: '<script>alert(1)</script>',
    milliseconds: 12,
    ...columns,
  };
  await kysely.insertInto('webhook_attempts').values(row).execute();
  return row;
}

/** Sends requests that must leave every row unchanged. */
export async function assertNothingWritten({ installation }: TestServer, run: () => Promise<void>): Promise<void> {
  const earlier = await readAllRows(installation.database);
  await run();
  assert.equal(await readAllRows(installation.database), earlier);
}
