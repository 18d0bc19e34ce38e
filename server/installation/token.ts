import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;

/**
 * A new opaque token: its prefix, 32 random base62 characters (190 bits), and a checksum of 6, with which a secret scanner
 * distinguishes a real token from a look-alike without a request to the server.
 */
export function generateToken(prefix: string): string {
  const body = prefix + randomText(secretLength);
  return body + checksum(body);
}

/** Random base62 characters of the system's generator, just under 6 bits each. */
export function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** True if a text has the form and the checksum of a token with this prefix; the token need not exist. */
export function isToken(prefix: string, text: string): boolean {
  return (
    text.length === prefix.length + secretLength + checksumLength &&
    text.startsWith(prefix) &&
    /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) &&
    text.endsWith(checksum(text.slice(0, -checksumLength)))
  );
}

/**
 * The hash of a token, which is stored and looked up. A token has 190 random bits, so one round of SHA-256 is enough,
 * and the time that a look-up by hash takes reveals nothing about the token.
 */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** The part of a token that may be shown later: its prefix and four characters of the secret. */
export function displayPrefix(prefix: string, token: string): string {
  return token.slice(0, prefix.length + 4);
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
