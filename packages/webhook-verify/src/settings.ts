import { fail, type Names, requireObject } from './error.ts';
import type { LimitOptions, NamedSecret, SignedDelivery, VerifierOptions } from './options.ts';

export const limitNames: Names<LimitOptions> = { toleranceSeconds: 1, now: 1, validate: 1 };
export const verifierNames: Names<VerifierOptions> = { secrets: 1, ...limitNames };

/** What a delivery is judged by beside keys, checked. */
export interface Limits {
  readonly toleranceSeconds: number;
  readonly now: () => number;
  readonly validate: LimitOptions['validate'];
}

/** The options of a verifier, checked. */
export interface Settings extends Limits {
  readonly secrets: readonly NamedOrNot[];
}

type NamedOrNot = Pick<NamedSecret, 'secret'> & Partial<NamedSecret>;

/** Separates what came in from the options of a verifier for one delivery. */
export function splitDelivery(
  delivery: SignedDelivery & VerifierOptions,
): [delivery: SignedDelivery, options: VerifierOptions] {
  const { body, signature, ...options } = requireObject(delivery);
  return [{ body, signature }, options];
}

/** @throws {WebhookVerificationError} `secret_invalid`, `options_invalid`: when the program starts, not at a delivery. */
export function readSettings(options: VerifierOptions): Settings {
  return { ...readLimits(options), secrets: readSecrets(options.secrets) };
}

/** @throws {WebhookVerificationError} `options_invalid`. */
export function readLimits(options: LimitOptions): Limits {
  const { toleranceSeconds = 300, now = Date.now, validate } = requireObject(options);
  // 0 is a tolerance; NaN is none.
  if (
    typeof toleranceSeconds !== 'number' ||
    !(toleranceSeconds >= 0) ||
    typeof now !== 'function' ||
    typeof (validate ?? now) !== 'function'
  )
    fail('options_invalid', 'toleranceSeconds must be a number from 0, now and validate functions.');
  return { toleranceSeconds, now, validate };
}

/**
 * Checks secrets. None at all is no error yet but an empty list, which fails at the first delivery: builds load modules
 * where the variables of the server are not set.
 * @throws {WebhookVerificationError} `secret_invalid`.
 */
export function readSecrets(secrets: VerifierOptions['secrets'] | undefined): readonly NamedOrNot[] {
  const list = [secrets ?? ''].flat().map((one) => (typeof one === 'string' ? { secret: one } : one));
  if (list.every((one) => one?.secret === '')) return [];
  if (!list.every((one) => typeof one?.secret === 'string' && /^whsec_[!-~]+$/.test(one.secret))) failSecret();
  return list;
}

export function failSecret(): never {
  return fail('secret_invalid', 'A secret must be the whole whsec_… text. Is its variable set?');
}

/** The seconds of a clock; one that throws or gives no number is a mistake in the set-up, and never lets anything in. */
export function readSeconds(now: () => number): number {
  try {
    const time: unknown = now();
    if (Number.isFinite(time)) return Math.floor((time as number) / 1000);
  } catch {
    // The error of the clock could contain anything.
  }
  return fail('options_invalid', 'now must give milliseconds.');
}
