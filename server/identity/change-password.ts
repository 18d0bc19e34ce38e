import { type OpenSession, renewSession } from '../access/session-store.ts';
import { type NewAuditEvent, recordEvent } from '../audit/store.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import type { UserCall } from '../http/route.ts';
import { type Queries, runUnitOfWork } from '../storage/database.ts';
import { findTenant } from '../tenants/store.ts';
import { type AccountRow, accountRows, findAccountById, recordAccountChange, updatePassword } from './account-store.ts';
import { findMember } from './membership-store.ts';
import { isSecondFactorEnabled } from './mfa/store.ts';
import { findWeakness } from './password.ts';
import type { SignInServices } from './sign-in.ts';
import type { Attempt } from './sign-in-guard.ts';

/**
 * Verifies the password of a signed-in user again, before an operation that requires it (ASVS 7.5.1). Call it outside of
 * a unit of work: it takes as long as a hash. Failures count as failed sign-ins and are audited.
 * @returns the account, and the attempt to use for further hashes of the operation.
 * @throws {Problem} `password_incorrect`, `unavailable`, or `rate_limited` after too many failures.
 */
export async function reauthenticate(
  services: SignInServices,
  call: UserCall,
  password: string,
): Promise<{ readonly account: AccountRow; readonly attempt: Attempt }> {
  const { database, passwords, guard } = services;
  const { actor, credential } = call.principal;
  // Counted by session: attempts from elsewhere cannot block the user.
  const attempt = await guard.admitSession(actor.email, credential.id);
  const account = await guard.check(attempt, async () => {
    const found = await findAccountById(database.kysely, actor.id);
    const isRight = await passwords.verify(attempt, password, found?.password_hash ?? null);
    if (found === undefined || !isRight) return null;
    await runUnitOfWork(database, call.now, (work) => guard.succeed(work, attempt));
    return found;
  });
  if (account !== null) return { account, attempt };
  await refuseProof(services, call, { module: 'identity', action: 'session.reauthentication_failed' });
  throw new Problem('password_incorrect', 'The current password is incorrect.');
}

/** Records in the audit log that a signed-in user sent a wrong password or code. */
export async function refuseProof(
  { database }: SignInServices,
  call: UserCall,
  event: Pick<NewAuditEvent, 'module' | 'action'>,
): Promise<void> {
  const { actor } = call.principal;
  await runUnitOfWork(database, call.now, (work) =>
    recordEvent(work, call.source(), { ...event, targetId: actor.id, targetRef: actor.email }),
  );
}

/**
 * Changes the password of a signed-in user, and ends all other sessions.
 * @returns the session that replaces the caller's.
 * @throws {Problem} `password_incorrect`, `validation_failed`, `unavailable`, `rate_limited`.
 */
export async function changePassword(
  services: SignInServices,
  call: UserCall,
  { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
): Promise<OpenSession> {
  const { database, passwords } = services;
  const { actor, tenantId, credential } = call.principal;
  const { account, attempt } = await reauthenticate(services, call, currentPassword);
  const user = { tenantId, userId: actor.id, email: actor.email };
  await requireStrongPassword(database.kysely, user, 'newPassword', newPassword);
  const hash = await passwords.hash(attempt, newPassword);
  return runUnitOfWork(database, call.now, async (work) => {
    const locked = await work.lockAccount(actor.id);
    if (locked.password_hash !== account.password_hash)
      throw new Problem('password_incorrect', 'The password was changed in the meantime.');
    const row = await updatePassword(work, actor.id, hash);
    await recordAccountChange(work, call.source, accountRows, actor.id, row, { verb: 'password_changed' });
    return renewSession(work, { userId: actor.id, sessionId: credential.id }, services.sessionLifetime);
  });
}

/**
 * Rejects a new password that is easy to guess, also from what is known of the user: address, names, the tenant.
 * @param userId null for an address without an account.
 * @param field the field of the body that the error names.
 * @throws {Problem} `validation_failed`.
 */
export async function requireStrongPassword(
  queries: Queries,
  { tenantId, userId, email }: { readonly tenantId: string; readonly userId: string | null; readonly email: string },
  field: string,
  password: string,
): Promise<void> {
  const hasSecondFactor = userId !== null && (await isSecondFactorEnabled(queries, userId));
  const tenant = await findTenant(queries, tenantId);
  const member = userId === null ? undefined : await findMember(queries, tenantId, userId);
  const names = [email, tenant?.slug, tenant?.name, member?.given_name, member?.family_name, 'svc'];
  const words = names.filter((word) => typeof word === 'string');
  const weakness = await findWeakness(password, { hasSecondFactor, words });
  if (weakness !== null) throw invalidValues([{ path: `body.${field}`, issue: weakness }]);
}
