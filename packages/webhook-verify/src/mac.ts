import { encoder } from './body.ts';

export type MacKey = Parameters<typeof crypto.subtle.sign>[1];

/** The key of a secret: the bytes of the whole of it. */
export function importKey({ secret }: { readonly secret: string }): Promise<MacKey> {
  return importBytes(encoder.encode(secret), 'sign');
}

export function importBytes(bytes: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify'): Promise<MacKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

/** What is signed: `<t>.<body>`, or with an id before the time, which has no other characters than those of ASCII. */
export function joinSigned(time: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const signed = new Uint8Array(time.length + 1 + bytes.length);
  encoder.encodeInto(`${time}.`, signed);
  signed.set(bytes, time.length + 1);
  return signed;
}

export function writeHex(bytes: ArrayBuffer): string {
  // One text of all codes: digits put together one by one take twice as long to compare.
  const codes: number[] = [];
  for (const byte of new Uint8Array(bytes)) codes.push(digits.charCodeAt(byte >> 4), digits.charCodeAt(byte & 15));
  return String.fromCharCode(...codes);
}

const digits = '0123456789abcdef';

/**
 * The key of `webhook-signature`: what follows `whsec_`, read as base64 (Standard Webhooks 1.0). Undefined when it is no
 * base64; a secret that the server made is.
 */
export function decodeSecret(secret: string): Uint8Array<ArrayBuffer> | undefined {
  return readBase64(secret.slice('whsec_'.length).replaceAll('-', '+').replaceAll('_', '/'));
}

/** The bytes in base64; undefined when it is none, or empty. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return bytes.length === 0 ? undefined : bytes;
  } catch {
    return undefined;
  }
}
