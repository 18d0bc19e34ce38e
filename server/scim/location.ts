import type { Client } from '../http/client.ts';
import { invalidValue } from './message.ts';
import { scim } from './surface.ts';

/** A name or an address, and a port (RFC 3986 section 3.2): all that a Host header may be. */
const authority = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Makes the address of a resource from its path: `/Users/0190…`. */
export type Locate = (path: string) => string;

/**
 * Addresses as `meta.location` and `Location` give them, which are absolute (RFC 7644 section 3.1).
 * @param baseUrl the public address of this server; null to take the Host that was asked.
 * @throws {Problem} `invalidValue` for a Host that cannot be one: it would stand in what others read.
 */
export function createLocate(baseUrl: string | null, { host = '' }: Pick<Client, 'host'>): Locate {
  if (baseUrl === null && !authority.test(host)) throw invalidValue('The Host header must be a host and a port.');
  const base = `${baseUrl ?? `http://${host}`}${scim.base}`;
  return (path) => base + path;
}
