import type { WebhookVerifier } from './edge.ts';
import * as sync from './node.ts';
import type { SignedDelivery, Verification, VerifiedEvent, VerifierOptions } from './options.ts';

export type { WebhookVerifier } from './edge.ts';
export { type WebhookErrorCode, WebhookVerificationError } from './error.ts';
export type * from './event.ts';
export type * from './event-data.ts';
export type * from './options.ts';

// The package without a subpath, on Node: the calls of the edge build over node:crypto. One form on every platform, for
// a promise that is not awaited would accept every delivery.

/**
 * Makes a verifier: HMAC-SHA256 over `<t>.<body>`, keyed by the bytes of the whole secret.
 * @throws {WebhookVerificationError} `secret_invalid`, `options_invalid`.
 */
export function createWebhookVerifier(options: VerifierOptions): WebhookVerifier {
  const verifier = sync.createWebhookVerifier(options);
  return {
    verifySignature: async (delivery) => verifier.verifySignature(delivery),
    constructEvent: async (delivery) => verifier.constructEvent(delivery),
  };
}

/** Verifies one delivery; for many, make a verifier once. */
export async function verifySignature(delivery: SignedDelivery & VerifierOptions): Promise<Verification> {
  return sync.verifySignature(delivery);
}

/** Verifies one delivery and reads its event; for many, make a verifier once. */
export async function constructEvent(delivery: SignedDelivery & VerifierOptions): Promise<VerifiedEvent> {
  return sync.constructEvent(delivery);
}
