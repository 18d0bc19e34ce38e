// The package without a subpath, on Node: the calls of the edge build over node:crypto. One form on every platform, for
// a promise that is not awaited would accept every delivery.
import type * as edge from './edge.ts';
import * as sync from './node.ts';

export { WebhookVerificationError } from './error.ts';
export type * from './options.ts';
export type WebhookVerifier = edge.WebhookVerifier;

export const createWebhookVerifier: typeof edge.createWebhookVerifier = (options) => {
  const verifier = sync.createWebhookVerifier(options);
  return {
    verifySignature: async (delivery) => verifier.verifySignature(delivery),
    constructEvent: async (delivery) => verifier.constructEvent(delivery),
  };
};

export const verifySignature: typeof edge.verifySignature = async (delivery) => sync.verifySignature(delivery);

export const constructEvent: typeof edge.constructEvent = async (delivery) => sync.constructEvent(delivery);
