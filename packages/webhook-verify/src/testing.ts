import { fail, requireObject, requireOptions } from './error.ts';
import type { EventData } from './event-data.ts';
import type { EventOf, EventType } from './options.ts';
import { type SignatureHeaders, type SignDeliveryOptions, signDelivery } from './sign.ts';

export { createTestKeyPair, type SignOptions, signPayload, type TestKeyPair } from './sign.ts';

/** An event to make; its id and its time are made up unless they are given. */
export interface TestEventOptions<Type extends EventType> {
  readonly type: Type;
  readonly data: EventData[Type];
  readonly id?: string;
  readonly createdAt?: string;
  readonly tenantId?: string;
}

/** Makes an event of a type, with a new id. */
export function createTestEvent<Type extends EventType>(options: TestEventOptions<Type>): EventOf<Type> {
  requireOptions(options, { type: 1, data: 1, id: 1, createdAt: 1, tenantId: 1 });
  const event = {
    id: crypto.randomUUID(),
    createdAt: '2026-01-01T00:00:00.000Z',
    tenantId: '00000000-0000-7000-8000-000000000000',
    ...options,
  };
  return event as unknown as EventOf<Type>;
}

/** A request to sign as the server does. */
export interface SignedRequestOptions extends Omit<SignDeliveryOptions, 'body' | 'id'> {
  /** What to send: an event, which becomes JSON, or a body as it is. */
  readonly event: object | Uint8Array<ArrayBuffer> | string;
  readonly deliveryId?: string;
}

/** A delivery as the server sends it: `fetch(url, request)` and `new Request(url, request)` take it as it is. */
export interface SignedRequest {
  readonly method: 'POST';
  readonly headers: SignedHeaders;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The headers of a delivery. */
export interface SignedHeaders extends SignatureHeaders {
  readonly [name: string]: string;
  readonly 'content-type': string;
  readonly 'user-agent': string;
  readonly 'svc-event': string;
  readonly 'svc-delivery': string;
}

/** Makes a delivery that a receiver accepts. */
export async function createSignedRequest(options: SignedRequestOptions): Promise<SignedRequest> {
  const { event, deliveryId = crypto.randomUUID(), ...rest } = requireObject(options);
  const body = readBody(event);
  const type = 'type' in Object(event) ? String((event as { readonly type: unknown }).type) : 'webhook.test';
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Svc-Webhooks/1',
    'svc-event': type,
    'svc-delivery': deliveryId,
    ...(await signDelivery({ ...rest, body, id: deliveryId })),
  };
  return { method: 'POST', headers, body };
}

function readBody(event: SignedRequestOptions['event']): Uint8Array<ArrayBuffer> {
  if (event instanceof Uint8Array) return event as Uint8Array<ArrayBuffer>;
  return new TextEncoder().encode(typeof event === 'string' ? event : JSON.stringify(event));
}

/** What can be done to a delivery on its way, and the code that a receiver answers. */
export const tamperings = {
  /** One bit of the body is another. */
  body: 'signature_mismatch',
  /** One digit of every signature is another, in every header. */
  signature: 'signature_mismatch',
  /** The time is a second later, to look newer. */
  timestamp: 'signature_mismatch',
  /** The headers with signatures are gone. */
  missing: 'signature_missing',
  /** The headers with signatures stand there twice, and they were joined. */
  repeated: 'signature_malformed',
} as const;

/** Makes a delivery that a receiver must refuse; the one that was given stays as it is. */
export function tamperWithRequest(request: SignedRequest, tampering: keyof typeof tamperings): SignedRequest {
  const { headers, body } = request;
  const { 'svc-signature': hex, 'webhook-signature': base64, ...others } = headers;
  const sign = (changed: string, standard: string) => ({
    ...request,
    headers: { ...headers, 'svc-signature': changed, 'webhook-signature': standard },
  });
  switch (tampering) {
    case 'body': {
      const changed = body.slice();
      const middle = changed.length >> 1;
      changed[middle] = (changed[middle] as number) ^ 1;
      return { ...request, body: changed };
    }
    case 'signature':
      return sign(hex.replace(/(?<=v1=)./g, replaceDigit), base64.replace(/(?<=v1a?,)./g, replaceDigit));
    case 'timestamp': {
      const { headers: changed } = sign(hex.replace(/\d+/, addOne), base64);
      return { ...request, headers: { ...changed, 'webhook-timestamp': addOne(headers['webhook-timestamp']) } };
    }
    case 'missing':
      return { ...request, headers: others as unknown as SignedHeaders };
    case 'repeated':
      return sign(`${hex}, ${hex}`, `${base64}, ${base64}`);
  }
}

const replaceDigit = (digit: string) => (digit === '0' ? '1' : '0');
const addOne = (time: string) => `${Number(time) + 1}`;

/** A clock that stands still: give its `now` to verifiers and to what signs. */
export interface TestClock {
  now(): number;
  advance(seconds: number): void;
}

/** @param start a time in RFC 3339. */
export function createTestClock(start = '2026-01-01T00:00:00.000Z'): TestClock {
  let time = requireTime(Date.parse(start));
  return {
    now: () => time,
    advance: (seconds) => {
      time = requireTime(time + seconds * 1000);
    },
  };
}

function requireTime(time: number): number {
  if (!Number.isFinite(time)) fail('options_invalid', 'A clock starts at a time in RFC 3339 and goes on by seconds.');
  return time;
}
