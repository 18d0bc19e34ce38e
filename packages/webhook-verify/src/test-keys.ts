import { fail } from './error.ts';
import { readBase64 } from './standard-key.ts';

/** A pair of keys as an endpoint with `asymmetric: true` has one; the server never shows its private key. */
export interface TestKeyPair {
  /** `whpk_…`: for the verifier. */
  readonly publicKey: string;
  /** `whsk_…`: to sign with. */
  readonly privateKey: string;
}

/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Prefix = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

/** Makes a new pair. */
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
export async function signEd25519(privateKey: string, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = /^whsk_[A-Za-z0-9+/]{43}=$/.test(privateKey) ? readBase64(privateKey.slice('whsk_'.length)) : undefined;
  if (bytes === undefined)
    fail('options_invalid', 'A private key must be whsk_ and base64 of 32 bytes, as createTestKeyPair makes it.');
  const pkcs8 = Uint8Array.from([...pkcs8Prefix, ...bytes]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);
  return writeBase64(await crypto.subtle.sign('Ed25519', key, signed));
}

export function writeBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
