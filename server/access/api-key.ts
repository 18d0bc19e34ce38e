import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;
const pattern = /^svc_(?:live|test)_[0-9A-Za-z]{38}$/;

export const keyEnvironments = ['live', 'test'] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];

/**
 * A new API key: `svc_<env>_`, 32 random base62 characters (190 bits), and a checksum of 6, with which a secret
 * scanner tells a real key from a look-alike without asking us.
 */
export function generateApiKey(environment: KeyEnvironment): string {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const body = `svc_${environment}_${secret}`;
  return body + checksum(body);
}

/** Whether a text has the form and the checksum of an API key; says nothing about whether the key exists. */
export function isApiKey(text: string): boolean {
  return pattern.test(text) && text.endsWith(checksum(text.slice(0, -checksumLength)));
}

/** What is stored and looked up. The key has 190 bits of its own, so one round of SHA-256 keeps it. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

/** What may be shown of a key later: its prefix and four characters of the secret. */
export function displayPrefix(key: string): string {
  return key.slice(0, 'svc_live_'.length + 4);
}

/** CRC-32 of the text in base62, padded to six characters. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < checksumLength; place += 1) {
    digits = `${alphabet[rest % alphabet.length]}${digits}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
