import type { EventData } from './event-data.ts';

export type { WebhookErrorCode } from './error.ts';
export type * from './event-data.ts';

/** An endpoint secret, with a name to distinguish secrets during a rotation. */
export interface NamedSecret {
  readonly name: string;
  readonly secret: string;
}

/** Options of every verifier, whatever its keys are. */
export interface LimitOptions {
  /** How far the time of the signature may be in the past or the future, in seconds. Default: 300; `Infinity`: any age. */
  readonly toleranceSeconds?: number | undefined;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /**
   * Called with each event whose signature is right, before the handler gets it; what it throws is passed on unchanged.
   * It is synchronous and returns nothing (`options_invalid` otherwise). Give it `checkEventData` of
   * `@svc/webhook-verify/schemas`.
   */
  readonly validate?: ((event: WebhookEvent) => undefined) | undefined;
}

/** The whole `whsec_…` secret of the endpoint; several while it is being rotated. */
export type Secrets = string | readonly (string | NamedSecret)[];

/** Options of a verifier with fixed secrets. */
export interface VerifierOptions extends LimitOptions {
  readonly secrets: Secrets;
}

/** Gives a header of the request by its name in lower case; a header that came twice joined by ", ". */
export type HeaderGetter = (name: string) => string | null | undefined;

/** The request that a key look-up can use. None of it is verified yet. */
export interface LookupRequest<Request> {
  readonly header: HeaderGetter;
  /** The request of the framework, or as it was passed to the verifier. Do not read its body. */
  readonly request: Request;
}

/**
 * Finds the keys for a request, for example by the tenant in its path, or in a vault. Null or undefined: none; the request is
 * rejected like one with a wrong signature, so that responses do not reveal which tenants exist. An exception
 * is passed on unchanged; adapters respond with 500.
 */
export type KeyLookup<Request, Keys> = (
  of: LookupRequest<Request>,
) => Keys | null | undefined | Promise<Keys | null | undefined>;

/** The request, with all its headers. */
export interface ReceivedDelivery<Request> extends LookupRequest<Request> {
  /** A string counts as its UTF-8 bytes. */
  readonly body: SignedDelivery['body'];
}

/** The request: its body as the exact bytes that were received, and the `Svc-Signature` header. */
export interface SignedDelivery {
  /** A string counts as its UTF-8 bytes. */
  readonly body: Uint8Array | ArrayBuffer | string;
  /** A repeated header, which some frameworks give as an array, is rejected. */
  readonly signature: string | readonly string[] | null | undefined;
}

/** A delivery that is genuine. */
export interface Verification {
  /** Which of the secrets (or public keys) matched, the first listed where several did: list the new one first. */
  readonly secretIndex: number;
  readonly secretName: string | null;
  /** When it was signed, in Unix seconds. */
  readonly timestamp: number;
}

/** A genuine event. */
export interface VerifiedEvent extends Verification {
  readonly event: WebhookEvent;
}

/** A genuine event, with the id of its delivery where that is proven. */
export interface VerifiedDelivery extends VerifiedEvent {
  readonly deliveryId?: string | undefined;
}

/** The verifier of an adapter: made from its `secrets`, or given as `verifier`. */
export interface RequestVerifier<Request> {
  /**
   * Rejects headers that no body can match, before the body is read.
   * @throws {WebhookVerificationError} `signature_missing`, `signature_malformed`.
   */
  checkHeaders(header: HeaderGetter): void;
  /** @throws {WebhookVerificationError} when the delivery is not genuine, or its body is no event. */
  constructEvent(delivery: ReceivedDelivery<Request>): Promise<VerifiedDelivery>;
}

/** The body of every delivery. */
export interface EventEnvelope<Type extends string, Data> {
  readonly id: string;
  readonly type: Type;
  /** When it happened: RFC 3339, UTC. */
  readonly createdAt: string;
  readonly tenantId: string;
  readonly data: Data;
}

/** The types of events that this version knows. */
export type EventType = keyof EventData;

/** The event of one type: `EventOf<'dsr.completed'>`. */
export type EventOf<Type extends EventType> = { readonly [Name in Type]: EventEnvelope<Name, EventData[Name]> }[Type];

/** An event of a type that this version knows. */
export type KnownEvent = EventOf<EventType>;

// An ambient enum is a literal type that equals no string: so `event.type === 'dsr.completed'` rules unknown events out.
declare enum UnknownEventType {
  other = 'a type that came after this version',
}

/** An event of a type that came after this version. Its type reads as a string: `event.type as string`. */
export type UnknownEvent = EventEnvelope<UnknownEventType, Readonly<Record<string, unknown>>>;

/** An event by its `type`: a comparison with a known type gives typed data, and what is left is unknown. */
export type WebhookEvent = KnownEvent | UnknownEvent;
