import { readBytes } from './body.ts';
import { fail, type Names, requireOptions } from './error.ts';
import { importBytes, importKey, joinSigned, type MacKey, writeHex } from './mac.ts';
import { failSecret, readSeconds, readSettings, type Settings } from './settings.ts';
import { decodeSecret } from './standard-key.ts';
import { signEd25519, writeBase64 } from './test-keys.ts';

export interface SignOptions {
  readonly body: Uint8Array | ArrayBuffer | string;
  /** The secret of the endpoint; several sign as during a rotation. */
  readonly secrets: string | readonly string[];
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

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

function computeMac(key: MacKey, signed: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return crypto.subtle.sign('HMAC', key, signed);
}
