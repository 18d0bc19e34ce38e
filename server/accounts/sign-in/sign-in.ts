import type { Selectable } from 'kysely';
import type { Logger } from 'pino';
import { Problem } from '../../http/problem.ts';
import { staffRole } from '../../http/roles.ts';
import type { Call, UserCall } from '../../http/route.ts';
import type { Installation } from '../../installation/installation.ts';
import { accountRows } from '../../ledger/audit/rows.ts';
import { clientSource, type NewAuditEvent, personal, recordEvent, recordEvents } from '../../ledger/audit/store.ts';
import type { SessionLifetime } from '../../settings.ts';
import { addTime, dayMilliseconds, inTransaction, runTransaction, type Transaction } from '../../storage/database.ts';
import { locksRows, type Queries } from '../../storage/queries.ts';
import { countDeleted, findRow, insertRow, newId, updateRow } from '../../storage/rows.ts';
import { requireSeal } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { type AccountRow, findAccount, listAccepted, recordAccountChange } from '../members/account-store.ts';
import { readTypedEmail } from '../members/email.ts';
import { canSignIn, type MembershipRow } from '../members/membership.ts';
import { findMember, listMembershipsOf } from '../members/membership-store.ts';
import { consumeCode, verifyCode } from '../mfa/codes.ts';
import { isSecondFactorEnabled } from '../mfa/second-factor.ts';
import { findTenant } from '../tenants/store.ts';
import { nameDevice } from './device.ts';
import type { PasswordQueue } from './password-queue.ts';
import { createSession, endSessions, findSession, type HostCookie } from './session-store.ts';
import type { Attempt, SignInGuard } from './sign-in-guard.ts';

const challengeMilliseconds = 5 * 60 * 1000;
/** The most codes that can be tried against one challenge. */
const mostAttempts = 5;

/** The dependencies of sign-in, and of changes to what users sign in with. */
export interface SignInServices extends Omit<Installation, 'passwords'> {
  readonly log: Logger;
  readonly passwords: PasswordQueue;
  readonly guard: SignInGuard;
  readonly sessionCookie: HostCookie;
  readonly sessionLifetime: SessionLifetime;
}

/** A request without credentials. */
export type Visitor = Pick<Call, 'client' | 'now'>;

export type OpenedSession = Awaited<ReturnType<typeof openSession>>;

/**
 * Signs a user in with their password. Unknown addresses, wrong passwords and memberships that do not allow sign-in get
 * the same answer, after the same hash (ASVS 6.3.8).
 * @param wanted.tenant id or slug; without it, the tenant of the user's latest sign-in.
 * @throws {Problem} `invalid_credentials`, `rate_limited` or `unavailable`.
 */
export async function signIn(
  services: SignInServices,
  wanted: { readonly email: string; readonly password: string; readonly tenant?: string | undefined },
  visitor: Visitor,
) {
  const { database, hasher, passwords, guard } = services;
  const { client, now } = visitor;
  const email = readTypedEmail(wanted.email) ?? wanted.email.trim().toLowerCase();
  const account = await findAccount(database.kysely, email);
  const attempt = await guard.admit(email, account, client);
  const { memberships, isRight } = await guard.check(attempt, async () => {
    const all = await listMembershipsOf(database.kysely, account?.id ?? '');
    const tenant = wanted.tenant === undefined ? null : await findTenant(database.kysely, wanted.tenant);
    const memberships = tenant === null ? all : all.filter(({ tenant_id }) => tenant_id === tenant?.id);
    return { memberships, isRight: await passwords.verify(attempt, wanted.password, account?.password_hash ?? null) };
  });
  const [membership] = memberships
    .filter(canSignIn)
    .toSorted((one, other) => (other.last_signed_in_at ?? '').localeCompare(one.last_signed_in_at ?? ''));
  if (account === undefined || membership === undefined || !isRight) {
    // One reason for both: a tenant that the user left must not learn that the password was right.
    const reason = 'Wrong password, or no active membership';
    await refuseSignIn(services, { attempt, account, memberships, reason }, visitor);
    throw wrongCredentials();
  }
  const open = async (tx: Transaction) => {
    const target = await lockSignIn(tx, services, membership, visitor);
    // The password or the membership changed while the hash was computed.
    if (target === undefined || target.account.password_changed_at !== account.password_changed_at) return null;
    if (await isSecondFactorEnabled(tx.queries, account.id)) {
      const { id, expires_at } = await insertRow(tx.queries, 'sign_in_challenges', {
        id: newId(),
        tenant_id: membership.tenant_id,
        user_id: membership.user_id,
        password_changed_at: account.password_changed_at,
        attempts: 0,
        expires_at: addTime(tx.now, challengeMilliseconds),
      });
      await guard.giveBack(tx, attempt);
      // A right password without a code that follows indicates a stolen password.
      const source = clientSource({ type: 'user', id: account.id, email: account.email }, client, hasher);
      const event = sessionEvent('challenged', account.id, target.membership.user_name, { challengeId: id });
      await recordEvent(tx, source(membership.tenant_id), event);
      return { status: 'mfa_required', challengeId: id, expiresAt: expires_at } as const;
    }
    await guard.succeed(tx, attempt);
    return openSession(tx, services, target, { challengeId: null, method: 'password' }, visitor);
  };
  // Inside the check: a right password does not count as a failure when the database rejects the session.
  const opened = await guard.check(attempt, async () => {
    await rehash(services, account, wanted.password, attempt, visitor);
    return runTransaction(database, now, open);
  });
  if (opened === null) throw wrongCredentials();
  return opened;
}

