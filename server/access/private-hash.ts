import { createHmac, hash } from 'node:crypto';

/**
 * Keyed hashes that stand in the records instead of addresses and user agents: the same visitor gives the same hash
 * within one tenant, nobody without the key can try addresses, and two tenants cannot compare theirs.
 */
export class PrivateHasher {
  readonly #secret: string;
  readonly #tenantKeys = new Map<string, Buffer>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** HMAC-SHA256 of a value under the tenant's key, hex; null stays null. */
  hash(tenantId: string, value: string | null): string | null {
    return value === null ? null : createHmac('sha256', this.#tenantKey(tenantId)).update(value).digest('hex');
  }

  /** What two servers on one database compare to see that they have the same secret. */
  get fingerprint(): string {
    return hash('sha256', `svc secret ${this.#secret}`);
  }

  #tenantKey(tenantId: string): Buffer {
    let key = this.#tenantKeys.get(tenantId);
    if (key === undefined) {
      key = createHmac('sha256', this.#secret).update(`private hash ${tenantId}`).digest();
      this.#tenantKeys.set(tenantId, key);
    }
    return key;
  }
}
