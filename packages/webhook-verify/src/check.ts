import { readBytes } from './body.ts';
import { fail, requireObject } from './error.ts';
import type { SignedDelivery, Verification } from './options.ts';
import { readSeconds, type Settings } from './settings.ts';
import { readSignatureHeader, type SignatureHeader } from './signature-header.ts';

/** A delivery that is well formed and of this time; whether it is genuine, its signature decides. */
export interface Candidate extends SignatureHeader {
  readonly bytes: Uint8Array;
}

/** All that is checked before the signature. */
export function checkForm({ toleranceSeconds, now }: Settings, delivery: SignedDelivery): Candidate {
  const { body, signature } = requireObject(delivery);
  const bytes = readBytes(body);
  const { time, signatures } = readSignatureHeader(signature);
  const age = readSeconds(now) - Number(time);
  if (Math.abs(age) > toleranceSeconds)
    fail(
      age < 0 ? 'timestamp_too_new' : 'timestamp_too_old',
      `Signed ${Math.abs(age)} seconds ${age < 0 ? 'in the future' : 'ago'}; ${toleranceSeconds} are allowed. Synchronise the clock (NTP).`,
    );
  return { bytes, time, signatures };
}

/** Compares what each secret gives with each signature: all of them, so that the time tells nothing. */
export function checkSignatures(
  { secrets }: Settings,
  { signatures, time }: SignatureHeader,
  digests: readonly string[],
): Verification {
  let secretIndex = -1;
  for (let index = secrets.length - 1; index >= 0; index -= 1)
    for (const signature of signatures) if (isSame(digests[index] as string, signature)) secretIndex = index;
  if (secretIndex < 0)
    fail(
      'signature_mismatch',
      'No signature matches: another secret (pass both during a rotation), or another body (not parsed and written again?).',
    );
  return { secretIndex, secretName: secrets[secretIndex]?.name ?? null, timestamp: Number(time) };
}

/** Compares 32 bytes, a character each, with 64 hex digits, in the same time wherever they differ. */
function isSame(digest: string, signature: string): boolean {
  let difference = 0;
  for (let place = 0; place < 32; place += 1)
    difference |=
      digest.charCodeAt(place) ^ ((readDigit(signature, place * 2) << 4) | readDigit(signature, place * 2 + 1));
  return difference === 0;
}

function readDigit(text: string, place: number): number {
  const code = text.charCodeAt(place);
  // '0' to '9' are 48 to 57, 'a' to 'f' 97 to 102.
  return (code & 15) + (code >> 6) * 9;
}
