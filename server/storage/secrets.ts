import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';
import type { RowSeal } from './queries.ts';

/**
 * Keyed hashes that records contain instead of addresses and user agents: the same visitor gives the same hash
 * within one tenant, addresses cannot be guessed without the key, and two tenants cannot compare theirs.
 */
export class PrivateHasher {
  readonly #secret: string;
  readonly #tenantKeys = new Map<string, string>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /**
   * SHA-256 over the tenant's key (64 hex characters) and a value, hex; null stays null. The key has a fixed length and
   * no client sees the intermediate state, so a plain prefix is as good as HMAC here, at a twentieth of its cost.
   */
  hash(tenantId: string, value: string | null): string | null {
    return value === null ? null : hash('sha256', this.#tenantKey(tenantId) + value);
  }

  /** The value that two servers on one database compare to check that they have the same secret. */
  get fingerprint(): string {
    return hash('sha256', `svc secret ${this.#secret}`);
  }

  #tenantKey(tenantId: string): string {
    let key = this.#tenantKeys.get(tenantId);
    if (key === undefined) {
      key = createHmac('sha256', this.#secret).update(`private hash ${tenantId}`).digest('hex');
      this.#tenantKeys.set(tenantId, key);
    }
    return key;
  }
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals texts that must be read again, with a key outside the database (AES-256-GCM, NIST SP 800-38D).
 * Random nonces are safe for some four thousand million texts under one key.
 */
export class SecretBox {
  readonly #key: Buffer;

  /** @param secret of the installation; the key is derived from it (HKDF, RFC 5869). */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'svc sealed texts', 32));
  }

  /** @param purpose the purpose of the text; it only opens with the same one. */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(purpose));
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** @throws {Error} if the text was changed, or sealed for another purpose or with another key. */
  open(sealed: string, purpose: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    // Decoding ignores invalid characters; only the exact text that was returned opens.
    if (bytes.toString('base64url') !== sealed) throw new Error('a sealed text is not in canonical form');
    const tag = bytes.subarray(-tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString();
  }
}

const blockBytes = 64;

/**
 * Seals rows that only a server with the secret of the installation may write (HMAC-SHA256), such as the heads of the
 * hash chains: with only the database they cannot be changed unnoticed. Hashes the tokens of sessions, too.
 */
export class RowSealer implements RowSeal {
  readonly keyId: string;
  readonly #inner = Buffer.alloc(blockBytes, 0x36);
  readonly #tokenKey: string;
  readonly #outer = Buffer.alloc(blockBytes + 32, 0x5c);

  /** @param secret of the installation; the key is derived from it (HKDF, RFC 5869). */
  constructor(secret: string) {
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'svc row seals', 32));
    for (const [index, byte] of key.entries()) {
      this.#inner[index] = 0x36 ^ byte;
      this.#outer[index] = 0x5c ^ byte;
    }
    this.#tokenKey = Buffer.from(hkdfSync('sha256', secret, '', 'svc token hashes', 32)).toString('hex');
    this.keyId = hash('sha256', Buffer.concat([Buffer.from('svc row seal key '), key])).slice(0, 16);
  }

  /**
   * SHA-256 over the key (64 hex characters) and a token. Key and tokens have fixed lengths, so a plain prefix is as good as
   * HMAC here, and costs each request no more than a hash without a key.
   */
  hashToken(token: string): string {
    return hash('sha256', this.#tokenKey + token);
  }

  /** HMAC as RFC 2104 writes it out: with two one-shot hashes it costs a tenth of `createHmac`, on every capture. */
  seal(text: string): string {
    const input = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text));
    input.set(this.#inner);
    input.write(text, blockBytes);
    this.#outer.write(hash('sha256', input, 'binary'), blockBytes, 'latin1');
    return hash('sha256', this.#outer, 'base64url');
  }
}
