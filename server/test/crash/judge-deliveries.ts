import { isDeepStrictEqual } from 'node:util';
import type { StoredDelivery } from './delivery-tables.ts';
import { type Change, capturedPurposes } from './load.ts';
import type { ReceivedDelivery, ReceivedEvent } from './receiver.ts';

/** Everything that is known of a run when it has come to rest. */
export interface DeliveryEvidence {
  /** What was acknowledged, and the id of what it made. */
  readonly told: ReadonlyMap<Change, string>;
  /** What came to the receiver of each endpoint, by the id of the delivery. */
  readonly received: ReadonlyMap<string, ReadonlyMap<string, ReceivedDelivery>>;
  readonly stored: readonly StoredDelivery[];
  /** At how many kills a delivery was in flight. */
  readonly inFlight: ReadonlyMap<string, number>;
}

export interface DeliveryJudgement {
  /** Changes whose event did not arrive at a receiver. */
  readonly lost: readonly string[];
  /** Deliveries that were taken again, once for each time. */
  readonly duplicates: number;
  readonly wrong: readonly string[];
}

/**
 * Judges a run.
 *
 * A delivery is in flight at a kill when the killed process had claimed it and had not written how it ended: read from the
 * database once the process is gone. This is what a receiver was handling at that moment, what it had answered within the
 * last moment, and what had not reached it yet. A delivery may be taken once, and once more for each kill at which it was in
 * flight.
 */
export function judgeDeliveries({ told, received, stored, inFlight }: DeliveryEvidence): DeliveryJudgement {
  const lost: string[] = [];
  const wrong: string[] = [];
  for (const [endpoint, deliveries] of received) {
    const bySubject = Map.groupBy(deliveries, ([, { event }]) => String(event.data.subjectId));
    for (const [change, id] of told) {
      const { subjectId } = change;
      const ofSubject = (bySubject.get(subjectId) ?? []).map(([, delivery]) => delivery);
      bySubject.delete(subjectId);
      if (!ofSubject.some(({ taken }) => taken > 0)) lost.push(`${subjectId} at ${endpoint}`);
      if (ofSubject.length > 1) wrong.push(`${subjectId}: ${ofSubject.length} deliveries to ${endpoint}`);
      for (const { event } of ofSubject)
        if (!tells(event, change, id))
          wrong.push(`${subjectId}: ${JSON.stringify(event)} is not what was acknowledged`);
    }
    wrong.push(...[...bySubject.keys()].map((subject) => `${subject}: told of at ${endpoint}, and never acknowledged`));
  }

  let duplicates = 0;
  for (const { id, endpointId, eventId, status, claimedBy, arrivals } of stored) {
    const delivery = received.get(endpointId)?.get(id);
    const taken = delivery?.taken ?? 0;
    duplicates += Math.max(0, taken - 1);
    const allowed = 1 + (inFlight.get(id) ?? 0);
    if (taken > allowed) wrong.push(`${id} was taken ${taken} times, ${allowed} at most may be`);
    if (taken === 0) wrong.push(`${id} is ${status} and was never taken`);
    if (delivery !== undefined && delivery.event.id !== eventId) wrong.push(`${id} came with another event`);
    if (status !== 'delivered') wrong.push(`${id} is ${status}`);
    if (claimedBy !== null) wrong.push(`${id} is still claimed`);
    if (arrivals === 0) wrong.push(`${id} has no attempt that arrived`);
  }
  const known = new Set(stored.map(({ id }) => id));
  for (const deliveries of received.values())
    for (const id of deliveries.keys()) if (!known.has(id)) wrong.push(`${id} came, and is not stored`);
  return { lost, duplicates, wrong };
}

/** Whether an event tells of a change as it was acknowledged. */
function tells({ type, data }: ReceivedEvent, { kind, at }: Change, id: string): boolean {
  if (kind === 'request') return type === 'dsr.created' && data.dsrId === id && data.type === 'access';
  return (
    type === 'consent.recorded' &&
    data.recordId === id &&
    data.capturedAt === at &&
    data.source === (kind === 'public' ? 'public' : 'api') &&
    isDeepStrictEqual(data.purposes, capturedPurposes)
  );
}
