import type { Actor } from '../access/principal.ts';
import { clientSource } from '../audit/source.ts';
import { recordEvents } from '../audit/store.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import type { AccountRow } from './account-store.ts';
import type { Membership } from './membership.ts';
import type { Visitor } from './open-session.ts';
import type { IdentityServices } from './services.ts';

/** A try to sign in that failed. */
export interface RefusedSignIn {
  readonly account: AccountRow | undefined;
  /** Those that the try was aimed at. */
  readonly memberships: readonly Membership[];
  readonly reason: string;
}

/**
 * Records a failed try in the audit logs of the tenants that it was aimed at. For an unknown address nothing is written, so
 * that the answer comes sooner than for a member by the time of that write.
 */
export async function refuseSignIn(
  { database, hasher }: IdentityServices,
  { account, memberships, reason }: RefusedSignIn,
  { client, now }: Visitor,
): Promise<void> {
  const sourceOf = clientSource(unknownActor, client, hasher);
  await runUnitOfWork(database, now, async (work) => {
    const accepted = memberships.filter(({ isAccepted }) => isAccepted);
    const events = accepted.map(({ tenantId, userName }) => ({
      source: sourceOf(tenantId),
      event: {
        module: 'identity' as const,
        action: 'session.refused',
        targetId: account?.id ?? null,
        targetRef: userName,
        reason,
      },
    }));
    if (events.length > 0) await recordEvents(work, events);
  });
}

/** Somebody of whom nothing is proven. */
const unknownActor: Actor = { type: 'user', id: null, email: null };
