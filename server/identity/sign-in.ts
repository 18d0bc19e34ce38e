import { clientSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem } from '../http/problem.ts';
import type { Actor } from '../principal/principal.ts';
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
import { canSignIn, type Membership } from './membership.ts';
import { listMembershipsOf } from './membership-store.ts';
import { isSecondFactorEnabled } from './mfa/store.ts';
import { consumeCode, verifyCode } from './mfa/verify-code.ts';
import { lockSignIn, type OpenedSession, openSession, type Visitor } from './open-session.ts';
import { refuseSignIn } from './refuse-sign-in.ts';
import type { IdentityServices } from './services.ts';
import type { Attempt } from './sign-in-guard.ts';
import { consumeChallenge, createChallenge, findChallenge, tryChallenge } from './sign-in-store.ts';

/** The password was right, a code must follow. */
export interface AwaitedCode {
  readonly status: 'mfa_required';
  readonly challengeId: string;
  readonly expiresAt: string;
}

/**
 * Signs somebody in with their password. Unknown addresses, wrong passwords and memberships that may not sign in answer
 * alike, after the same hash (ASVS 6.3.8).
 * @param wanted.tenant id or slug; without it, the tenant that the person signed in to last.
 * @throws {Problem} `invalid_credentials`, `rate_limited` or `unavailable`.
 */
export async function signIn(
  services: IdentityServices,
  wanted: { readonly email: string; readonly password: string; readonly tenant?: string | undefined },
  visitor: Visitor,
): Promise<OpenedSession | AwaitedCode> {
  const { database, passwords, guard } = services;
  const { client, now } = visitor;
  const email = normalizeEmail(wanted.email.trim()) ?? wanted.email.trim().toLowerCase();
  const account = await findAccount(database.kysely, email);
  const attempt = await guard.admit(email, account, client);
  const { aimed, membership, isRight } = await guard.check(attempt, async () => {
    const memberships = await listMembershipsOf(database.kysely, account?.id ?? '');
    const tenant = wanted.tenant === undefined ? null : await findTenant(database.kysely, wanted.tenant);
    const aimed = tenant === null ? memberships : memberships.filter(({ tenantId }) => tenantId === tenant?.id);
    const isRight = await passwords.verify(attempt, wanted.password, account?.password_hash ?? null);
    return { aimed, membership: chooseMembership(aimed), isRight };
  });
  if (account === undefined || membership === undefined || !isRight) {
    // Not told which: of a tenant that the person left, nobody shall learn that the password was right.
    const reason = 'Wrong password, or no active membership';
    await refuseSignIn(services, { attempt, account, memberships: aimed, reason }, visitor);
    throw wrongCredentials();
  }
  const open = async (work: UnitOfWork): Promise<OpenedSession | AwaitedCode | null> => {
    const present = await lockSignIn(work, membership);
    const isSame = present?.account.password_changed_at === account.password_changed_at;
    // The password or the membership changed while the hash was computed.
    if (present === undefined || !isSame) return null;
    if (await isSecondFactorEnabled(work.transaction, account.id)) {
      const { id, expiresAt } = await createChallenge(work, membership);
      await guard.giveBack(work, attempt);
      await tellChallenge(work, services, present, id, visitor);
      return { status: 'mfa_required', challengeId: id, expiresAt };
    }
    await guard.succeed(work, attempt);
    return openSession(work, services, { ...present, challengeId: null, method: 'password' }, visitor);
  };
  // A right password does not count as a failure because the database cannot take the session.
  const opened = await guard.check(attempt, async () => {
    await rehash(services, account, wanted.password, attempt, visitor);
    return runUnitOfWork(database, now, open);
  });
  if (opened === null) throw wrongCredentials();
  return opened;
}

/**
 * Answers a challenge with a code of the second factor.
 * @throws {Problem} `invalid_challenge`, `code_incorrect`, `rate_limited` or `unavailable`.
 */
