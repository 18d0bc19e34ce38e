import { createHmac, createSecretKey } from 'node:crypto';
import {
  type Candidate,
  checkForm,
  checkSignatures,
  readEvent,
  readSettings,
  splitDelivery,
  verifierNames,
} from './check.ts';
import { requireOptions } from './error.ts';
import type { SignedDelivery, Verification, VerifiedEvent, VerifierOptions } from './options.ts';

export { WebhookVerificationError } from './error.ts';
export type * from './options.ts';

/** Verifies deliveries with secrets that were checked once. */
export interface WebhookVerifier {
  /** Says which secret signed a delivery of this time. @throws {WebhookVerificationError} if none did. */
  verifySignature(delivery: SignedDelivery): Verification;
  /** The same, with the event. @throws {WebhookVerificationError} if none did, or the body is no event. */
  constructEvent(delivery: SignedDelivery): VerifiedEvent;
}

/**
 * Makes a verifier: HMAC-SHA256 over `<t>.<body>`, keyed by the bytes of the whole secret.
 * @throws {WebhookVerificationError} `secret_invalid`, `options_invalid`. Without any secret, the first delivery fails.
 */
export function createWebhookVerifier(options: VerifierOptions): WebhookVerifier {
  const settings = readSettings(requireOptions(options, verifierNames));
  const keys = settings.secrets.map(({ secret }) => createSecretKey(secret, 'utf8'));
  const check = (candidate: Candidate): Verification => {
    const { time, bytes } = candidate;
    const digests = keys.map((key) => createHmac('sha256', key).update(`${time}.`).update(bytes).digest('hex'));
    return checkSignatures(settings, candidate, digests);
  };
  return {
    verifySignature: (delivery) => check(checkForm(settings, delivery)),
    constructEvent: (delivery) => {
      const candidate = checkForm(settings, delivery);
      return { ...check(candidate), event: readEvent(candidate.bytes, settings) };
    },
  };
}

/** Verifies one delivery; for many, make a verifier once. */
export function verifySignature(delivery: SignedDelivery & VerifierOptions): Verification {
  const [given, options] = splitDelivery(delivery);
  return createWebhookVerifier(options).verifySignature(given);
}

/** Verifies one delivery and reads its event; for many, make a verifier once. */
export function constructEvent(delivery: SignedDelivery & VerifierOptions): VerifiedEvent {
  const [given, options] = splitDelivery(delivery);
  return createWebhookVerifier(options).constructEvent(given);
}
