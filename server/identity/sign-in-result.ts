import type { HostCookie } from '../access/request-credentials.ts';
import {
  createSession,
  endSessions,
  findSession,
  type OpenSession,
  type StoredSession,
} from '../access/session-store.ts';
import type { NewAuditEvent } from '../audit/event.ts';
import { clientSource } from '../audit/source.ts';
import { recordEvent, recordEvents } from '../audit/store.ts';
import type { Client } from '../http/client.ts';
import type { Installation } from '../installation/installation.ts';
import type { Actor } from '../principal/principal.ts';
import { platformRole } from '../principal/roles.ts';
import type { SessionLifetime } from '../settings.ts';
import { requireSeal, runUnitOfWork, type UnitOfWork } from '../storage/unit-of-work.ts';
import type { AccountRow } from './account-store.ts';
import { canSignIn, type Membership } from './membership.ts';
import { findMember } from './membership-store.ts';
import type { PasswordQueue } from './password-queue.ts';
import type { Attempt, SignInGuard } from './sign-in-guard.ts';
import { noteSignIn, rewriteAttempts } from './sign-in-store.ts';

/** The dependencies of sign-in, and of changes to what users sign in with. */
export interface SignInServices extends Pick<Installation, 'database' | 'hasher' | 'box'> {
  readonly passwords: PasswordQueue;
  readonly guard: SignInGuard;
  readonly sessionCookie: HostCookie;
  readonly sessionLifetime: SessionLifetime;
}

/** The client of a request without credentials. */
export interface Visitor {
  readonly client: Client;
  /** The time of the request: RFC 3339, UTC, milliseconds. */
  readonly now: string;
}

/** A user, the membership to sign in to, and the session that the browser had before. */
export interface SignInTarget {
  readonly account: AccountRow;
  readonly membership: Membership;
  readonly replaced: StoredSession | undefined;
}

/** A new session and the user who signed in. */
export interface OpenedSession extends OpenSession, Omit<SignInTarget, 'replaced'> {
  readonly status: 'signed_in';
}

/**
 * Reads the user and membership of a sign-in and locks them: changes that end sessions (a suspension, a new password or
 * second factor) wait for the account or for the tenant. Also locks the tenant of the session that the sign-in replaces.
 * @returns undefined where the membership does not allow sign-in.
 */
export async function lockSignIn(
  work: UnitOfWork,
  { sessionCookie }: SignInServices,
  { tenantId, userId }: Pick<Membership, 'tenantId' | 'userId'>,
  { client }: Visitor,
): Promise<SignInTarget | undefined> {
  const account = await work.lockAccount(userId);
  const replaced = await findSession(work.transaction, requireSeal(work), sessionCookie.read(client.cookie) ?? '');
  await work.lockTenant(tenantId, replaced?.tenant_id ?? tenantId);
  const membership = await findMember(work.transaction, tenantId, userId);
  return membership !== undefined && canSignIn(membership) ? { account, membership, replaced } : undefined;
}

/**
 * Opens a session and records it in the tenant's audit log. Ends the session that the browser had before, in whichever
 * tenant (ASVS 7.2.4).
 */
export async function openSession(
  work: UnitOfWork,
  { hasher, sessionLifetime }: SignInServices,
  { account, membership, replaced }: SignInTarget,
  proof: { readonly challengeId: string | null; readonly method: string },
  { client }: Visitor,
): Promise<OpenedSession> {
  const { tenantId, userId, userName } = membership;
  const { challengeId, method } = proof;
  if (replaced !== undefined) {
    const { id, tenant_id, user_id, email } = replaced;
    // None if it was ended since it was read.
    const ended = await endSessions(work.transaction, { userIds: [user_id], sessionId: id });
    if (ended > 0)
      await recordEvent(work, clientSource({ type: 'user', id: user_id, email }, client, hasher)(tenant_id), {
        ...sessionEvent('ended', user_id, email, { sessionId: id }),
        reason: 'Replaced by a new sign-in in the same browser',
      });
  }
  const session = await createSession(work, { tenantId, userId, challengeId }, sessionLifetime);
  await noteSignIn(work, { tenantId, userId });
  const type = membership.role === platformRole ? 'staff' : 'user';
  const source = clientSource({ type, id: userId, email: account.email }, client, hasher)(tenantId);
  await recordEvent(work, source, sessionEvent('created', userId, userName, { sessionId: session.id, method }));
  return { status: 'signed_in', ...session, account, membership };
}

/** An audit event about the session or sign-in of a user. */
export function sessionEvent(
  verb: string,
  targetId: string | null,
  targetRef: string,
  diff?: Readonly<Record<string, string>>,
): NewAuditEvent {
  return { module: 'identity', action: `session.${verb}`, targetId, targetRef, ...(diff !== undefined && { diff }) };
}

/** A failed attempt to sign in. */
export interface RefusedSignIn {
  readonly attempt: Attempt;
  readonly account: AccountRow | undefined;
  /** The memberships that the attempt was for. */
  readonly memberships: readonly Membership[];
  readonly reason: string;
}

/** The actor of an attempt whose credentials were wrong. */
const unknownActor: Actor = { type: 'user', id: null, email: null };

/**
 * Records a failed attempt in the audit logs of the tenants that it was for. Without such a tenant, as for an unknown
 * address, it rewrites the counter of the attempt: both cases take one durable write (ASVS 6.3.8).
 */
export async function refuseSignIn(
  { database, hasher }: SignInServices,
  { attempt, account, memberships, reason }: RefusedSignIn,
  { client, now }: Visitor,
): Promise<void> {
  const sourceOf = clientSource(unknownActor, client, hasher);
  const events = memberships
    .filter(({ isAccepted }) => isAccepted)
    .map(({ tenantId, userName }) => ({
      source: sourceOf(tenantId),
      event: { ...sessionEvent('refused', account?.id ?? null, userName), reason },
    }));
  await runUnitOfWork(database, now, async (work) => {
    if (events.length > 0) await recordEvents(work, events);
    else for (const { subject } of attempt.counters) await rewriteAttempts(work, subject);
  });
}
