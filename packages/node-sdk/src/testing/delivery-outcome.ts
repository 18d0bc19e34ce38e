import type { DeliveryFailure } from '../types/webhooks.ts';

/** What a receiver answers: a status, or why there is no answer. */
export type DeliveryOutcome = number | NoAnswer;

/** Why there is no answer. */
export type NoAnswer = Extract<
  DeliveryFailure,
  'timeout' | 'dns' | 'refused_address' | 'connection' | 'tls' | 'protocol'
>;
