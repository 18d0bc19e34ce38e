import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { SecretBox } from '../storage/secrets.ts';

const deriveKey = promisify(argon2);

/** The cost of a hash. After a raise, each password is rehashed at the next sign-in. */
export interface HashCost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's recommendation for argon2id (Password Storage Cheat Sheet): 19 MiB, two passes. */
const presentCost: HashCost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagLength = 32;

/** The purpose of sealed hashes (`SecretBox`). */
export const hashPurpose = 'password hash';

/**
 * Hashes passwords with argon2id (RFC 9106), and encrypts the hashes with a key outside of the database (NIST SP 800-63B-4
 * section 3.1.1.2), which another key can replace without the passwords. Sealed are texts in PHC form. Requests go through
 * `PasswordQueue`.
 */
export class PasswordHasher {
  readonly #box: SecretBox;
  readonly #cost: HashCost;
  /** A hash of no password: it is compared with where there is none. */
  readonly #decoy: string;

  constructor(box: SecretBox, cost: HashCost = presentCost) {
    this.#box = box;
    this.#cost = cost;
    this.#decoy = writeHash(cost, randomBytes(saltBytes), randomBytes(tagLength));
  }

  /** A new hash of a password, with a new salt, sealed. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    const hash = writeHash(this.#cost, salt, await derive(password, salt, this.#cost, tagLength));
    return this.#box.seal(hash, hashPurpose);
  }

  /**
   * Compares a password with a hash in constant time. Without a hash it takes as long and returns false: the time does not reveal
   * whether an account has a password.
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const { cost, salt, tag } = readHash(hash === null ? this.#decoy : this.#box.open(hash, hashPurpose));
    const derived = await derive(password, salt, cost, tag.length);
    return timingSafeEqual(derived, tag) && hash !== null;
  }

  /** True if a hash was made at a lower cost than new hashes. */
  isOutdated(hash: string): boolean {
    const { cost } = readHash(this.#box.open(hash, hashPurpose));
    return Object.entries(this.#cost).some(([name, value]) => cost[name as keyof HashCost] < value);
  }

  /**
   * Hashes a backup code, whose 80 random bits need no key, with a salt that is kept elsewhere: equal codes have equal hashes,
   * 32 bytes, base64url.
   */
  async hashWith(text: string, salt: string): Promise<string> {
    const tag = await derive(text, Buffer.from(salt, 'base64url'), this.#cost, tagLength);
    return tag.toString('base64url');
  }
}

async function derive(text: string, salt: Buffer, cost: HashCost, length: number): Promise<Buffer> {
  const message = Buffer.from(text.normalize('NFKC'));
  const parameters: Argon2Parameters = { message, nonce: salt, tagLength: length, ...cost };
  return deriveKey('argon2id', parameters);
}

function writeHash({ memory, passes, parallelism }: HashCost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`;
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function readHash(hash: string): { readonly cost: HashCost; readonly salt: Buffer; readonly tag: Buffer } {
  const [, memory, passes, parallelism, salt, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash cannot be read');
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
