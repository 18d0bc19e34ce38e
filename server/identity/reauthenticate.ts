import { clientSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem } from '../http/problem.ts';
import type { UserCall } from '../http/route.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { type AccountRow, findAccountById } from './account-store.ts';
import type { IdentityServices } from './services.ts';

/**
 * Asks a signed-in person for their current password once more, before something that only they may do (ASVS 7.5.1).
 * Call it outside of a unit of work: it takes as long as a hash. Failures count like failed sign-ins and are audited.
 * @throws {Problem} `password_incorrect`, or `rate_limited` after too many failures.
 */
export async function reauthenticate(
  services: IdentityServices,
  { principal, client, now }: UserCall,
  password: string,
): Promise<AccountRow> {
  const { database, passwords, hasher, guard } = services;
  const { actor, tenantId, credential } = principal;
  // The session stands for the device: strangers cannot use its tries up.
  const attempt = await guard.admitSession(actor.email, credential.id);
  const account = await findAccountById(database.kysely, actor.id);
  if (account !== undefined && (await passwords.verify(password, account.password_hash))) {
    await runUnitOfWork(database, now, (work) => guard.succeed(work, attempt));
    return account;
  }
  await runUnitOfWork(database, now, async (work) => {
    await guard.fail(work, attempt);
    await recordEvent(work, clientSource(actor, client, hasher)(tenantId), {
      module: 'identity',
      action: 'session.reauthentication_failed',
      targetId: actor.id,
      targetRef: actor.email,
    });
  });
  throw new Problem('password_incorrect', 'The current password is another one.');
}
