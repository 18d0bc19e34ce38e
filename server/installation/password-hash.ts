import { type Argon2Parameters, argon2, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);

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

/**
 * Hashes passwords and backup codes with argon2id (RFC 9106), keyed with a pepper outside of the database
 * (NIST SP 800-63B-4 section 3.1.1.2). Hashes are text in PHC form. Requests go through `PasswordQueue`.
 */
export class PasswordHasher {
  readonly #pepper: Buffer;
  readonly #cost: HashCost;
  /** A hash of no password: it is compared with where there is none. */
  readonly #decoy: string;

  constructor(secret: string, cost: HashCost = presentCost) {
    this.#pepper = Buffer.from(hkdfSync('sha256', secret, '', 'svc password pepper', 32));
    this.#cost = cost;
    this.#decoy = writeHash(cost, randomBytes(saltBytes), randomBytes(tagLength));
  }

  /** A new hash of a password, with a new salt. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    return writeHash(this.#cost, salt, await this.#derive(password, salt, this.#cost, tagLength));
  }

  /**
   * Compares a password with a hash in constant time. Without a hash it takes as long and returns false: the time does not reveal
   * whether an account has a password.
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const { cost, salt, tag } = readHash(hash ?? this.#decoy);
    const derived = await this.#derive(password, salt, cost, tag.length);
    return timingSafeEqual(derived, tag) && hash !== null;
  }

  /** True if a hash was made at a lower cost than new hashes. */
  isOutdated(hash: string): boolean {
    const { cost } = readHash(hash);
    return Object.entries(this.#cost).some(([name, value]) => cost[name as keyof HashCost] < value);
  }

  /** Hashes a text with a salt that is kept elsewhere, so that equal texts have equal hashes: 32 bytes, base64url. */
  async hashWith(text: string, salt: string): Promise<string> {
    const tag = await this.#derive(text, Buffer.from(salt, 'base64url'), this.#cost, tagLength);
    return tag.toString('base64url');
  }

  async #derive(text: string, salt: Buffer, cost: HashCost, length: number): Promise<Buffer> {
    const message = Buffer.from(text.normalize('NFKC'));
    const parameters: Argon2Parameters = { message, nonce: salt, secret: this.#pepper, tagLength: length, ...cost };
    return derive('argon2id', parameters);
  }
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
