import { domainToASCII } from 'node:url';
import { findUnstorable } from '../http/body.ts';
import { text } from '../http/schemas.ts';

/** RFC 5321 section 4.5.3.1. */
const longestAddress = 254;
const longestLocalPart = 64;
/** A local part and a domain of the longest that RFC 5321 and RFC 1035 allow, as users may type them. */
const longestTyped = 320;

/**
 * An e-mail address in the form that is compared and stored: NFC and small letters (addresses that differ in case alone are
 * one person), the domain in its ASCII form. Undefined for a text that is none; local parts may be of any script (RFC 6531).
 */
export function normalizeEmail(text: string): string | undefined {
  // Before it is composed: that takes a time that grows with the square of a row of combining marks.
  if (text.length > longestTyped) return undefined;
  const [, local, domain] =
    /^([^\s@"(),:;<>[\]\\\p{Cc}\p{Cf}\p{Zs}]+)@([\p{L}\p{M}\p{N}.-]+)$/u.exec(text.normalize('NFC')) ?? [];
  if (local === undefined || domain === undefined || findUnstorable(text) !== null) return undefined;
  if (/^\.|\.\.|\.$/.test(local)) return undefined;
  const host = domainToASCII(domain);
  // A part of a name, a dot, a part: no address of a machine, no word of a local network.
  if (!/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/.test(host))
    return undefined;
  // In this order: small letters may be composed where capitals are not, and may be longer.
  const name = local.toLowerCase().normalize('NFC');
  const address = `${name}@${host}`;
  const isTooLong = Buffer.byteLength(name) > longestLocalPart || Buffer.byteLength(address) > longestAddress;
  return isTooLong ? undefined : address;
}

/** An e-mail address, read into the form that is compared. */
export const Email = text(longestTyped)
  .transform((text, context) => {
    const email = normalizeEmail(text.trim());
    if (email === undefined) context.addIssue('must be an e-mail address, such as name@example.com');
    return email ?? '';
  })
  .meta({
    description: 'E-mail address; case does not matter.',
    override: ({ jsonSchema }) => {
      Object.assign(jsonSchema, { type: 'string', format: 'email' });
    },
  });
