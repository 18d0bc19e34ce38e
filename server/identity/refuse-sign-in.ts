import type { Actor } from '../access/principal.ts';
import { clientSource } from '../audit/source.ts';
import { recordEvents } from '../audit/store.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import type { AccountRow } from './account-store.ts';
import type { Membership } from './membership.ts';
import type { Visitor } from './open-session.ts';
import type { IdentityServices } from './services.ts';
import type { Attempt } from './sign-in-guard.ts';

/** A try to sign in that failed. */
export interface RefusedSignIn {
  readonly attempt: Attempt;
  readonly account: AccountRow | undefined;
  /** Those that the try was aimed at. */
  readonly memberships: readonly Membership[];
  readonly reason: string;
}

/**
 * Counts a failure and tells the tenants that the person takes part in. For an address of nobody it takes the same way.
 */
export async function refuseSignIn(
  { database, hasher, guard }: IdentityServices,
  { attempt, account, memberships, reason }: RefusedSignIn,
  { client, now }: Visitor,
): Promise<void> {
  const sourceOf = clientSource(unknownActor, client, hasher);
  await runUnitOfWork(database, now, async (work) => {
    const told = memberships.filter(({ isAccepted }) => isAccepted);
    const events = told.map(({ tenantId, userName }) => ({
      source: sourceOf(tenantId),
      event: {
        module: 'identity' as const,
        action: 'session.refused',
        targetId: account?.id ?? null,
        targetRef: userName,
        reason,
      },
    }));
    if (events.length > 0) await recordEvents(work.transaction, work.now, events);
    await guard.fail(work, attempt);
  });
}

/** Somebody of whom nothing is proven. */
const unknownActor: Actor = { type: 'user', id: null, email: null };
