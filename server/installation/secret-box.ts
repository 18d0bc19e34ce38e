import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals texts that must be read again, with a key that stands outside of the database (AES-256-GCM, NIST SP 800-38D).
 * Random nonces are safe for some four thousand million texts under one key.
 */
export class SecretBox {
  readonly #key: Buffer;

  /** @param secret of the installation; the key is derived from it (HKDF, RFC 5869). */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'svc sealed texts', 32));
  }

  /** @param purpose what the text belongs to; it only opens with the same one. */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(purpose));
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** @throws {Error} when the text was changed, or sealed for something else or with another key. */
  open(sealed: string, purpose: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    // Decoding passes over what is no base64: of all spellings, the one that was given out opens.
    if (bytes.toString('base64url') !== sealed) throw new Error('a sealed text is not in canonical form');
    const tag = bytes.subarray(-tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString();
  }
}
