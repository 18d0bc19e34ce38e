import { clientSource } from '../audit/source.ts';
import { recordEvents } from '../audit/store.ts';
import type { Actor } from '../principal/principal.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import type { AccountRow } from './account-store.ts';
import type { Membership } from './membership.ts';
import type { Visitor } from './open-session.ts';
import type { IdentityServices } from './services.ts';
import type { Attempt } from './sign-in-guard.ts';
import { rewriteTries } from './sign-in-store.ts';

/** A try to sign in that failed. */
export interface RefusedSignIn {
  readonly attempt: Attempt;
  readonly account: AccountRow | undefined;
  /** Those that the try was aimed at. */
  readonly memberships: readonly Membership[];
  readonly reason: string;
}

/**
 * Records a failed try in the audit logs of the tenants that it was aimed at. Where there is none, as for an unknown
 * address, the counter of the try is written again: the time of one durable write is the same for both (ASVS 6.3.8).
 */
export async function refuseSignIn(
  { database, hasher }: IdentityServices,
  { attempt, account, memberships, reason }: RefusedSignIn,
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
    else for (const { subject } of attempt.counters) await rewriteTries(work, subject);
  });
}

/** Somebody of whom nothing is proven. */
const unknownActor: Actor = { type: 'user', id: null, email: null };
