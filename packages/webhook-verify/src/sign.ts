import { readBytes } from './body.ts';
import { failSecret, readSeconds, readSettings, type Settings } from './check.ts';
import { fail, type Names, requireOptions } from './error.ts';
import { decodeSecret, importBytes, importKey, joinSigned, type MacKey, readBase64, writeHex } from './mac.ts';

/** What to sign, and with which secrets. */
export interface SignOptions {
  readonly body: Uint8Array | ArrayBuffer | string;
  /** The secret of the endpoint; several sign as during a rotation. */
  readonly secrets: string | readonly string[];
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** What to sign as a delivery with an id. */
export interface SignDeliveryOptions extends SignOptions {
  readonly id: string;
  /** `whsk_…` of `createTestKeyPair`, to sign as for an endpoint with `asymmetric: true`. Default: none. */
  readonly privateKeys?: string | readonly string[] | undefined;
}

/** Every header that proves where a delivery comes from. */
export interface SignatureHeaders {
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
export async function signDelivery(options: SignDeliveryOptions): Promise<SignatureHeaders> {
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
