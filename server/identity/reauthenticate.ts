import type { NewAuditEvent } from '../audit/event.ts';
import { callSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem } from '../http/problem.ts';
import type { UserCall } from '../http/route.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { type AccountRow, findAccountById } from './account-store.ts';
import type { IdentityServices } from './services.ts';
import type { Attempt } from './sign-in-guard.ts';

/**
 * Asks a signed-in person for their current password once more, before something that only they may do (ASVS 7.5.1).
 * Call it outside of a unit of work: it takes as long as a hash. Failures count like failed sign-ins and are audited.
 * @throws {Problem} `password_incorrect`, or `rate_limited` after too many failures.
 */
export async function reauthenticate(
  services: IdentityServices,
  call: UserCall,
  password: string,
): Promise<AccountRow> {
  const { database, passwords, guard } = services;
  const { actor, credential } = call.principal;
  // The session stands for the device: strangers cannot use its tries up.
  const attempt = await guard.admitSession(actor.email, credential.id);
  const account = await findAccountById(database.kysely, actor.id);
  if (account !== undefined && (await passwords.verify(password, account.password_hash))) {
    await runUnitOfWork(database, call.now, (work) => guard.succeed(work, attempt));
    return account;
  }
  await refuseProof(services, call, attempt, { module: 'identity', action: 'session.reauthentication_failed' });
  throw new Problem('password_incorrect', 'The current password is another one.');
}

/** Counts a password or a code that a signed-in person got wrong, and tells the tenant. */
export async function refuseProof(
  { database, hasher, guard }: IdentityServices,
  call: UserCall,
  attempt: Attempt,
  event: Pick<NewAuditEvent, 'module' | 'action'>,
): Promise<void> {
  const { actor } = call.principal;
  await runUnitOfWork(database, call.now, async (work) => {
    await guard.fail(work, attempt);
    await recordEvent(work, callSource(call, hasher), { ...event, targetId: actor.id, targetRef: actor.email });
  });
}
