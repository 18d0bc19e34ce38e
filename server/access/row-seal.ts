import { createHmac, hash, hkdfSync } from 'node:crypto';
import type { RowSeal } from '../storage/unit-of-work.ts';

/**
 * Seals rows that only a server with the secret of the installation may write (HMAC-SHA256), such as the heads of the
 * hash chains: with the database alone they cannot be changed unnoticed.
 */
export class RowSealer implements RowSeal {
  readonly keyId: string;
  readonly #key: Buffer;

  /** @param secret of the installation; the key is derived from it (HKDF, RFC 5869). */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'svc row seals', 32));
    this.keyId = hash('sha256', Buffer.concat([Buffer.from('svc row seal key '), this.#key])).slice(0, 16);
  }

  seal(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