export async function answerChallenge(
  services: IdentityServices,
  { challengeId, code }: { readonly challengeId: string; readonly code: string },
  visitor: Visitor,
): Promise<OpenedSession> {
  const { database, guard } = services;
  const { client, now } = visitor;
  const challenge = await findChallenge(database.kysely, challengeId, now);
  const account = challenge && (await findAccountById(database.kysely, challenge.userId));
  if (challenge === undefined || account === undefined) throw endedChallenge();
  const attempt = await guard.admit(account.email, account, client);
  // Only a wrong or used code counts as a failure.
  const session = await guard.check(attempt, async () => {
    if (!(await inTransaction(database, (transaction) => tryChallenge(transaction, challengeId))))
      throw endedChallenge();
    const verified = await verifyCode(services, attempt, account.id, code, now);
    if (verified === null) return null;
    return runUnitOfWork(database, now, async (work) => {
      const present = await lockSignIn(work, challenge);
      if (present === undefined || !(await consumeChallenge(work, challengeId))) throw endedChallenge();
      // The challenge stays when the code was used in the meantime: the next code may be tried against it.
      if (!(await consumeCode(work, account.id, verified))) throw new UsedCode();
      await guard.succeed(work, attempt);
      return openSession(work, services, { ...present, challengeId, method: verified.method }, visitor);
    }).catch((error: unknown) => {
      if (error instanceof UsedCode) return null;
      throw error;
    });
  });
  if (session !== null) return session;
  const aimed = (await listMembershipsOf(database.kysely, account.id)).filter(
    ({ tenantId }) => tenantId === challenge.tenantId,
  );
  await refuseSignIn(services, { attempt, account, memberships: aimed, reason: 'Wrong code' }, visitor);
  throw new Problem('code_incorrect', 'The code is wrong, has passed, or was used before. Try the next one.');
}

class UsedCode extends Error {}

const challengeHeader = { 'WWW-Authenticate': 'Bearer realm="svc"' };

function wrongCredentials(): Problem {
  return new Problem('invalid_credentials', 'The e-mail address and the password do not belong together.', {
    headers: challengeHeader,
  });
}

function endedChallenge(): Problem {
  return new Problem('invalid_challenge', 'This sign-in has ended; start again with your password.', {
    headers: challengeHeader,
  });
}

/** The membership to sign in to: where the person was last. */
function chooseMembership(memberships: readonly Membership[]): Membership | undefined {
  return memberships
    .filter(canSignIn)
    .toSorted((one, other) => (other.lastSignedInAt ?? '').localeCompare(one.lastSignedInAt ?? ''))[0];
}

/** Tells the tenant that a password was right and the code is still to come: alone, it is the sign of a stolen password. */
async function tellChallenge(
  work: UnitOfWork,
  { hasher }: IdentityServices,
  { account, membership }: { readonly account: AccountRow; readonly membership: Membership },
  challengeId: string,
  { client }: Visitor,
): Promise<void> {
  const actor: Actor = { type: 'user', id: account.id, email: account.email };
  await recordEvent(work, clientSource(actor, client, hasher)(membership.tenantId), {
    module: 'identity',
    action: 'session.challenged',
    targetId: account.id,
    targetRef: membership.userName,
    diff: { challengeId },
  });
}

/** Hashes a password anew that was hashed at a lower cost. */
async function rehash(
  { database, passwords, hasher }: IdentityServices,
  account: AccountRow,
  password: string,
  attempt: Attempt,
  { client, now }: Visitor,
): Promise<void> {
  if (account.password_hash === null || !passwords.isOutdated(account.password_hash)) return;
  const hash = await passwords.hash(attempt, password).catch((error: unknown) => {
    // When too many wait, the next sign-in does it.
    if (error instanceof Problem) return null;
    throw error;
  });
  if (hash === null) return;
  const sourceOf = clientSource({ type: 'user', id: account.id, email: account.email }, client, hasher);
  await runUnitOfWork(database, now, async (work) => {
    const row = await storeHash(work, account, hash);
    // A password that was changed in the meantime stays.
    if (row === undefined) return;
    await recordAccountChange(work, sourceOf, accountRows, account.id, row, { verb: 'password_rehashed' });
  });
}
