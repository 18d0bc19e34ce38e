import { lookup as lookupAddresses, Resolver } from 'node:dns/promises';
import { isIP, Socket } from 'node:net';
import type { buildConnector, Client } from 'undici';
import type { AttemptView } from '../deliveries/delivery.ts';
import { DeliveryFailure, describeFailure, readCode } from './exchange.ts';
import { isAllowedAddress, type ReceiverPolicy } from './receiver-address.ts';

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
    let stopWaiting = () => {};
    let isWaiting = false;
    const waitShortly = (addresses: readonly string[]) => {
      if (addresses.length > 0 && !isWaiting) {
        isWaiting = true;
        stopWaiting = timer(otherFamilyMilliseconds, cancel);
      }
      return addresses;
    };
    const [v6, v4] = await Promise.allSettled([
      resolver.resolve6(hostname).then(waitShortly),
      resolver.resolve4(hostname).then(waitShortly),
    ]);
    stopWaiting();
    signal.removeEventListener('abort', cancel);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [
      ...readAddresses(v6).map((address) => ({ address, family: 6 })),
      ...readAddresses(v4).map((address) => ({ address, family: 4 })),
    ];
  };
}

function readAddresses(result: PromiseSettledResult<readonly string[]>): readonly string[] {
  return result.status === 'fulfilled' ? result.value : [];
}

export type Undici = typeof import('undici');

export interface ConnectOptions {
  readonly policy: ReceiverPolicy;
  readonly lookup: Lookup;
  /** Certificates of authorities to trust instead of Node's own, in PEM. */
  readonly authorities: string | null;
}

export type Step = Exclude<keyof AttemptView['timing'], 'queued' | 'total'>;

/** One connection to an origin, used by one delivery at a time; it opens again when the receiver closed it. */
export class ReceiverConnection {
  readonly client: Client;
  /** The one that was opened last, also when it is closed by now. */
  socket: Socket | null = null;
  /** Called when a step of opening it is done. */
  onStep: (step: Step) => void = () => {};

  constructor(undici: Undici, origin: string, options: ConnectOptions) {
    this.client = new undici.Client(origin, {
      connect: (target, answer) => {
        this.socket = openSocket(undici, options, target, (step) => this.onStep(step), answer);
      },
      allowH2: false,
      // One limit over the whole exchange replaces these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16 * 1024,
      // Shorter than the 5 seconds after which many servers close a connection, which would meet a delivery on its way.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 60_000,
    });
  }

  /** Closes it at once, also while it is being opened. */
  async destroy(): Promise<void> {
    this.socket?.destroy();
    await this.client.destroy();
  }
}

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
