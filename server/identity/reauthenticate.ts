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
 * Verifies the current password of a signed-in user again, before something that only they may do (ASVS 7.5.1).
 * Call it outside of a unit of work: it takes as long as a hash. Failures count like failed sign-ins and are audited.
 * @returns the account, and the try that further hashes of the operation belong to.
 * @throws {Problem} `password_incorrect`, `unavailable`, or `rate_limited` after too many failures.
 */
export async function reauthenticate(
  services: IdentityServices,
  call: UserCall,
  password: string,
): Promise<{ readonly account: AccountRow; readonly attempt: Attempt }> {
  const { database, passwords, guard } = services;
  const { actor, credential } = call.principal;
  // The session stands for the device: strangers cannot use its tries up.
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
  { database, hasher }: IdentityServices,
  call: UserCall,
  event: Pick<NewAuditEvent, 'module' | 'action'>,
): Promise<void> {
  const { actor } = call.principal;
  await runUnitOfWork(database, call.now, (work) =>
    recordEvent(work, callSource(call, hasher), { ...event, targetId: actor.id, targetRef: actor.email }),
  );
}
