import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { text } from '../http/schemas.ts';

/** What the URL parser behind `domainToASCII` would drop or decode without a word: `example.com/shop` is no site. */
const noHostCharacter = /[/?#\\%\t\n\r]/;
const hostname = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Brings a site's name into the one form that is stored and compared: lower-case ASCII without a final dot.
 * @returns null for what is no host name: a scheme, a port, a path, a wildcard.
 */
export function normalizeDomain(text: string): string | null {
  if (noHostCharacter.test(text.trim())) return null;
  const ascii = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  return hostname.test(ascii) ? ascii : null;
}

/** A site: `example.com`, `localhost`, an IPv4 address; international names are stored as their ASCII form. */
export const Domain = text(253)
  .min(1)
  .transform((text, context) => {
    const domain = normalizeDomain(text);
    if (domain !== null && (domain.includes('.') || domain === 'localhost')) return domain;
    context.addIssue('must be a host name such as example.com, without scheme, port or path');
    return z.NEVER;
  })
  .meta({ override: { type: 'string', minLength: 1, maxLength: 253 } });

/** An origin as browsers serialise it: lower-case ASCII host, a port only where it is not the default. */
const webOrigin = /^https?:\/\/([a-z0-9._-]{1,253})(?::\d{1,5})?$/;

/**
 * Whether a page of this origin may use a notice of this domain: the host is the domain or lies below it.
 * The scheme must be http or https; the port does not matter. `null`, no origin and look-alikes do not match.
 */
export function originMatches(origin: string | undefined, domain: string): boolean {
  const host = origin === undefined ? undefined : webOrigin.exec(origin)?.[1];
  if (host === undefined) return false;
  return host === domain || (host.endsWith(`.${domain}`) && isIP(domain) === 0);
}
