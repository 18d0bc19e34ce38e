import { type OpenSession, renewSession } from '../access/session-store.ts';
import { clientSource } from '../audit/source.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import type { UserCall } from '../http/route.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { findTenant } from '../tenants/store.ts';
import { accountRows, lockAccount, recordAccountChange, updatePassword } from './account-store.ts';
import { findMember } from './membership-store.ts';
import { isSecondFactorEnabled } from './mfa/store.ts';
import { findWeakness } from './password.ts';
import { reauthenticate } from './reauthenticate.ts';
import type { IdentityServices } from './services.ts';

/**
 * Changes the password of a signed-in person.
 * @returns the session that goes on; every other one has ended.
 * @throws {Problem} `password_incorrect`, `validation_failed`, `rate_limited`.
 */
export async function changePassword(
  services: IdentityServices,
  call: UserCall,
  { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
): Promise<OpenSession> {
  const { database, passwords, hasher } = services;
  const { actor, tenantId } = call.principal;
  const { account, attempt } = await reauthenticate(services, call, currentPassword);
  const weakness = await findWeakness(newPassword, {
    hasSecondFactor: await isSecondFactorEnabled(database.kysely, actor.id),
    words: await listWords(services, tenantId, actor.id, actor.email),
  });
  if (weakness !== null) throw invalidValues([{ path: 'body.newPassword', issue: weakness }]);
  const hash = await passwords.hash(attempt, newPassword);
  return runUnitOfWork(database, call.now, async (work) => {
    // Another change may have come between: then the password that was asked for is not the current one any more.
    const present = await lockAccount(work, actor.id);
    if (present.password_hash !== account.password_hash)
      throw new Problem('password_incorrect', 'The password was changed in the meantime.');
    const row = await updatePassword(work, actor.id, hash);
    const sourceOf = clientSource(actor, call.client, hasher);
    await recordAccountChange(work, sourceOf, accountRows, actor.id, row, { verb: 'password_changed' });
    const renewed = { userId: actor.id, sessionId: call.principal.credential.id };
    return renewSession(work, renewed, services.sessionLifetime);
  });
}

/** What everybody can guess of a member: address, names, the tenant. */
export async function listWords(
  { database }: Pick<IdentityServices, 'database'>,
  tenantId: string,
  userId: string | null,
  email: string,
): Promise<readonly string[]> {
  const tenant = await findTenant(database.kysely, tenantId);
  const member = userId === null ? undefined : await findMember(database.kysely, tenantId, userId);
  return [email, tenant?.slug, tenant?.name, member?.givenName, member?.familyName, 'svc'].filter(
    (word) => typeof word === 'string',
  );
}
