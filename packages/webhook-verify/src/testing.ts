import {
  decodeSecret,
  failSecret,
  importBytes,
  importKey,
  joinSigned,
  type MacKey,
  readBase64,
  readBytes,
  readSeconds,
  readSettings,
  type Settings,
  writeHex,
} from './check.ts';
import { fail, type Names, requireObject, requireOptions } from './error.ts';
import type { EventData } from './event-data.ts';
import type { EventOf, EventType } from './options.ts';

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
  /** The event, which becomes JSON, or the body as it is sent. */
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

/** Modifications of a delivery in transit, each with the code that a receiver answers. */
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

/** The body to sign, and the secrets to sign it with. */
export interface SignOptions {
  readonly body: Uint8Array | ArrayBuffer | string;
  /** The secret of the endpoint; several sign as during a rotation. */
  readonly secrets: string | readonly string[];
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Options to sign a delivery with an id. */
interface SignDeliveryOptions extends SignOptions {
  readonly id: string;
  /** `whsk_…` of `createTestKeyPair`, to sign as for an endpoint with `asymmetric: true`. Default: none. */
  readonly privateKeys?: string | readonly string[] | undefined;
}

/** Every header that proves where a delivery comes from. */
interface SignatureHeaders {
  readonly 'svc-signature': string;
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

const signNames: Names<SignOptions> = { body: 1, secrets: 1, now: 1 };

/** Makes the `Svc-Signature` header of a body, as the server does. */
export async function signPayload(options: SignOptions): Promise<string> {
  const { body } = requireOptions(options, signNames);
  const settings = readSigner(options);
  const time = readTime(settings.now);
  const signed = joinSigned(time, readBytes(body));
  const signatures = settings.secrets.map(
    async (secret) => `v1=${writeHex(await computeMac(await importKey(secret), signed))}`,
  );
  return [`t=${time}`, ...(await Promise.all(signatures))].join(',');
}

/** Makes them all, as the server does; a secret that is no base64 has no part in `webhook-signature`. */
async function signDelivery(options: SignDeliveryOptions): Promise<SignatureHeaders> {
  const { body, secrets } = requireOptions(options, { ...signNames, id: 1, privateKeys: 1 });
  const settings = readSigner(options);
  const time = readTime(settings.now);
  const signed = joinSigned(`${options.id}.${time}`, readBytes(body));
  const keys = settings.secrets.flatMap(({ secret }) => decodeSecret(secret) ?? []);
  const shared = keys.map(async (key) => `v1,${writeBase64(await computeMac(await importBytes(key, 'sign'), signed))}`);
  const own = [options.privateKeys ?? []].flat().map(async (key) => `v1a,${await signEd25519(key, signed)}`);
  const signatures = await Promise.all([...shared, ...own]);
  return {
    'svc-signature': await signPayload({ body, secrets, now: () => Number(time) * 1000 }),
    'webhook-id': options.id,
    'webhook-timestamp': time,
    'webhook-signature': signatures.join(' '),
  };
}

/** @throws {WebhookVerificationError} `secret_invalid`, `options_invalid`. */
function readSigner({ secrets, now }: SignOptions): Settings {
  const settings = readSettings({ secrets, now });
  return settings.secrets.length === 0 ? failSecret() : settings;
}

function readTime(now: () => number): string {
  const seconds = readSeconds(now);
  if (seconds < 0 || seconds > 999_999_999_999) fail('options_invalid', 'now must be a time from 1970 on.');
  return String(seconds);
}

const computeMac = (key: MacKey, signed: Uint8Array<ArrayBuffer>) => crypto.subtle.sign('HMAC', key, signed);

/** A pair of keys as an endpoint with `asymmetric: true` has one; the server never shows its private key. */
export interface TestKeyPair {
  /** `whpk_…`: for the verifier. */
  readonly publicKey: string;
  /** `whsk_…`: to sign with. */
  readonly privateKey: string;
}

/** The bytes before the 32 of a private key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Prefix = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

/** Creates a new pair. */
export async function createTestKeyPair(): Promise<TestKeyPair> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const { publicKey, privateKey } = pair as Extract<typeof pair, { readonly publicKey: unknown }>;
  const exported = await crypto.subtle.exportKey('pkcs8', privateKey);
  return {
    publicKey: `whpk_${writeBase64(await crypto.subtle.exportKey('raw', publicKey))}`,
    privateKey: `whsk_${writeBase64(exported.slice(pkcs8Prefix.length))}`,
  };
}

/**
 * The signature of Ed25519 in base64.
 * @throws {WebhookVerificationError} `options_invalid`.
 */
async function signEd25519(privateKey: string, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = /^whsk_[A-Za-z0-9+/]{43}=$/.test(privateKey) ? readBase64(privateKey.slice('whsk_'.length)) : undefined;
  if (bytes === undefined)
    fail('options_invalid', 'A private key must be whsk_ and base64 of 32 bytes, as createTestKeyPair makes it.');
  const pkcs8 = Uint8Array.from([...pkcs8Prefix, ...bytes]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);
  return writeBase64(await crypto.subtle.sign('Ed25519', key, signed));
}

const writeBase64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
