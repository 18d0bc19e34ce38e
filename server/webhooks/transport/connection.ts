import { lookup as lookupAddresses, Resolver } from 'node:dns/promises';
import { isIP, Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { AttemptView } from '../deliveries/delivery.ts';
import { isAllowedAddress, type ReceiverPolicy } from '../endpoints/receiver-address.ts';
import { DeliveryFailure, describeFailure, readCode } from './outcome.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds every address of a host name; after the signal, no caller waits for them. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** Calls after so many milliseconds, unless cancelled by the function that it returns. */
export type Timer = (milliseconds: number, act: () => void) => () => void;

/** The look-up of the operating system: its hosts file, then DNS. */
export const systemLookup: Lookup = (hostname) => lookupAddresses(hostname, { all: true, order: 'verbatim' });

/** One try of a query; two tries with the time limit of a delivery in mind. */
const queryMilliseconds = 3_000;
const queryTries = 2;
/** Once one family of addresses is known, the other gets a moment: some name servers never answer what they do not know. */
const otherFamilyMilliseconds = 500;

/**
 * Looks names up only in DNS, as fits names of the public internet. The look-up of the system waits in one of the few threads
 * that all of the process shares: two names whose servers never answer would stop every other look-up. An address
 * that comes too late is left out, and so is nothing to connect to either.
 * @param servers instead of those of the machine, `address:port`.
 */
export function createPublicLookup({
  timer,
  servers,
}: {
  readonly timer: Timer;
  readonly servers?: readonly string[];
}): Lookup {
  return async (hostname, signal) => {
    // A new one each time reads what the machine's settings are now.
    const resolver = new Resolver({ timeout: queryMilliseconds, tries: queryTries });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const waits: (() => void)[] = [];
    const list = async (family: 4 | 6): Promise<readonly ResolvedAddress[]> => {
      const addresses = await (family === 6 ? resolver.resolve6(hostname) : resolver.resolve4(hostname));
      if (waits.length === 0) waits.push(timer(otherFamilyMilliseconds, cancel));
      return addresses.map((address) => ({ address, family }));
    };
    const found = await Promise.allSettled([list(6), list(4)]);
    for (const stopWaiting of waits) stopWaiting();
    signal.removeEventListener('abort', cancel);
    const [, v4] = found;
    if (v4.status === 'rejected' && found[0].status === 'rejected') throw v4.reason;
    return found.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  };
}

export type Undici = typeof import('undici');

export interface ConnectOptions {
  readonly policy: ReceiverPolicy;
  readonly lookup: Lookup;
  /** Certificates of authorities to trust instead of Node's own, in PEM. */
  readonly authorities: string | null;
}

export type Step = Exclude<keyof AttemptView['timing'], 'queued' | 'total'>;

/**
 * Opens a connection: looks the name up once, refuses it if any of its addresses is not allowed, and connects to exactly the
 * addresses that were checked. The certificate must be valid for the name.
 */
export function openSocket(
  { buildConnector }: Undici,
  { policy, lookup, authorities }: ConnectOptions,
  target: buildConnector.Options,
  onStep: (step: Step) => void,
  answer: buildConnector.Callback,
): Socket {
  const closing = new AbortController();
  let isConnected = false;
  const connect = buildConnector({
    lookup: (host, _, give) => {
      resolveReceiver(host, closing.signal, lookup, policy).then(
        (addresses) => {
          onStep('lookup');
          give(null, [...addresses]);
        },
        (error) => give(error, ''),
      );
    },
    // Takes a list from the look-up.
    autoSelectFamily: true,
    allowH2: false,
    timeout: 0,
    // A session ticket is bytes of the receiver's choice, which the next handshake would send wherever the name points by then.
    maxCachedSessions: 0,
    // Holds whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(authorities === null ? {} : { ca: authorities }),
  });
  // An address is not looked up.
  if (isIP(target.hostname) !== 0) {
    onStep('lookup');
    if (!isAllowedAddress(target.hostname, policy)) {
      queueMicrotask(() => answer(refusedAddress(), null));
      return new Socket().destroy();
    }
  }
  // The types of undici leave out the socket that the connector returns.
  const socket = connect(target, (error, opened) => {
    if (error !== null) answer(describeOpening(error, isConnected), null);
    else if (!opened.destroyed) {
      if (target.protocol === 'https:') onStep('tls');
      answer(null, opened);
    }
  }) as unknown as Socket;
  // Before the listener that begins the handshake.
  socket.prependOnceListener('connect', () => {
    isConnected = true;
    onStep('connect');
    // The addresses were checked; this holds even if something between here and the network does not keep to them.
    if (isAllowedAddress(socket.remoteAddress ?? '', policy)) return;
    socket.destroy();
    answer(refusedAddress(), null);
  });
  return socket.once('close', () => closing.abort());
}

async function resolveReceiver(
  host: string,
  signal: AbortSignal,
  lookup: Lookup,
  policy: ReceiverPolicy,
): Promise<readonly ResolvedAddress[]> {
  const addresses = await lookup(host, signal).catch((error: unknown) => {
    const isUnknown = /^(?:ENOTFOUND|ENODATA|EAI_NONAME|EAI_NODATA)$/.test(readCode(error));
    const problem = isUnknown ? 'does not exist' : 'cannot be looked up';
    throw new DeliveryFailure('dns', `The host name of the receiver ${problem}.`);
  });
  if (addresses.length === 0) throw new DeliveryFailure('dns', 'The host name of the receiver has no address.');
  // One bad address among several refuses all: a name that mixes them is under attack, or misconfigured.
  if (!addresses.every(({ address }) => isAllowedAddress(address, policy))) throw refusedAddress();
  return addresses;
}

function refusedAddress(): DeliveryFailure {
  return new DeliveryFailure('refused_address', 'The receiver resolves to an address to which no delivery may go.');
}

/** What went wrong before a connection was ready: once it is connected, only the handshake is left. */
function describeOpening(error: Error, isConnected: boolean): DeliveryFailure {
  const failure = describeFailure(error);
  if (!isConnected || failure.reason !== 'connection') return failure;
  return new DeliveryFailure('tls', 'The receiver closed the connection before it was ready.');
}
