import type { LookupAddress } from 'node:dns';
import { lookup as lookupAddresses, Resolver } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { FailureReason } from '../deliveries/delivery.ts';
import { isAllowedAddress, type ReceiverPolicy, readHost } from '../endpoints/receiver-address.ts';

/** Why there was no whole answer. Its message has the code of an error at most: the texts of the system hold addresses. */
export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure';
  /** `aborted`: the server stops, or the delivery was canceled before its body was sent. */
  readonly reason: FailureReason | 'aborted';

  constructor(reason: FailureReason | 'aborted', message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The code of an error; Node gives several tries to connect that of the first. */
function readCode(error: object): string {
  return 'code' in error ? String(error.code) : 'no code';
}

/** Finds every address of a host name; may stop when the signal aborts, after which its result is ignored. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

const systemLookup: Lookup = (hostname) => lookupAddresses(hostname, { all: true });

/**
 * Looks names up only in DNS, as fits names of the public internet. The look-up of the system waits in one of the few threads
 * that all of the process shares: two names whose servers never answer would stop every other look-up.
 * @param servers instead of those of the machine, `address:port`.
 */
export function createPublicLookup(servers?: readonly string[]): Lookup {
  return async (hostname, signal) => {
    // A new one each time reads what the machine's settings are now. With three servers it gives up after nine seconds.
    const resolver = new Resolver({ timeout: 1_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    const [v6, v4] = await Promise.allSettled([resolver.resolve6(hostname), resolver.resolve4(hostname)]);
    if (v6.status === 'rejected' && v4.status === 'rejected') throw v4.reason;
    const addresses = [v6, v4].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
}

export interface ConnectOptions {
  readonly policy: ReceiverPolicy;
  /** By default DNS; with private receivers the look-up of the system, for their names can be in its hosts file. */
  readonly lookup?: Lookup;
  /** Certificates of authorities to trust instead of Node's own, in PEM. */
  readonly authorities?: string;
}

/**
 * Opens a connection: looks the name up once, refuses it if any of its addresses is not allowed, and connects to exactly the
 * addresses that were checked. The certificate must be valid for the name. Rejects with a `DeliveryFailure`, after ten seconds
 * (the default of undici) at the latest once the name is looked up.
 * @param signal cancels the look-up or closes the socket, even after it was returned.
 */
export async function openSocket(
  { buildConnector }: typeof import('undici'),
  { policy, lookup = policy.allowPrivate ? systemLookup : createPublicLookup(), authorities }: ConnectOptions,
  target: buildConnector.Options,
  signal: AbortSignal,
): Promise<Socket> {
  const host = readHost(target.hostname);
  const family = isIP(host);
  const addresses = family === 0 ? [...(await lookup(host, signal).catch(failLookup))] : [{ address: host, family }];
  signal.throwIfAborted();
  if (addresses.length === 0) failLookup({ code: 'ENODATA' });
  // One bad address among several refuses all: a name that mixes them is under attack, or misconfigured.
  if (!addresses.every(({ address }) => isAllowedAddress(address, policy))) throw refusedAddress();
  const connect = buildConnector({
    lookup: (_host, _options, give) => give(null, addresses),
    // Takes a list from the look-up.
    autoSelectFamily: true,
    allowH2: false,
    // A session ticket is bytes of the receiver's choice, which the next handshake would send wherever the name points by then.
    maxCachedSessions: 0,
    // Holds whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    ca: authorities,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let isConnected = false;
  // The types of undici leave out the socket that the connector returns.
  const socket = connect(target, (error, opened) =>
    error === null ? resolve(opened) : reject(describeOpening(readCode(error), isConnected)),
  ) as unknown as Socket;
  const abort = () => {
    reject(signal.reason);
    socket.destroy(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  // Before the listener that begins the handshake.
  socket.prependOnceListener('connect', () => {
    isConnected = true;
    // The addresses were checked; this holds even if something between here and the network does not keep to them.
    if (isAllowedAddress(socket.remoteAddress ?? '', policy)) return;
    socket.destroy();
    reject(refusedAddress());
  });
  return promise;
}

function failLookup(error: object): never {
  throw new DeliveryFailure('dns', `The host name of the receiver cannot be resolved (${readCode(error)}).`);
}

function refusedAddress(): DeliveryFailure {
  return new DeliveryFailure('refused_address', 'The receiver resolves to an address to which no delivery may go.');
}

/** Once it is connected, only the handshake is left. */
function describeOpening(code: string, isConnected: boolean): DeliveryFailure {
  if (isConnected) return new DeliveryFailure('tls', `The TLS handshake with the receiver failed (${code}).`);
  const problem = code === 'ECONNREFUSED' ? 'refused the connection' : `cannot be reached (${code})`;
  return new DeliveryFailure('connection', `The receiver ${problem}.`);
}
