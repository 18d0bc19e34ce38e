// The platform of Node: undici, which is loaded at the first request. `fetch.ts` exports the same.
import type { Socket } from 'node:net';
import type { Transform } from 'node:stream';
import type { Client } from 'undici';
import type { OpenConnections } from '../connection-pool.ts';
import type { HeaderList } from '../headers.ts';
import { skipInterimResponses } from './interim-responses.ts';

const { node } = process.versions;
if (/^(?:1?\d|2[01]|22\.1?\d(?<!19))\./.test(node))
  throw new Error(`@svc/node-sdk needs Node 22.19 or later, not ${node}.`);

/** True if users of the program could read its secrets. */
export const isBrowser: boolean = false;

/** Names the platform in the User-Agent. */
export const platformName = `node/${node}`;

/** Sent with every request. */
export const platformHeaders: HeaderList = ['accept-encoding', 'gzip, deflate, br'];

export function warn(message: string, options: { readonly type?: string; readonly code: string }): void {
  process.emitWarning(message, options);
}

export function readEnvironment(name: string): string | undefined {
  return process.env[name];
}

/** True if content codings are decoded before an exchange gets the bytes. */
export const isDecoded: boolean = false;

/** Decodes a content coding (RFC 9110 section 8.4.1); null for an unknown one. */
export function createDecoder(coding: string, [first = 0]: Uint8Array): Transform | null {
  // Loaded here: few servers compress answers of this size.
  const zlib = process.getBuiltinModule('node:zlib');
  const create = new Map([
    ['gzip', zlib.createGunzip],
    ['x-gzip', zlib.createGunzip],
    ['br', zlib.createBrotliDecompress],
    // Some servers leave out the zlib header, whose first byte names the method 8.
    ['deflate', (first & 0x0f) === 8 ? zlib.createInflate : zlib.createInflateRaw],
  ] as const).get(coding as 'gzip');
  return create?.() ?? null;
}

export const openConnections: OpenConnections = async (readOrigin) => {
  const { buildConnector, Client, EnvHttpProxyAgent } = await import('undici');
  const origin = readOrigin();
  // Only HTTP/1.1: retries and sockets are tested with it.
  const direct = buildConnector({ allowH2: false });
  return () => {
    const opened: { socket?: Socket; expectResponse?: () => void } = {};
    const factory = (url: string | URL, { connect = direct, ...options }: Client.Options): Client =>
      new Client(url, {
        ...options,
        allowH2: false,
        connect: (target, callback) =>
          (connect as typeof direct)(target, (error, socket) => {
            if (socket) Object.assign(opened, { socket, expectResponse: skipInterimResponses(socket) });
            (callback as (error: Error | null, socket: Socket | null) => void)(error, socket);
          }),
      });
    const dispatcher = usesProxies()
      ? new EnvHttpProxyAgent({ allowH2: false, factory, clientFactory: factory })
      : factory(origin, {});
    return Object.assign(opened, { dispatcher });
  };
};

/** Node's own switch for HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
function usesProxies(): boolean {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS } = process.env;
  return NODE_USE_ENV_PROXY === '1' || `${NODE_OPTIONS} ${process.execArgv}`.includes('--use-env-proxy');
}
