import assert from 'node:assert/strict';
import { runUnitOfWork } from '../../storage/unit-of-work.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import type { ReceivedDelivery } from './sending.ts';

/** An event of a subject, as receivers see it: the number says which of its events it is. */
export interface NumberedEvent {
  readonly subject: string;
  readonly number: number;
}

/** Makes things happen to subjects, in this order, in one transaction. */
export async function happen(
  { installation, clock }: TestServer,
  { id: tenantId }: TestTenant,
  events: readonly NumberedEvent[],
): Promise<void> {
  const told = events.map(({ subject, number }) => ({
    tenantId,
    type: 'dsr.created' as const,
    data: { dsrId: subject, number },
  }));
  await runUnitOfWork(installation.database, clock.now(), (work) => emitEvents(work, told));
}

/** The events of one subject, numbered from one. */
export function eventsOf(subject: string, count: number): readonly NumberedEvent[] {
  return Array.from({ length: count }, (_, index) => ({ subject, number: index + 1 }));
}

export function readEvent({ body }: ReceivedDelivery): NumberedEvent {
  const { dsrId, number } = JSON.parse(String(body)).data;
  return { subject: dsrId, number };
}

/** The numbers of each subject, in the order in which they came. */
export function numbersOf(events: readonly NumberedEvent[]): Readonly<Record<string, readonly number[]>> {
  const bySubject = Map.groupBy(events, ({ subject }) => subject);
  return Object.fromEntries([...bySubject].map(([subject, of]) => [subject, of.map(({ number }) => number)]));
}

/** Of each key of an endpoint at most one delivery may be under way. */
export async function assertOneUnderWay({ installation }: TestServer, endpointId: string): Promise<void> {
  const claimed = await installation.database.kysely
    .selectFrom('webhook_deliveries')
    .select('ordering_key')
    .where('endpoint_id', '=', endpointId)
    .where('ordering_key', 'is not', null)
    .where('claimed_by', 'is not', null)
    .execute();
  const keys = claimed.map(({ ordering_key }) => ordering_key);
  assert.equal(new Set(keys).size, keys.length, `under way at once: ${keys}`);
}
