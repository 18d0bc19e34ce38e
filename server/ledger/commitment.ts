import { hash, randomBytes } from 'node:crypto';

/** A salt for commitments: 16 random bytes, as 22 characters of base64url. Without it, a commitment confirms no guess. */
export function newSalt(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * Commits to a value without showing it: SHA-256, hex, over the salt, the name, a zero byte and the value, as UTF-8.
 * @param name of the value; the same value has another commitment under another name.
 */
export function commit(salt: string, name: string, value: string): string {
  return hash('sha256', `${salt}${name}\0${value}`);
}
