import { encoder } from './body.ts';

export type MacKey = Parameters<typeof crypto.subtle.sign>[1];

/** The key of a secret: the bytes of the whole of it. */
export function importKey({ secret }: { readonly secret: string }): Promise<MacKey> {
  return importBytes(encoder.encode(secret), 'sign');
}

export function importBytes(bytes: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify'): Promise<MacKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

/** What is signed: `<t>.<body>`, or with an id before the time. */
export function joinSigned(time: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const signed = new Uint8Array(time.length + 1 + bytes.length);
  signed.set(encoder.encode(`${time}.`));
  signed.set(bytes, time.length + 1);
  return signed;
}

/** What HMAC-SHA256 gave: 32 bytes, a character each. */
export function readMac(digest: ArrayBuffer): string {
  return String.fromCharCode.apply(null, new Uint8Array(digest) as unknown as number[]);
}
