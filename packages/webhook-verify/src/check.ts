import { readBytes } from './body.ts';
import { fail, type Names, requireOptions } from './error.ts';
import type { SignedDelivery, Verification } from './options.ts';
import { failSecret, type Limits, readSeconds, type Settings } from './settings.ts';
import { readSignatureHeader, type SignatureHeader } from './signature-header.ts';

/** A delivery that is well formed and of this time; whether it is genuine, its signature decides. */
export interface Candidate extends SignatureHeader {
  readonly bytes: Uint8Array;
}

const deliveryNames: Names<SignedDelivery> = { body: 1, signature: 1 };

/** All that is checked before the signature. */
export function checkForm(limits: Limits, delivery: SignedDelivery): Candidate {
  const { body, signature } = requireOptions(delivery, deliveryNames);
  const bytes = readBytes(body);
  const { time, signatures } = readSignatureHeader(signature);
  checkAge(limits, time);
  return { bytes, time, signatures };
}

/** Whether a time lies as near as is allowed, in both directions. */
export function checkAge({ toleranceSeconds, now }: Limits, time: string): void {
  const age = readSeconds(now) - Number(time);
  if (Math.abs(age) > toleranceSeconds)
    fail(
      age < 0 ? 'timestamp_too_new' : 'timestamp_too_old',
      `Signed ${Math.abs(age)} seconds ${age < 0 ? 'in the future' : 'ago'}; ${toleranceSeconds} are allowed. Synchronise the clock (NTP).`,
    );
}

/** Compares what each secret gives with each signature: all of them, in constant time. */
export function checkSignatures(
  { secrets }: Settings,
  { signatures, time }: SignatureHeader,
  /** In hex, one a secret. */
  digests: readonly string[],
): Verification {
  let secretIndex = -1;
  for (let index = secrets.length - 1; index >= 0; index -= 1)
    for (const signature of signatures) if (isSame(digests[index] as string, signature)) secretIndex = index;
  if (secrets.length === 0) failSecret();
  if (secretIndex < 0) failMismatch();
  return { secretIndex, secretName: secrets[secretIndex]?.name ?? null, timestamp: Number(time) };
}

/** @param key what to look at: a secret or a public key. */
export function failMismatch(key = 'secret'): never {
  return fail(
    'signature_mismatch',
    `No signature matches: another ${key} (pass both during a rotation) or another body (parsed and written again?).`,
  );
}

/** Compares the first 64 characters, in the same time wherever they differ. */
function isSame(digest: string, signature: string): boolean {
  let difference = 0;
  for (let place = 0; place < 64; place += 1) difference |= digest.charCodeAt(place) ^ signature.charCodeAt(place);
  return difference === 0;
}