/** @throws {Problem} `invalid_challenge`, `code_incorrect`, `rate_limited` or `unavailable`. */
export async function answerChallenge(
  services: SignInServices,
  { challengeId, code }: { readonly challengeId: string; readonly code: string },
  visitor: Visitor,
): Promise<OpenedSession> {
  const { database, hasher, guard } = services;
  const { client, now } = visitor;
  const found = await findRow(database.kysely, 'sign_in_challenges', { id: challengeId });
  const challenge = found && found.attempts < mostAttempts && found.expires_at > now ? found : undefined;
  const account = challenge && (await findRow(database.kysely, 'users', { id: challenge.user_id }));
  if (challenge === undefined || account === undefined) throw invalidChallenge();
  const attempt = await guard.admit(account.email, account, client);
  // Only a wrong or used code counts as a failure.
  const session = await guard.check(attempt, async () => {
    // Concurrent requests took the last attempt.
    if (!(await inTransaction(database, (transaction) => countTry(transaction, challenge)))) throw invalidChallenge();
    const verified = await verifyCode(services, attempt, account.id, code, now);
    if (verified === null) return null;
    return runTransaction(database, now, async (tx) => {
      const target = await lockSignIn(tx, services, challenge, visitor, verified.method === 'backup_code');
      const ofTenant = tx.queries.deleteFrom('sign_in_challenges').where('tenant_id', '=', challenge.tenant_id);
      const answered = ofTenant.where('id', '=', challengeId);
      // Another request was faster if there is none to delete.
      if (target === undefined || (await answered.executeTakeFirstOrThrow()).numDeletedRows === 0n)
        throw invalidChallenge();
      // A new password ends all challenges; an older one was put back into the database.
      if (challenge.password_changed_at !== target.account.password_changed_at) throw invalidChallenge();
      // Rolls back: the challenge stays, and another code can be tried against it.
      const sourceOf = clientSource({ type: 'user', id: account.id, email: account.email }, client, hasher);
      if (!(await consumeCode(tx, sourceOf, account.id, verified))) throw new UsedCode();
      await guard.succeed(tx, attempt);
      return openSession(tx, services, target, { challengeId, method: verified.method }, visitor);
    }).catch((error: unknown) => {
      if (error instanceof UsedCode) return null;
      throw error;
    });
  });
  if (session !== null) return session;
  const all = await listMembershipsOf(database.kysely, account.id);
  const memberships = all.filter(({ tenant_id }) => tenant_id === challenge.tenant_id);
  await refuseSignIn(services, { attempt, account, memberships, reason: 'Wrong code' }, visitor);
  throw new Problem('code_incorrect', 'The code is wrong, expired or was used before. Try the next one.');
}

/** Counts a code that is tried. @returns false if no more may be tried. */
async function countTry(
  queries: Queries,
  { tenant_id, id }: Selectable<Tables['sign_in_challenges']>,
): Promise<boolean> {
  // Concurrent ones wait for each other.
  const rows = queries.selectFrom('sign_in_challenges').select('id').where('tenant_id', '=', tenant_id);
  if (locksRows(queries)) await rows.where('id', '=', id).forUpdate().execute();
  const challenge = await findRow(queries, 'sign_in_challenges', { tenant_id, id });
  if (challenge === undefined || challenge.attempts >= mostAttempts) return false;
  await updateRow(queries, 'sign_in_challenges', { tenant_id, id }, { attempts: challenge.attempts + 1 });
  return true;
}

