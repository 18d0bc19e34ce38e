import type { WebhookEvent } from './event.ts';

/** An endpoint secret, with a name to tell secrets apart by while one replaces the other. */
export interface NamedSecret {
  readonly name: string;
  readonly secret: string;
}

export interface VerifierOptions {
  /** The whole `whsec_…` secret of the endpoint; several while it is being rotated. */
  readonly secrets: string | readonly (string | NamedSecret)[];
  /** How far the time of the signature may lie in the past or the future. Default: 300; `Infinity`: any age. */
  readonly toleranceSeconds?: number | undefined;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** What came in: the body as the very bytes that were received, and the `Svc-Signature` header. */
export interface SignedDelivery {
  /** A string counts as its UTF-8 bytes. */
  readonly body: Uint8Array | ArrayBuffer | string;
  /** A repeated header, which some frameworks give as an array, is refused. */
  readonly signature: string | readonly string[] | null | undefined;
}

/** A delivery that is genuine. */
export interface Verification {
  /** Which of the secrets matched, the first listed where several did: list the new one first. */
  readonly secretIndex: number;
  readonly secretName: string | null;
  /** When it was signed, in Unix seconds. */
  readonly timestamp: number;
}

export interface VerifiedEvent extends Verification {
  readonly event: WebhookEvent;
}
