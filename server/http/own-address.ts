import type { Client } from './client.ts';

/** A name or an address, and a port (RFC 3986 section 3.2): all that a Host header may be. */
export const authority = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The address that this server has for a client, without a path.
 * @param baseUrl the public address of this server; null to take the Host that was asked.
 * @returns null for a Host that cannot be one: it would stand in what others read.
 */
export function findOwnAddress(baseUrl: string | null, { host = '' }: Pick<Client, 'host'>): string | null {
  if (baseUrl !== null) return baseUrl;
  return authority.test(host) ? `http://${host}` : null;
}