/** Replaces a hash that was computed at a lower cost. */
async function rehash(
  { database, passwords, hasher }: SignInServices,
  account: AccountRow,
  password: string,
  attempt: Attempt,
  { client, now }: Visitor,
): Promise<void> {
  if (account.password_hash === null || !passwords.isOutdated(account.password_hash)) return;
  const hash = await passwords.hash(attempt, password).catch((error: unknown) => {
    // When the queue is full, the next sign-in replaces it.
    if (error instanceof Problem) return null;
    throw error;
  });
  if (hash === null) return;
  const sourceOf = clientSource({ type: 'user', id: account.id, email: account.email }, client, hasher);
  await runTransaction(database, now, async (tx) => {
    // The password may have been changed in the meantime.
    if ((await tx.lockAccount(account.id)).password_hash !== account.password_hash) return;
    const row = await updateRow(tx.queries, 'users', { id: account.id }, { password_hash: hash });
    await recordAccountChange(tx, sourceOf, accountRows, account.id, row, { verb: 'password_rehashed' });
  });
}

/**
 * Reads the user and membership of a sign-in and locks them: changes that end sessions (a suspension, a new password or
 * second factor) wait for the account or for the tenant. Also locks the tenant of the session that the sign-in replaces.
 * @param changesAccount true if a change of the account will be recorded: locks all tenants of the user.
 * @returns undefined where the membership does not allow sign-in.
 */
export async function lockSignIn(
  tx: Transaction,
  { sessionCookie }: SignInServices,
  { tenant_id: tenantId, user_id: userId }: Pick<MembershipRow, 'tenant_id' | 'user_id'>,
  { client }: Visitor,
  changesAccount = false,
) {
  const account = await tx.lockAccount(userId);
  const replaced = await findSession(tx.queries, requireSeal(tx), sessionCookie.read(client.cookie) ?? '');
  const others = changesAccount ? await listAccepted(tx.queries, userId) : [];
  const ids = others.map(({ tenant_id }) => tenant_id);
  await tx.lockTenant(...new Set([tenantId, replaced?.tenant_id ?? tenantId, ...ids]));
  const membership = await findMember(tx.queries, tenantId, userId);
  return membership !== undefined && canSignIn(membership) ? { account, membership, replaced } : undefined;
}

/**
 * Opens a session and records it in the tenant's audit log. Ends the session that the browser had before, in whichever
 * tenant (ASVS 7.2.4).
 */
export async function openSession(
  tx: Transaction,
  { hasher, sessionLifetime }: SignInServices,
  { account, membership, replaced }: NonNullable<Awaited<ReturnType<typeof lockSignIn>>>,
  proof: { readonly challengeId: string | null; readonly method: string },
  { client }: Visitor,
) {
  const { tenant_id: tenantId, user_id: userId, user_name: userName } = membership;
  const { challengeId, method } = proof;
  if (replaced !== undefined) {
    const { id, tenant_id, user_id, email } = replaced;
    // None if it was ended since it was read.
    const ended = await endSessions(tx.queries, { userIds: [user_id], tenantId: tenant_id, sessionId: id });
    if (ended > 0)
      await recordEvent(tx, clientSource({ type: 'user', id: user_id, email }, client, hasher)(tenant_id), {
        ...sessionEvent('ended', user_id, email, { sessionId: id }),
        reason: 'Replaced by a new sign-in in the same browser',
      });
  }
  const opened = { tenantId, userId, challengeId, device: nameDevice(client.userAgent) };
  const session = await createSession(tx, opened, sessionLifetime);
  const match = { tenant_id: tenantId, user_id: userId };
  await updateRow(tx.queries, 'memberships', match, { last_signed_in_at: tx.now });
  const type = membership.role === staffRole ? 'staff' : 'user';
  const source = clientSource({ type, id: userId, email: account.email }, client, hasher)(tenantId);
  await recordEvent(tx, source, sessionEvent('created', userId, userName, { sessionId: session.id, method }));
  return { status: 'signed_in', ...session, account, membership } as const;
}

/** An audit event about the session or sign-in of a user. */
export function sessionEvent(
  verb: string,
  targetId: string | null,
  targetRef: string,
  diff?: Readonly<Record<string, string>>,
): NewAuditEvent {
  return {
    module: 'identity',
    action: `session.${verb}`,
    targetId,
    targetRef: personal(targetRef),
    ...(diff !== undefined && { diff }),
  };
}

