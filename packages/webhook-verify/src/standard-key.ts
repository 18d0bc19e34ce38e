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
