/** The functions of a platform that verification needs. */
export interface LedgerCrypto {
  /** SHA-256 of bytes, or of a text as UTF-8. */
  readonly sha256: Sha256;
  /** Verifies an Ed25519 signature (RFC 8032) of a text in UTF-8; the public key is its 32 bytes. */
  readonly verifyEd25519: (
    publicKey: Uint8Array<ArrayBuffer>,
    text: string,
    signature: Uint8Array<ArrayBuffer>,
  ) => boolean | Promise<boolean>;
}

/** SHA-256 with the type of bytes of a platform. */
export type Sha256<Hash extends Uint8Array = Uint8Array> = (data: Uint8Array | string) => Hash;

/** Bytes one after the other. */
export function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Made at the first use, so that a bundler can leave it out. */
let digits: readonly string[] | undefined;

/** Lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  digits ??= Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  let text = '';
  for (const byte of bytes) text += digits[byte];
  return text;
}

/** The digits of a SHA-256 as the server writes them, after a prefix; null for any other text. */
export function readDigest(text: unknown, prefix = ''): string | null {
  if (typeof text !== 'string' || !text.startsWith(prefix)) return null;
  const digest = text.slice(prefix.length);
  return /^[0-9a-f]{64}$/.test(digest) ? digest : null;
}

/** @param text an even number of hexadecimal digits. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index += 1)
    bytes[index] = Number.parseInt(text.slice(2 * index, 2 * index + 2), 16);
  return bytes;
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Reads base64 (RFC 4648 section 4); null for other text, and for another spelling of the same bytes. */
export function fromBase64(text: unknown): Uint8Array<ArrayBuffer> | null {
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : null;
}

let decoder: InstanceType<typeof TextDecoder> | undefined;

/** Null for bytes that are not UTF-8, which could become other characters. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