/**
 * Verifies the password of a signed-in user again, before an operation that requires it (ASVS 7.5.1). Call it outside of
 * a transaction: it takes as long as a hash.
 * @returns the account, and the attempt to use for further hashes of the operation.
 * @throws {Problem} `password_incorrect`, `unavailable`, or `rate_limited` after too many failures.
 */
export function reauthenticate(services: SignInServices, call: UserCall, password: string) {
  const { database, passwords, guard } = services;
  const refusal = {
    event: { module: 'identity', action: 'session.reauthentication_failed' },
    problem: new Problem('password_incorrect', 'The current password is incorrect.'),
  } as const;
  return requireProof(services, call, refusal, async (attempt) => {
    const account = await findRow(database.kysely, 'users', { id: call.principal.actor.id });
    const isRight = await passwords.verify(attempt, password, account?.password_hash ?? null);
    if (account === undefined || !isRight) return null;
    await runTransaction(database, call.now, (tx) => guard.succeed(tx, attempt));
    return { account, attempt };
  });
}

/** Failures count as failed sign-ins and are audited. @param prove returns null for a wrong password or code. */
export async function requireProof<Result>(
  { database, guard }: SignInServices,
  call: UserCall,
  refusal: { readonly event: Pick<NewAuditEvent, 'module' | 'action'>; readonly problem: Problem },
  prove: (attempt: Attempt) => Promise<Result | null>,
): Promise<Result> {
  const { actor, credential } = call.principal;
  // Counted by session: attempts from elsewhere cannot block the user.
  const attempt = await guard.admitHolder(actor.email, 'session', credential.id);
  const proven = await guard.check(attempt, () => prove(attempt));
  if (proven !== null) return proven;
  const event = { ...refusal.event, targetId: actor.id, targetRef: personal(actor.email) };
  await runTransaction(database, call.now, (tx) => recordEvent(tx, call.source(), event));
  throw refusal.problem;
}

/**
 * Records a failed attempt in the audit logs of the tenants that it was for. Without such a tenant, as for an unknown
 * address, it rewrites the counter of the attempt: both cases take one durable write (ASVS 6.3.8).
 */
export async function refuseSignIn(
  { database, hasher, log }: SignInServices,
  refused: { attempt: Attempt; account: AccountRow | undefined; memberships: readonly MembershipRow[]; reason: string },
  { client, now }: Visitor,
): Promise<void> {
  const { attempt, account, memberships, reason } = refused;
  const sourceOf = clientSource({ type: 'user', id: null, email: null }, client, hasher);
  const events = memberships
    .filter(({ accepted_at }) => accepted_at !== null)
    .map(({ tenant_id, user_name }) => ({
      source: sourceOf(tenant_id),
      event: { ...sessionEvent('refused', account?.id ?? null, user_name), reason },
    }));
  await runTransaction(database, now, async (tx) => {
    if (events.length > 0) await recordEvents(tx, events);
    // Two steps: SQLite skips a write without a change.
    else
      for (const { subject } of attempt.counters)
        for (const step of [1, -1])
          await tx.queries
            .updateTable('sign_in_failures')
            .set((row) => ({ failures: row('failures', '+', step) }))
            .where('subject', '=', subject)
            .execute();
  });
  log.info({ reason, tenantIds: events.map(({ source }) => source.tenantId) }, 'sign-in refused');
}

/** Deletes expired challenges and links, and the failures of a subject a day after the last one. */
export async function deleteExpiredSignIns(queries: Queries, now: string) {
  const before = addTime(now, -dayMilliseconds);
  return {
    signInChallenges: await countDeleted(queries.deleteFrom('sign_in_challenges').where('expires_at', '<=', now)),
    oneTimeTokens: await countDeleted(queries.deleteFrom('one_time_tokens').where('expires_at', '<=', now)),
    signInFailures: await countDeleted(queries.deleteFrom('sign_in_failures').where('last_failed_at', '<=', before)),
  };
}

class UsedCode extends Error {}

const headers = { 'WWW-Authenticate': 'Bearer realm="svc"' };

function wrongCredentials(): Problem {
  return new Problem('invalid_credentials', 'The e-mail address or the password is wrong.', { headers });
}

function invalidChallenge(): Problem {
  return new Problem('invalid_challenge', 'This sign-in has expired; start again with your password.', { headers });
}
