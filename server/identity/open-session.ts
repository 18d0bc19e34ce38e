import { createSession, endSessions, findSession, type OpenSession } from '../access/session-store.ts';
import type { NewAuditEvent } from '../audit/event.ts';
import { clientSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import type { Client } from '../http/client.ts';
import { lockChain } from '../ledger/append.ts';
import type { Actor } from '../principal/principal.ts';
import { platformRole } from '../principal/roles.ts';
import { requireSeal, type UnitOfWork } from '../storage/unit-of-work.ts';
import { type AccountRow, lockAccount } from './account-store.ts';
import { canSignIn, type Membership } from './membership.ts';
import { findMember } from './membership-store.ts';
import type { IdentityServices } from './services.ts';
import { noteSignIn } from './sign-in-store.ts';

/** Somebody at a browser who is not signed in yet. */
export interface Visitor {
  readonly client: Client;
  readonly now: string;
}

/** A session that was opened just now. */
export interface OpenedSession extends OpenSession {
  readonly status: 'signed_in';
  readonly account: AccountRow;
  readonly membership: Membership;
}

/**
 * Reads who is about to sign in, and keeps whatever ends sessions (a suspension, another password, a second factor) from
 * happening beside: all of it waits for the account or for the tenant's chain.
 * @returns undefined where the membership may not sign in.
 */
export async function lockSignIn(
  work: UnitOfWork,
  { tenantId, userId }: { readonly tenantId: string; readonly userId: string },
): Promise<{ readonly account: AccountRow; readonly membership: Membership } | undefined> {
  const account = await lockAccount(work, userId);
  await lockChain(work.transaction, tenantId, 'audit');
  const membership = await findMember(work.transaction, tenantId, userId);
  return membership !== undefined && canSignIn(membership) ? { account, membership } : undefined;
}

/** Opens a session in the place of the one that the browser had, and tells the tenants (ASVS 7.2.4). */
export async function openSession(
  work: UnitOfWork,
  { hasher, sessionLifetime, sessionCookie }: IdentityServices,
  opened: {
    readonly account: AccountRow;
    readonly membership: Membership;
    readonly challengeId: string | null;
    readonly method: string;
  },
  { client }: Visitor,
): Promise<OpenedSession> {
  const { account, membership, challengeId, method } = opened;
  const { tenantId, userId } = membership;
  const tell = (
    tenantId: string,
    actor: Actor & { readonly id: string },
    event: Omit<NewAuditEvent, 'module' | 'targetId'>,
  ) =>
    recordEvent(work, clientSource(actor, client, hasher)(tenantId), {
      module: 'identity',
      targetId: actor.id,
      ...event,
    });
  const replaced = await findSession(work.transaction, requireSeal(work), sessionCookie.read(client.cookie) ?? '');
  if (replaced !== undefined) {
    const { id, tenant_id, user_id, email } = replaced;
    await endSessions(work.transaction, { userIds: [user_id], sessionId: id });
    await tell(
      tenant_id,
      { type: 'user', id: user_id, email },
      {
        action: 'session.ended',
        targetRef: email,
        diff: { sessionId: id },
        reason: 'Somebody signed in in the same browser',
      },
    );
  }
  const session = await createSession(work, { tenantId, userId, challengeId }, sessionLifetime);
  await noteSignIn(work, { tenantId, userId });
  await tell(
    tenantId,
    { type: membership.role === platformRole ? 'staff' : 'user', id: userId, email: account.email },
    {
      action: 'session.created',
      targetRef: membership.userName,
      diff: { sessionId: session.id, method },
    },
  );
  return { status: 'signed_in', ...session, account, membership };
}
