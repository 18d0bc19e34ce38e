import { ConfigurationError } from './errors.ts';

/** Where the server is: its origin, and what comes before every path, without a slash at its end. */
export interface BaseUrl {
  readonly origin: string;
  readonly prefix: string;
}

/**
 * Reads the address of the server.
 * @throws {ConfigurationError} for what is no such address, and for one that would send keys in the clear over a network.
 */
export function readBaseUrl(text: unknown, allowInsecure: boolean): BaseUrl {
  if (text === undefined || text === '')
    throw new ConfigurationError(
      'Set baseUrl or SVC_BASE_URL to the address of your server, such as https://svc.example.com.',
    );
  const url = typeof text === 'string' && !/\s/.test(text) ? URL.parse(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ConfigurationError('baseUrl must be an https:// address, or http:// on this machine.');
  if (url.username + url.password + url.search + url.hash !== '')
    throw new ConfigurationError('baseUrl must not contain a user, a password, a query or a fragment.');
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecure)
    throw new ConfigurationError(
      `baseUrl ${url.origin} would send keys unencrypted. Use https://, or set allowInsecure on a network that you trust.`,
    );
  return { origin: url.origin, prefix: url.pathname.replace(/(?<!\/)\/+$/, '') };
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(hostname)
  );
}
