import { ed25519 } from '#ed25519';
import { type AsymmetricOptions, type AsymmetricVerifier, createVerifierOver } from './asymmetric-verifier.ts';

export type {
  AsymmetricOptions,
  AsymmetricVerification,
  AsymmetricVerifier,
  NamedPublicKey,
  PublicKeys,
} from './asymmetric-verifier.ts';
export { WebhookVerificationError } from './error.ts';
export type * from './options.ts';

/**
 * Makes a verifier that needs no shared secret: Ed25519 over `<id>.<t>.<body>`, the `v1a` of `webhook-signature`
 * (Standard Webhooks 1.0), which an endpoint with `asymmetric: true` gets.
 * @throws {WebhookVerificationError} `public_key_invalid`, `options_invalid`.
 */
export function createAsymmetricVerifier<Request = unknown>(
  options: AsymmetricOptions<Request>,
): AsymmetricVerifier<Request> {
  return createVerifierOver(ed25519, options);
}
