import type { Client } from '../http/client.ts';
import { findOwnAddress } from '../http/own-address.ts';
import { invalidValue } from './message.ts';
import { scim } from './surface.ts';

/** Makes the address of a resource from its path: `/Users/0190…`. */
export type Locate = (path: string) => string;

/**
 * Addresses as `meta.location` and `Location` give them, which are absolute (RFC 7644 section 3.1).
 * @param baseUrl the public address of this server; null to take the Host that was asked.
 * @throws {Problem} `invalidValue` for a Host that cannot be one.
 */
export function createLocate(baseUrl: string | null, client: Pick<Client, 'host'>): Locate {
  const address = findOwnAddress(baseUrl, client);
  if (address === null) throw invalidValue('The Host header must be a host and a port.');
  return (path) => address + scim.base + path;
}
