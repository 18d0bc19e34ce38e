import { randomBytes, randomInt } from 'node:crypto';

/** Crockford's base32: without the letters that are taken for others, I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const setSize = 10;
/** 80 bits: more than NIST SP 800-63B-4 section 3.1.2 asks of look-up secrets. */
const codeLength = 16;
const saltBytes = 16;

/** Hashes backup codes: slowly, with a salt that belongs to the set. */
export type HashCodes = (codes: readonly string[], salt: string) => Promise<readonly string[]>;

/** The backup codes of a person as they are stored. */
export interface StoredCodes {
  /** One for the whole set, so that a code can be looked up by its hash. */
  readonly salt: string;
  readonly hashes: readonly string[];
}

/** A new set of backup codes: as they are shown, once, and as they are stored. Takes as long as ten hashes. */
export async function createBackupCodes(
  hashCodes: HashCodes,
): Promise<{ readonly codes: readonly string[]; readonly stored: StoredCodes }> {
  const codes = Array.from({ length: setSize }, createCode);
  const salt = randomBytes(saltBytes).toString('base64url');
  return { codes: codes.map(showCode), stored: { salt, hashes: await hashCodes(codes, salt) } };
}

/**
 * The one form of a backup code that a person typed: case, dashes and spaces do not matter, and letters that look like
 * digits are those digits. Null for what cannot be one.
 */
export function readBackupCode(text: string): string | null {
  const compact = text.replace(/[\s-]/g, '');
  // Before the case changes: some letters of other scripts have ASCII letters as their capitals.
  if (!/^[0-9A-Za-z]+$/.test(compact)) return null;
  const code = compact.toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
  return code.length === codeLength && !code.includes('U') ? code : null;
}

function createCode(): string {
  return Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** In groups of four, to read it off a sheet of paper. */
function showCode(code: string): string {
  return (code.match(/.{4}/g) ?? []).join('-');
}
