import { randomText } from '../installation/token.ts';

/**
 * A random text that a row keeps beside what it says of a person. The audit log tells a hash of every row and forgets
 * nothing; without the salt, which goes when a row is erased, a hash confirms no guess of what stood in the row.
 */
export function createSalt(): string {
  return randomText(22);
}
