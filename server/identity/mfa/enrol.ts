import type { OpenSession } from '../../access/session-store.ts';
import { clientSource } from '../../audit/source.ts';
import { Problem } from '../../http/problem.ts';
import type { UserCall } from '../../http/route.ts';
import { runUnitOfWork } from '../../storage/unit-of-work.ts';
import { reauthenticate, refuseProof } from '../reauthenticate.ts';
import type { IdentityServices } from '../services.ts';
import { createBackupCodes } from './backup-code.ts';
import {
  disabledAlready,
  enabledAlready,
  enableSecondFactor,
  nothingPending,
  replaceBackupCodes,
  startEnrolment,
} from './changes.ts';
import { findSecondFactor, isSecondFactorEnabled } from './store.ts';
import { createTotpSecret, writeTotpUri } from './totp.ts';
import { findTotpStep, secretPurpose } from './verify-code.ts';

/** What a person is shown once. */
export interface Enrolment {
  readonly totpUri: string;
  readonly backupCodes: readonly string[];
}

/**
 * Starts to enrol an authenticator, for a person who knows their password.
 * @throws {Problem} `conflict` while the second factor is on, `password_incorrect`, `rate_limited`.
 */
export async function enrolTotp(services: IdentityServices, call: UserCall, password: string): Promise<Enrolment> {
  const { database, hasher, box, passwords } = services;
  const { account, attempt } = await reauthenticate(services, call, password);
  const { id: userId, email } = account;
  // Asked again in the unit of work; here it spares ten hashes.
  if (await isSecondFactorEnabled(database.kysely, userId)) throw enabledAlready();
  const secret = createTotpSecret();
  const sealed = box.seal(secret, secretPurpose(userId));
  const { codes, stored } = await createBackupCodes((codes, salt) => passwords.hashWith(attempt, codes, salt));
  const sourceOf = clientSource(call.principal.actor, call.client, hasher);
  await runUnitOfWork(database, call.now, (work) =>
    startEnrolment(work, sourceOf, userId, { secret: sealed, codes: stored }),
  );
  return { totpUri: writeTotpUri(secret, email), backupCodes: codes };
}

/**
 * Enables the second factor with the first code of the authenticator. Wrong codes count like failed sign-ins.
 * @returns the session that goes on.
 * @throws {Problem} `conflict` when no enrolment waits, `code_incorrect`, `rate_limited`.
 */
export async function verifyEnrolment(services: IdentityServices, call: UserCall, code: string): Promise<OpenSession> {
  const { database, hasher, guard, sessionLifetime: lifetime } = services;
  const { principal, client, now } = call;
  const { actor, credential } = principal;
  const pending = await findSecondFactor(database.kysely, actor.id);
  if (pending?.state !== 'pending') throw nothingPending();
  const attempt = await guard.admitSession(actor.email, credential.id);
  const opened = await guard.check(attempt, async () => {
    const step = await findTotpStep(services, pending, code, now);
    if (step === null) return null;
    return runUnitOfWork(database, now, async (work) => {
      await guard.succeed(work, attempt);
      const sourceOf = clientSource(actor, client, hasher);
      return enableSecondFactor(work, sourceOf, pending, { step, sessionId: credential.id, lifetime });
    });
  });
  if (opened !== null) return opened;
  await refuseProof(services, call, { module: 'mfa', action: 'mfa.verification_failed' });
  throw new Problem('code_incorrect', 'This is not the code that the authenticator shows now.');
}

/** Makes another set of backup codes. @throws {Problem} `conflict` while the second factor is off, and as above. */
export async function renewBackupCodes(
  services: IdentityServices,
  call: UserCall,
  password: string,
): Promise<readonly string[]> {
  const { database, hasher, passwords } = services;
  const { account, attempt } = await reauthenticate(services, call, password);
  const { id: userId } = account;
  if (!(await isSecondFactorEnabled(database.kysely, userId))) throw disabledAlready();
  const { codes, stored } = await createBackupCodes((codes, salt) => passwords.hashWith(attempt, codes, salt));
  const sourceOf = clientSource(call.principal.actor, call.client, hasher);
  await runUnitOfWork(database, call.now, (work) => replaceBackupCodes(work, sourceOf, userId, stored));
  return codes;
}
