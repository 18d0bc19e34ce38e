import { verifierNames } from './check.ts';
import { requireOptions } from './error.ts';
import type { RequestVerifier } from './options.ts';
import { createSecretVerifier, requireReceived, type SecretOptions } from './secret-verifier.ts';

export { WebhookVerificationError } from './error.ts';
export type * from './options.ts';
export type { SecretOptions } from './secret-verifier.ts';

/** Verifies deliveries whose secrets are found for each; throws whatever the look-up throws as well. */
export type LookupVerifier<Request> = Pick<RequestVerifier<Request>, 'constructEvent'>;

/**
 * Makes a verifier for programs with many endpoints, or with secrets in a vault, and without an adapter: adapters take such a
 * function as their `secrets`. The keys of the last 1,000 answers of it are kept.
 * @throws {WebhookVerificationError} `secret_invalid`, `options_invalid`.
 */
export function createLookupVerifier<Request = unknown>(options: SecretOptions<Request>): LookupVerifier<Request> {
  const verifier = createSecretVerifier(requireOptions(options, verifierNames));
  return { constructEvent: async (delivery) => verifier.constructEvent(requireReceived(delivery)) };
}
