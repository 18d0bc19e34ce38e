import type { LookupAddress } from 'node:dns';
import { lookup as lookupAddresses, Resolver } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { AttemptView } from '../deliveries/delivery.ts';
import { isAllowedAddress, type ReceiverPolicy } from '../endpoints/receiver-address.ts';
import { DeliveryFailure, describeFailure, readCode } from './outcome.ts';

/** Finds every address of a host name; after the signal, no caller waits for them. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

/** The look-up of the operating system: its hosts file, then DNS. */
export const systemLookup: Lookup = (hostname) => lookupAddresses(hostname, { all: true, order: 'verbatim' });

/** Once one family of addresses is known, the other gets a moment: some name servers never answer what they do not know. */
const otherFamilyMilliseconds = 500;

/**
 * Looks names up only in DNS, as fits names of the public internet. The look-up of the system waits in one of the few threads
 * that all of the process shares: two names whose servers never answer would stop every other look-up.
 * @param servers instead of those of the machine, `address:port`.
 */
export function createPublicLookup(servers?: readonly string[]): Lookup {
  return async (hostname, signal) => {
    // A new one each time reads what the machine's settings are now. Both tries fit into the time limit of a delivery.
    const resolver = new Resolver({ timeout: 3_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    let wait: NodeJS.Timeout | undefined;
    const list = async (family: 4 | 6): Promise<readonly LookupAddress[]> => {
      const addresses = await (family === 6 ? resolver.resolve6(hostname) : resolver.resolve4(hostname));
      wait ??= setTimeout(cancel, otherFamilyMilliseconds);
      return addresses.map((address) => ({ address, family }));
    };
    const [v6, v4] = await Promise.allSettled([list(6), list(4)]);
    clearTimeout(wait);
    signal.removeEventListener('abort', cancel);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    // An address that comes too late is left out, and so is nothing to connect to either.
    return [v6, v4].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  };
}

export type Undici = typeof import('undici');

export interface ConnectOptions {
  readonly policy: ReceiverPolicy;
  readonly lookup: Lookup;
  /** Certificates of authorities to trust instead of Node's own, in PEM. */
  readonly authorities?: string | undefined;
}

export type Step = Exclude<keyof AttemptView['timing'], 'queued' | 'total'>;

/**
 * Opens a connection: looks the name up once, refuses it if any of its addresses is not allowed, and connects to exactly the
 * addresses that were checked. The certificate must be valid for the name. Rejects with a `DeliveryFailure`.
 * @param signal closes it, also while it is being opened.
 */
export async function openSocket(
  { buildConnector }: Undici,
  { policy, lookup, authorities }: ConnectOptions,
  target: buildConnector.Options,
  signal: AbortSignal,
  onStep: (step: Step) => void,
): Promise<Socket> {
  const family = isIP(target.hostname);
  const addresses =
    family === 0 ? await resolve(target.hostname, signal, lookup) : [{ address: target.hostname, family }];
  // One bad address among several refuses all: a name that mixes them is under attack, or misconfigured.
  if (!addresses.every(({ address }) => isAllowedAddress(address, policy))) throw refusedAddress();
  signal.throwIfAborted();
  onStep('lookup');
  const connect = buildConnector({
    lookup: (_host, _options, give) => give(null, addresses),
    // Takes a list from the look-up.
    autoSelectFamily: true,
    allowH2: false,
    timeout: 0,
    // A session ticket is bytes of the receiver's choice, which the next handshake would send wherever the name points by then.
    maxCachedSessions: 0,
    // Holds whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ca: authorities,
  });
  const { promise, resolve: give, reject } = Promise.withResolvers<Socket>();
  let isConnected = false;
  // The types of undici leave out the socket that the connector returns.
  const socket = connect(target, (error, opened) => {
    if (error === null) {
      if (target.protocol === 'https:') onStep('tls');
      return give(opened);
    }
    const failure = describeFailure(error);
    // Once it is connected, only the handshake is left.
    const isHandshake = isConnected && failure.reason === 'connection';
    reject(
      isHandshake ? new DeliveryFailure('tls', 'The receiver closed the connection before it was ready.') : failure,
    );
  }) as unknown as Socket;
  // Before the listener that begins the handshake.
  socket.prependOnceListener('connect', () => {
    isConnected = true;
    onStep('connect');
    // The addresses were checked; this holds even if something between here and the network does not keep to them.
    if (isAllowedAddress(socket.remoteAddress ?? '', policy)) return;
    socket.destroy();
    reject(refusedAddress());
  });
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  return promise;
}

async function resolve(host: string, signal: AbortSignal, lookup: Lookup): Promise<LookupAddress[]> {
  const addresses = await lookup(host, signal).catch((error: unknown) => {
    const isUnknown = /^(?:ENOTFOUND|ENODATA|EAI_NONAME|EAI_NODATA)$/.test(readCode(error));
    const problem = isUnknown ? 'does not exist' : 'cannot be looked up';
    throw new DeliveryFailure('dns', `The host name of the receiver ${problem}.`);
  });
  if (addresses.length === 0) throw new DeliveryFailure('dns', 'The host name of the receiver has no address.');
  return [...addresses];
}

function refusedAddress(): DeliveryFailure {
  return new DeliveryFailure('refused_address', 'The receiver resolves to an address to which no delivery may go.');
}
