import type { UnitOfWork } from '../../storage/unit-of-work.ts';
import type { HashCaller } from '../password-queue.ts';
import type { IdentityServices } from '../services.ts';
import { readBackupCode } from './backup-code.ts';
import { consumeBackupCode, consumeStep, findSecondFactor, hasBackupCode, type SecondFactorRow } from './store.ts';
import { findStep, isTotpCode } from './totp.ts';

/** A code that fits and was not used up when it was looked at. */
export type VerifiedCode =
  | { readonly method: 'totp'; readonly step: number }
  | { readonly method: 'backup_code'; readonly hash: string };

type Services = Pick<IdentityServices, 'database' | 'box' | 'passwords'>;

/** What the secret of a person is sealed for. */
export function secretPurpose(userId: string): string {
  return `TOTP secret of ${userId}`;
}

/**
 * Recognises the code of an authenticator or a backup code of a person whose second factor is on. Call it outside of a unit
 * of work: a backup code takes as long as a hash. What it finds counts once `consumeCode` has used it up.
 * @returns null for a code that fits nothing, has passed or was used.
 */
export async function verifyCode(
  services: Services,
  caller: HashCaller,
  userId: string,
  code: string,
  now: string,
): Promise<VerifiedCode | null> {
  const { kysely } = services.database;
  const factor = await findSecondFactor(kysely, userId);
  if (factor?.state !== 'enabled') return null;
  const step = await findTotpStep(services, factor, code, now);
  if (step !== null) return { method: 'totp', step };
  const backupCode = readBackupCode(code);
  if (backupCode === null || factor.codes_salt === null) return null;
  const [hash = ''] = await services.passwords.hashWith(caller, [backupCode], factor.codes_salt);
  return (await hasBackupCode(kysely, userId, hash)) ? { method: 'backup_code', hash } : null;
}

/** Uses a code up, in one statement; false when another request was faster or the second factor is off by now. */
export function consumeCode(work: UnitOfWork, userId: string, verified: VerifiedCode): Promise<boolean> {
  return verified.method === 'totp'
    ? consumeStep(work, userId, verified.step)
    : consumeBackupCode(work, userId, verified.hash);
}

/** The step of an authenticator's code; null for any other text. */
export async function findTotpStep(
  { box }: Pick<Services, 'box'>,
  { user_id, secret, last_step }: SecondFactorRow,
  code: string,
  now: string,
): Promise<number | null> {
  const compact = code.replace(/\s/g, '');
  if (secret === null || !isTotpCode(compact)) return null;
  return findStep(openSecret(box, user_id, secret), compact, now, last_step);
}

function openSecret(box: Services['box'], userId: string, secret: string): string {
  try {
    return box.open(secret, secretPurpose(userId));
  } catch (cause) {
    throw new Error(
      `The TOTP secret of ${userId} cannot be opened: the row was changed, or sealed with another SVC_SECRET. Backup codes still work; a reset lets the person enrol anew.`,
      { cause },
    );
  }
}
