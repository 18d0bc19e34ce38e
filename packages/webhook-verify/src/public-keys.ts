import { fail } from './error.ts';
import { readBase64 } from './standard-key.ts';

/** A public key of an endpoint, with a name to distinguish keys during a rotation. */
export interface NamedPublicKey {
  readonly name: string;
  readonly publicKey: string;
}

/** The `whpk_…` text of the endpoint; several while another endpoint, or another pair, takes over. */
export type PublicKeys = string | readonly (string | NamedPublicKey)[];

/** A public key, checked. */
export interface PublicKey {
  readonly name: string | null;
  /** Its 32 bytes in base64. */
  readonly base64: string;
}

/**
 * Checks public keys. None at all is an empty list, which fails at the first delivery, as for secrets.
 * @throws {WebhookVerificationError} `public_key_invalid`.
 */
export function readPublicKeys(publicKeys: PublicKeys | undefined): readonly PublicKey[] {
  const list = [publicKeys ?? ''].flat().map((one) => (typeof one === 'string' ? { name: null, publicKey: one } : one));
  if (list.every((one) => one?.publicKey === '')) return [];
  if (!list.every((one) => isPublicKey(one?.publicKey))) failPublicKey();
  return list.map(({ name, publicKey }) => ({ name: name ?? null, base64: publicKey.slice('whpk_'.length) }));
}

export function failPublicKey(): never {
  return fail(
    'public_key_invalid',
    'A public key must be the whole whpk_… text: base64 of 32 bytes. Is its variable set, and asymmetric: true at the endpoint?',
  );
}

function isPublicKey(text: unknown): boolean {
  // 32 bytes in base64: the last digit before the padding has only its upper four bits (RFC 4648, section 3.5).
  return typeof text === 'string' && /^whpk_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);
}

/** The bytes of a key that was checked. */
export function readKeyBytes({ base64 }: PublicKey): Uint8Array<ArrayBuffer> {
  return readBase64(base64) as Uint8Array<ArrayBuffer>;
}
