import { runTransaction } from '../../storage/database.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import type { ReceivedDelivery } from './sending.ts';

/** An event of a subject, as receivers see it, with its number among the events of the subject. */
export interface NumberedEvent {
  readonly subject: string;
  readonly number: number;
}

/** Emits events of subjects, in this order, in one transaction. */
export async function happen(
  { installation, clock }: TestServer,
  { id: tenantId }: TestTenant,
  events: readonly NumberedEvent[],
): Promise<void> {
  const numbered = events.map(({ subject, number }) => ({
    tenantId,
    type: 'dsr.created' as const,
    data: { dsrId: subject, number },
  }));
  await runTransaction(installation.database, clock.now(), (tx) => emitEvents(tx, numbered));
}

/** The events of one subject, numbered from one. */
export function eventsOf(subject: string, count: number): readonly NumberedEvent[] {
  return Array.from({ length: count }, (_, index) => ({ subject, number: index + 1 }));
}

export function readEvent({ body }: ReceivedDelivery): NumberedEvent {
  const { dsrId, number } = JSON.parse(String(body)).data;
  return { subject: dsrId, number };
}

/** The numbers of each subject, in the order of arrival. */
export function numbersOf(events: readonly NumberedEvent[]): Readonly<Record<string, readonly number[]>> {
  const bySubject = Map.groupBy(events, ({ subject }) => subject);
  return Object.fromEntries([...bySubject].map(([subject, of]) => [subject, of.map(({ number }) => number)]));
}
