import { domainToASCII } from 'node:url';
import { findUnstorable } from '../../http/request.ts';
import { text } from '../../http/schemas.ts';
import { removeInvisible } from '../../http/typed-text.ts';

/** RFC 5321 section 4.5.3.1. */
const longestAddress = 254;
const longestLocalPart = 64;
/** The longest local part and domain of RFC 5321 and RFC 1035 together, with an @. */
const longestTyped = 320;

/**
 * Normalizes an e-mail address for comparison and storage: NFC, lower case, the domain in ASCII. Local parts may be of any
 * script (RFC 6531). Undefined for an invalid address.
 */
export function normalizeEmail(text: string): string | undefined {
  // Before normalization, whose time grows with the square of the number of combining marks.
  if (text.length > longestTyped) return undefined;
  const [, local, domain] =
    /^([^\s@"(),:;<>[\]\\\p{Cc}\p{Cf}\p{Zs}]+)@([\p{L}\p{M}\p{N}.-]+)$/u.exec(text.normalize('NFC')) ?? [];
  if (local === undefined || domain === undefined || findUnstorable(text) !== null) return undefined;
  if (/^\.|\.\.|\.$/.test(local)) return undefined;
  const host = domainToASCII(domain);
  // At least two labels, the last not a number: no IP address and no name of a local network.
  if (!/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/.test(host))
    return undefined;
  // In this order: lower-case letters may compose where capitals do not, and may be longer.
  const name = local.toLowerCase().normalize('NFC');
  const address = `${name}@${host}`;
  const isTooLong = Buffer.byteLength(name) > longestLocalPart || Buffer.byteLength(address) > longestAddress;
  return isTooLong ? undefined : address;
}

/**
 * Normalizes an e-mail address that a person typed or pasted: without what copying adds, and with the ASCII characters of
 * full-width ones, which keyboards of Chinese, Japanese and Korean write.
 */
export function readTypedEmail(text: string): string | undefined {
  if (text.length > longestTyped) return undefined;
  const narrow = text
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u3002\uFF61]/g, '.');
  return normalizeEmail(removeInvisible(narrow).trim());
}

/** An e-mail address of a request, normalized. */
export const Email = text(longestTyped)
  .transform((text, context) => {
    const email = readTypedEmail(text);
    if (email === undefined) context.addIssue('must be an e-mail address, such as name@example.com');
    return email ?? '';
  })
  .meta({ description: 'E-mail address; case does not matter.', override: { type: 'string', format: 'email' } });
