import { createHmac, hash } from 'node:crypto';

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

  /** What two servers on one database compare to see that they have the same secret. */
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
