import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { expireDelivery } from './attempt.ts';
import type { SendingEndpoint } from './endpoint-store.ts';
import { claimInOrder, releaseNext } from './order-store.ts';
import { type ClaimedDelivery, claimDeliveries, finishAttempts } from './queue-store.ts';
import { isWithinWindow } from './schedule.ts';
import { tellExhausted, tellOthers } from './tell-endpoints.ts';

/** What a process claimed for an endpoint. */
export interface ClaimedWork {
  /** To be attempted now. */
  readonly deliveries: readonly ClaimedDelivery[];
  /** Whether more may be due. */
  readonly hasMore: boolean;
}

/** Claims what is due to an endpoint, in its order; what can no longer be tried, because its 24 hours are over, is ended. */
export async function claimForEndpoint(
  work: UnitOfWork,
  sender: string,
  endpoint: SendingEndpoint,
  limit: number,
): Promise<ClaimedWork> {
  const { transaction, now } = work;
  const { claimed, hasMore } = await claimDue(work, sender, endpoint, limit);
  const deliveries = claimed.filter(({ firstAttemptAt }) => isWithinWindow(firstAttemptAt, now));
  if (deliveries.length === claimed.length) return { deliveries, hasMore };
  const expired = claimed
    .filter((delivery) => !deliveries.includes(delivery))
    .map((delivery) => ({ delivery, state: expireDelivery(delivery, now) }));
  const states = expired.map(({ state }) => state);
  await finishAttempts(transaction, sender, [], states);
  const places = expired.flatMap(({ delivery: { orderingKey } }) =>
    orderingKey === null ? [] : [{ endpointId: endpoint.id, orderingKey }],
  );
  await releaseNext(transaction, now, places);
  await tellOthers(work, endpoint, tellExhausted(endpoint, expired));
  return { deliveries, hasMore: hasMore || places.length > 0 };
}

async function claimDue(
  { transaction, now }: UnitOfWork,
  sender: string,
  endpoint: SendingEndpoint,
  limit: number,
): Promise<{ readonly claimed: readonly ClaimedDelivery[]; readonly hasMore: boolean }> {
  const claim = { endpointId: endpoint.id, sender, now, limit };
  if (endpoint.ordering !== 'none') {
    const { deliveries, hasMore } = await claimInOrder(transaction, claim);
    return { claimed: deliveries, hasMore };
  }
  const claimed = await claimDeliveries(transaction, claim);
  return { claimed, hasMore: claimed.length === limit };
}
