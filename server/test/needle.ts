import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

/**
 * A text to search for in stored data, logs and responses, different at each call. It has dots, which base64url, base62,
 * hexadecimal and UUIDs lack, and no uppercase letters, so it may be an id, a name, a host or the local part of an address.
 * @param label names the text in failures.
 */
export function needle(label: string): string {
  return `needle.${label}.${randomBytes(8).toString('hex')}`;
}

/** Asserts that a text contains none of these values. Rejects those that random ids, hashes and secrets contain by chance. */
export function assertAbsent(text: string, ...values: readonly string[]): void {
  for (const value of values) {
    const isUnmistakable = value.length >= 16 || (value.length >= 8 && /[^\w+/=-]/.test(value));
    assert.ok(isUnmistakable, `random text may contain "${value}" by chance: search for a needle()`);
    assert.ok(!text.includes(value), value);
  }
}
