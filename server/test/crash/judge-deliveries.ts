import { isDeepStrictEqual } from 'node:util';
import type { StoredDelivery } from './delivery-tables.ts';
import { type Change, capturedPurposes } from './load.ts';
import type { ReceivedDelivery, ReceivedEvent } from './receiver.ts';

/** The complete record of a run after it has settled. */
export interface DeliveryEvidence {
  /** The acknowledged changes, with the ids of the created objects. */
  readonly confirmed: ReadonlyMap<Change, string>;
  /** The deliveries that the receiver of each endpoint got, by id. */
  readonly received: ReadonlyMap<string, ReadonlyMap<string, ReceivedDelivery>>;
  readonly stored: readonly StoredDelivery[];
  /** The number of kills during which a delivery was in flight. */
  readonly inFlight: ReadonlyMap<string, number>;
}

export interface DeliveryJudgement {
  /** Changes whose event did not arrive at a receiver. */
  readonly lost: readonly string[];
  /** Repeated deliveries, once for each repetition. */
  readonly duplicates: number;
  readonly wrong: readonly string[];
}

/**
 * Judges a run.
 *
 * A delivery is in flight at a kill if a process had claimed it and had not written its result, read from the
 * database after the killed process exited. The receiver may have been handling it, may have just responded, or may not have got it
 * yet. A delivery may be accepted once, and once more for each kill at which it was in flight.
 */
export function judgeDeliveries({ confirmed, received, stored, inFlight }: DeliveryEvidence): DeliveryJudgement {
  const lost: string[] = [];
  const wrong: string[] = [];
  for (const [endpoint, deliveries] of received) {
    const bySubject = Map.groupBy(deliveries, ([, { event }]) => String(event.data.subjectId));
    for (const [change, id] of confirmed) {
      const { subjectId } = change;
      const ofSubject = (bySubject.get(subjectId) ?? []).map(([, delivery]) => delivery);
      bySubject.delete(subjectId);
      if (!ofSubject.some(({ taken }) => taken > 0)) lost.push(`${subjectId} at ${endpoint}`);
      if (ofSubject.length > 1) wrong.push(`${subjectId}: ${ofSubject.length} deliveries to ${endpoint}`);
      for (const { event } of ofSubject)
        if (!matches(event, change, id))
          wrong.push(`${subjectId}: ${JSON.stringify(event)} is not what was acknowledged`);
    }
    wrong.push(
      ...[...bySubject.values()].map(
        ([first]) => `${JSON.stringify(first?.[1].event)} arrived at ${endpoint}, and was never acknowledged`,
      ),
    );
  }

  let duplicates = 0;
  for (const { id, endpointId, eventId, status, claimedUntil, arrivals } of stored) {
    const delivery = received.get(endpointId)?.get(id);
    const taken = delivery?.taken ?? 0;
    duplicates += Math.max(0, taken - 1);
    const allowed = 1 + (inFlight.get(id) ?? 0);
    if (taken > allowed) wrong.push(`${id} was taken ${taken} times, ${allowed} at most may be`);
    if (taken === 0) wrong.push(`${id} is ${status} and was never taken`);
    if (delivery !== undefined && delivery.event.id !== eventId) wrong.push(`${id} came with another event`);
    if (status !== 'delivered') wrong.push(`${id} is ${status}`);
    if (claimedUntil !== null) wrong.push(`${id} is still claimed`);
    if (arrivals === 0) wrong.push(`${id} has no attempt that arrived`);
  }
  const known = new Set(stored.map(({ id }) => id));
  for (const deliveries of received.values())
    for (const id of deliveries.keys()) if (!known.has(id)) wrong.push(`${id} came, and is not stored`);
  return { lost, duplicates, wrong };
}

/** True if an event matches a change as it was acknowledged. */
function matches({ type, data }: ReceivedEvent, { kind, at }: Change, id: string): boolean {
  if (kind === 'request') return type === 'dsr.created' && data.dsrId === id && data.type === 'access';
  return (
    type === 'consent.recorded' &&
    data.recordId === id &&
    data.capturedAt === at &&
    data.source === (kind === 'public' ? 'public' : 'api') &&
    isDeepStrictEqual(data.purposes, capturedPurposes)
  );
}
