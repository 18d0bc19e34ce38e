import { clientSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem } from '../http/problem.ts';
import { inTransaction } from '../storage/database.ts';
import { runUnitOfWork, type UnitOfWork } from '../storage/unit-of-work.ts';
import { findTenant } from '../tenants/store.ts';
import {
  type AccountRow,
  accountRows,
  findAccount,
  findAccountById,
  recordAccountChange,
  storeHash,
} from './account-store.ts';
import { normalizeEmail } from './email.ts';
import { canSignIn } from './membership.ts';
import { listMembershipsOf } from './membership-store.ts';
import { consumeCode, verifyCode } from './mfa/codes.ts';
import { isSecondFactorEnabled } from './mfa/store.ts';
import type { Attempt } from './sign-in-guard.ts';
import {
  lockSignIn,
  type OpenedSession,
  openSession,
  refuseSignIn,
  type SignInServices,
  sessionEvent,
  type Visitor,
} from './sign-in-result.ts';
import { consumeChallenge, countChallengeAttempt, createChallenge, findChallenge } from './sign-in-store.ts';

/** The password was right; a code of the second factor is required. */
export interface AwaitedCode {
  readonly status: 'mfa_required';
  readonly challengeId: string;
  readonly expiresAt: string;
}

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
): Promise<OpenedSession | AwaitedCode> {
  const { database, hasher, passwords, guard } = services;
  const { client, now } = visitor;
  const email = normalizeEmail(wanted.email.trim()) ?? wanted.email.trim().toLowerCase();
  const account = await findAccount(database.kysely, email);
  const attempt = await guard.admit(email, account, client);
  const { memberships, isRight } = await guard.check(attempt, async () => {
    const all = await listMembershipsOf(database.kysely, account?.id ?? '');
    const tenant = wanted.tenant === undefined ? null : await findTenant(database.kysely, wanted.tenant);
    const memberships = tenant === null ? all : all.filter(({ tenantId }) => tenantId === tenant?.id);
    return { memberships, isRight: await passwords.verify(attempt, wanted.password, account?.password_hash ?? null) };
  });
  const [membership] = memberships
    .filter(canSignIn)
    .toSorted((one, other) => (other.lastSignedInAt ?? '').localeCompare(one.lastSignedInAt ?? ''));
  if (account === undefined || membership === undefined || !isRight) {
    // One reason for both: a tenant that the user left must not learn that the password was right.
    const reason = 'Wrong password, or no active membership';
    await refuseSignIn(services, { attempt, account, memberships, reason }, visitor);
    throw wrongCredentials();
  }
  const open = async (work: UnitOfWork): Promise<OpenedSession | AwaitedCode | null> => {
    const target = await lockSignIn(work, services, membership, visitor);
    // The password or the membership changed while the hash was computed.
    if (target === undefined || target.account.password_changed_at !== account.password_changed_at) return null;
    if (await isSecondFactorEnabled(work.transaction, account.id)) {
      const { id, expiresAt } = await createChallenge(work, membership);
      await guard.giveBack(work, attempt);
      // A right password without a code that follows indicates a stolen password.
      const source = clientSource({ type: 'user', id: account.id, email: account.email }, client, hasher);
      const event = sessionEvent('challenged', account.id, target.membership.userName, { challengeId: id });
      await recordEvent(work, source(membership.tenantId), event);
      return { status: 'mfa_required', challengeId: id, expiresAt };
    }
    await guard.succeed(work, attempt);
    return openSession(work, services, target, { challengeId: null, method: 'password' }, visitor);
  };
  // Inside the check: a right password does not count as a failure when the database rejects the session.
  const opened = await guard.check(attempt, async () => {
    await rehash(services, account, wanted.password, attempt, visitor);
    return runUnitOfWork(database, now, open);
  });
  if (opened === null) throw wrongCredentials();
  return opened;
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
  await runUnitOfWork(database, now, async (work) => {
    const row = await storeHash(work, account, hash);
    // Undefined when the password was changed in the meantime.
    if (row !== undefined)
      await recordAccountChange(work, sourceOf, accountRows, account.id, row, { verb: 'password_rehashed' });
  });
}

/**
 * Answers a challenge with a code of the second factor.
 * @throws {Problem} `invalid_challenge`, `code_incorrect`, `rate_limited` or `unavailable`.
 */
export async function answerChallenge(
  services: SignInServices,
  { challengeId, code }: { readonly challengeId: string; readonly code: string },
  visitor: Visitor,
): Promise<OpenedSession> {
  const { database, guard } = services;
  const { client, now } = visitor;
  const challenge = await findChallenge(database.kysely, challengeId, now);
  const account = challenge && (await findAccountById(database.kysely, challenge.userId));
  if (challenge === undefined || account === undefined) throw invalidChallenge();
  const attempt = await guard.admit(account.email, account, client);
  // Only a wrong or used code counts as a failure.
  const session = await guard.check(attempt, async () => {
    if (!(await inTransaction(database, (transaction) => countChallengeAttempt(transaction, challengeId))))
      throw invalidChallenge();
    const verified = await verifyCode(services, attempt, account.id, code, now);
    if (verified === null) return null;
    return runUnitOfWork(database, now, async (work) => {
      const target = await lockSignIn(work, services, challenge, visitor);
      if (target === undefined || !(await consumeChallenge(work, challengeId))) throw invalidChallenge();
      // Rolls back: the challenge stays, and another code can be tried against it.
      if (!(await consumeCode(work, account.id, verified))) throw new UsedCode();
      await guard.succeed(work, attempt);
      return openSession(work, services, target, { challengeId, method: verified.method }, visitor);
    }).catch((error: unknown) => {
      if (error instanceof UsedCode) return null;
      throw error;
    });
  });
  if (session !== null) return session;
  const all = await listMembershipsOf(database.kysely, account.id);
  const memberships = all.filter(({ tenantId }) => tenantId === challenge.tenantId);
  await refuseSignIn(services, { attempt, account, memberships, reason: 'Wrong code' }, visitor);
  throw new Problem('code_incorrect', 'The code is wrong, expired or was used before. Try the next one.');
}

class UsedCode extends Error {}

const headers = { 'WWW-Authenticate': 'Bearer realm="svc"' };

function wrongCredentials(): Problem {
  return new Problem('invalid_credentials', 'The e-mail address or the password is wrong.', { headers });
}

function invalidChallenge(): Problem {
  return new Problem('invalid_challenge', 'This sign-in has expired; start again with your password.', { headers });
}
