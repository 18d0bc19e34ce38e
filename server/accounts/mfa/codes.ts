import { randomBytes, randomInt } from 'node:crypto';
import { generateSecret, generateURI, verify } from 'otplib/functional';
import { readTypedCode } from '../../http/typed-text.ts';
import type { Installation } from '../../installation/installation.ts';
import type { SourceOf } from '../../ledger/audit/store.ts';
import type { Transaction } from '../../storage/database.ts';
import { updateRow } from '../../storage/rows.ts';
import type { HashCaller, PasswordQueue } from '../sign-in/password-queue.ts';
import {
  backupCodesOf,
  findSecondFactor,
  type SecondFactorRow,
  type StoredCodes,
  useBackupCode,
} from './second-factor.ts';

/** The issuer that an authenticator shows. */
const issuer = 'Svc';
/** RFC 4226 section 4, R6 recommends 160 bits. */
const secretBytes = 20;
/** The parameters that every authenticator supports (spec.md "Limits": 6 digits, 30 seconds). */
const form = { algorithm: 'sha1', digits: 6, period: 30 } as const;

/** @returns base32. */
export function createTotpSecret(): string {
  return generateSecret({ length: secretBytes });
}

/** The otpauth URI of a secret, which an authenticator reads from a QR code. */
export function writeTotpUri(secret: string, email: string): string {
  return generateURI({ strategy: 'totp', issuer, label: email, secret, ...form });
}

/** True if a text has the form of a TOTP code: six ASCII digits. */
export function isTotpCode(text: string): boolean {
  return /^[0-9]{6}$/.test(text);
}

/**
 * Finds the step of a TOTP code, compared in constant time: the current step, the one before or the one after, which
 * allows for clock drift and slow typing (RFC 6238 sections 5.2 and 6).
 * @param code six digits.
 * @param now the time of this server; the client has no influence on it.
 * @param lastStep the last accepted step: it and all earlier steps are used; null for none.
 * @returns null for a code of another step.
 */
export async function findStep(
  secret: string,
  code: string,
  now: string,
  lastStep: number | null,
): Promise<number | null> {
  const epoch = Math.floor(Date.parse(now) / 1000);
  // After the clock was set back; the library rejects a step in the future as an invalid argument.
  if (lastStep !== null && lastStep > Math.floor(epoch / form.period)) return null;
  const afterTimeStep = lastStep === null ? {} : { afterTimeStep: lastStep };
  const window = { epoch, epochTolerance: form.period, ...afterTimeStep };
  const result = await verify({ strategy: 'totp', secret, token: code, ...window, ...form });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}

/** Crockford's base32, which leaves out letters that look like other characters: I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const setSize = 10;
/** 80 bits; NIST SP 800-63B-4 section 3.1.2 requires less of look-up secrets. */
const codeLength = 16;
const saltBytes = 16;

/** @param hashCodes a slow hash with a salt. @returns the codes as they are shown once, and as they are stored. */
export async function createBackupCodes(
  hashCodes: (codes: readonly string[], salt: string) => Promise<readonly string[]>,
): Promise<{ readonly codes: string[]; readonly stored: StoredCodes }> {
  const codes = Array.from({ length: setSize }, () =>
    Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
  );
  const salt = randomBytes(saltBytes).toString('base64url');
  // Groups of four are easier to read from paper.
  const shown = codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'));
  return { codes: shown, stored: { salt, hashes: await hashCodes(codes, salt) } };
}

/** Normalizes a typed backup code: letters that look like digits become those digits. Null for an invalid code. */
export function readBackupCode(text: string): string | null {
  const compact = readTypedCode(text);
  // Before the case changes: some letters of other scripts have ASCII letters as their capitals.
  if (!/^[0-9A-Za-z]+$/.test(compact)) return null;
  const code = compact.toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
  return code.length === codeLength && !code.includes('U') ? code : null;
}

/** A code that matched and was unused when it was looked up. */
export type VerifiedCode =
  | { readonly method: 'totp'; readonly step: number }
  | { readonly method: 'backup_code'; readonly hash: string };

type Services = Omit<Installation, 'passwords'>;

/**
 * Looks up a TOTP code or backup code of a user whose second factor is enabled. Call it outside of a transaction: a
 * backup code takes as long as a hash. `consumeCode` then marks the code as used.
 * @returns null for a code that is wrong, expired or used.
 */
export async function verifyCode(
  services: Services & { readonly passwords: PasswordQueue },
  caller: HashCaller,
  userId: string,
  code: string,
  now: string,
): Promise<VerifiedCode | null> {
  const { kysely } = services.database;
  const factor = await findSecondFactor(kysely, userId);
  if (factor.state !== 'enabled') return null;
  const step = await findTotpStep(services, factor, code, now);
  if (step !== null) return { method: 'totp', step };
  const backupCode = readBackupCode(code);
  if (backupCode === null || factor.codes_salt === null) return null;
  const [hash = ''] = await services.passwords.hashWith(caller, [backupCode], factor.codes_salt);
  return backupCodesOf(factor).includes(hash) ? { method: 'backup_code', hash } : null;
}

/** Marks a code as used; false when it was used or the second factor disabled in the meantime. */
export async function consumeCode(
  tx: Transaction,
  sourceOf: SourceOf,
  userId: string,
  verified: VerifiedCode,
): Promise<boolean> {
  await tx.lockAccount(userId);
  if (verified.method === 'backup_code') return useBackupCode(tx, sourceOf, userId, verified.hash);
  const { state, last_step } = await findSecondFactor(tx.queries, userId);
  const { step } = verified;
  if (state !== 'enabled' || (last_step !== null && last_step >= step)) return false;
  await updateRow(tx.queries, 'second_factors', { user_id: userId }, { last_step: step });
  return true;
}

/** The step of a TOTP code of a user; null for any other text. */
export async function findTotpStep(
  { box }: Services,
  { user_id, secret, last_step }: SecondFactorRow,
  code: string,
  now: string,
): Promise<number | null> {
  const compact = readTypedCode(code);
  if (secret === null || !isTotpCode(compact)) return null;
  return findStep(openTotpSecret(box, user_id, secret), compact, now, last_step);
}

export function sealTotpSecret({ box }: Services, userId: string, secret: string): string {
  return box.seal(secret, totpPurpose(userId));
}

function openTotpSecret(box: Services['box'], userId: string, secret: string): string {
  try {
    return box.open(secret, totpPurpose(userId));
  } catch (cause) {
    throw new Error(
      `The TOTP secret of ${userId} cannot be opened: the row was changed, or sealed with another SVC_SECRET. Backup codes still work; after a reset the user can enroll again.`,
      { cause },
    );
  }
}

/** The purpose of the sealed TOTP secret of a user (`SecretBox`). */
export function totpPurpose(userId: string): string {
  return `TOTP secret of ${userId}`;
}
