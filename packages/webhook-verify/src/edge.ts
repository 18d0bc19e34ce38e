import {
  checkForm,
  checkSignatures,
  importKey,
  joinSigned,
  type MacKey,
  readEvent,
  readSettings,
  splitDelivery,
  verifierNames,
  writeHex,
} from './check.ts';
import { requireOptions } from './error.ts';
import type { SignedDelivery, Verification, VerifiedEvent, VerifierOptions } from './options.ts';

export { WebhookVerificationError } from './error.ts';
export type * from './options.ts';

/** Verifies deliveries with secrets that were checked once. */
export interface WebhookVerifier {
  /** Says which secret signed a delivery of this time. @throws {WebhookVerificationError} if none did. */
  verifySignature(delivery: SignedDelivery): Promise<Verification>;
  /** The same, with the event. @throws {WebhookVerificationError} if none did, or the body is no event. */
  constructEvent(delivery: SignedDelivery): Promise<VerifiedEvent>;
}

/**
 * Makes a verifier: HMAC-SHA256 over `<t>.<body>`, keyed by the bytes of the whole secret.
 * @throws {WebhookVerificationError} `secret_invalid`, `options_invalid`. Without any secret, the first delivery fails.
 */
export function createWebhookVerifier(options: VerifierOptions): WebhookVerifier {
  const settings = readSettings(requireOptions(options, verifierNames));
  // At the first delivery: some platforms refuse this while a module loads. The keys are kept and not the promise of
  // them, because a promise may belong to one request.
  let keys: readonly MacKey[] | undefined;
  const check = async <Found extends Verification>(
    delivery: SignedDelivery,
    finish: (verification: Verification, bytes: Uint8Array) => Found,
  ): Promise<Found> => {
    const candidate = checkForm(settings, delivery);
    const signed = joinSigned(candidate.time, candidate.bytes);
    keys ??= await Promise.all(settings.secrets.map(importKey));
    const digests: string[] = [];
    for (const key of keys) digests.push(writeHex(await crypto.subtle.sign('HMAC', key, signed)));
    // From the copy that was verified: a change of the body meanwhile changes nothing.
    return finish(checkSignatures(settings, candidate, digests), signed.subarray(candidate.time.length + 1));
  };
  return {
    verifySignature: (delivery) => check(delivery, (verification) => verification),
    constructEvent: (delivery) =>
      check(delivery, (verification, bytes) => ({ ...verification, event: readEvent(bytes, settings) })),
  };
}

/** Verifies one delivery; for many, make a verifier once. */
export async function verifySignature(delivery: SignedDelivery & VerifierOptions): Promise<Verification> {
  const [given, options] = splitDelivery(delivery);
  return createWebhookVerifier(options).verifySignature(given);
}

/** Verifies one delivery and reads its event; for many, make a verifier once. */
export async function constructEvent(delivery: SignedDelivery & VerifierOptions): Promise<VerifiedEvent> {
  const [given, options] = splitDelivery(delivery);
  return createWebhookVerifier(options).constructEvent(given);
}
