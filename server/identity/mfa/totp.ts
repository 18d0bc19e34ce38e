import { generateSecret, generateURI, verify } from 'otplib/functional';

/** What shows as the issuer in an authenticator. */
const issuer = 'Svc';
/** RFC 4226 section 4, R6 recommends 160 bits. */
const secretBytes = 20;
/** What every authenticator knows (spec.md "Limits": 6 digits, 30 seconds). */
const form = { algorithm: 'sha1', digits: 6, period: 30 } as const;

/** A new secret, base32. */
export function createTotpSecret(): string {
  return generateSecret({ length: secretBytes });
}

/** The otpauth URI that an authenticator reads, as a rule from a QR code. */
export function writeTotpUri(secret: string, email: string): string {
  return generateURI({ strategy: 'totp', issuer, label: email, secret, ...form });
}

/** Whether a text could be a code: six ASCII digits. */
export function isTotpCode(text: string): boolean {
  return /^[0-9]{6}$/.test(text);
}

/**
 * Finds the step of a code, compared in constant time: the present one, the one before or the one after, which allows for
 * clocks that differ and for slow typing (RFC 6238 sections 5.2 and 6).
 * @param code six digits.
 * @param now the time of this server: a client has no say in it.
 * @param lastStep the last step that was accepted: it and all before are used up; null for none.
 */
export async function findStep(
  secret: string,
  code: string,
  now: string,
  lastStep: number | null,
): Promise<number | null> {
  const epoch = Math.floor(Date.parse(now) / 1000);
  // Also when the clock went back since; the library takes such a step for a mistake.
  if (lastStep !== null && lastStep > Math.floor(epoch / form.period)) return null;
  const result = await verify({
    strategy: 'totp',
    secret,
    token: code,
    epoch,
    epochTolerance: form.period,
    ...(lastStep !== null && { afterTimeStep: lastStep }),
    ...form,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
