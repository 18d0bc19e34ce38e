import { lookup as lookupAddresses } from 'node:dns/promises';
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { isAllowedAddress, type ReceiverPolicy } from './address-guard.ts';
import { DeliveryFailure, describeFailure, readCode } from './outcome.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds every address of a host name; after the signal nobody waits for them. Tests hand in their own. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** The look-up of the machine: its hosts file, then DNS. */
export const systemLookup: Lookup = (hostname) => lookupAddresses(hostname, { all: true, order: 'verbatim' });

/** What it takes to connect to one origin. */
export interface ReceiverAddress {
  readonly isTls: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface ConnectorOptions {
  readonly policy: ReceiverPolicy;
  readonly lookup: Lookup;
  /** Certificates of authorities to trust instead of those that Node brings, in PEM. */
  readonly authorities: string | null;
}

/** What a connector tells as it goes on. */
export type ConnectorStep = 'lookup' | 'connect' | 'tls';

export interface Connecting extends ConnectorOptions {
  readonly receiver: ReceiverAddress;
  readonly onStep: (step: ConnectorStep) => void;
  /** Ends the attempt; without effect on a connection that is already handed over. */
  readonly signal: AbortSignal;
}

/**
 * Opens a connection to a receiver: looks its name up once, refuses it if any of its addresses is not allowed, and connects to
 * exactly the addresses that were checked. The certificate must be valid for the name. Sessions of TLS are not resumed: a
 * session ticket is bytes of the receiver's choice that the next handshake would carry wherever its name points by then.
 * @throws {DeliveryFailure}
 */
export async function openConnection(connecting: Connecting): Promise<Socket> {
  const { receiver, policy, signal, onStep } = connecting;
  const addresses = await resolveReceiver(connecting);
  onStep('lookup');
  refuseWhenAborted(signal);
  const socket = connectSocket({
    host: receiver.host,
    port: receiver.port,
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  });
  await reachEvent(socket, 'connect', signal);
  // The addresses were checked; this holds even if something between here and the network does not keep to them.
  if (!isAllowedAddress(socket.remoteAddress ?? '', policy)) {
    socket.destroy();
    throw refusedAddress();
  }
  onStep('connect');
  return receiver.isTls ? await secureSocket(socket, connecting) : socket;
}

async function resolveReceiver(connecting: Connecting): Promise<readonly ResolvedAddress[]> {
  const { receiver, lookup, policy, signal } = connecting;
  const { host } = receiver;
  const family = isIP(host);
  const addresses = family === 0 ? await lookupName(host, lookup, signal) : [{ address: host, family }];
  // One bad address among several refuses all: a name that mixes them is a name under attack, or misconfigured.
  if (!addresses.every(({ address }) => isAllowedAddress(address, policy))) throw refusedAddress();
  return addresses;
}

async function lookupName(host: string, lookup: Lookup, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
  const addresses = await lookup(host, signal).catch((error: unknown) => {
    const isUnknown = /^(?:ENOTFOUND|ENODATA|EAI_NONAME|EAI_NODATA)$/.test(readCode(error));
    throw new DeliveryFailure(
      'dns',
      isUnknown
        ? 'The host name of the receiver does not exist.'
        : 'The host name of the receiver cannot be looked up.',
    );
  });
  if (addresses.length === 0) throw new DeliveryFailure('dns', 'The host name of the receiver has no address.');
  return addresses;
}

async function secureSocket(socket: Socket, { receiver, authorities, signal, onStep }: Connecting): Promise<TLSSocket> {
  const secured = connectTls({
    socket,
    host: receiver.host,
    // An address is no server name (RFC 6066 section 3).
    ...(isIP(receiver.host) === 0 ? { servername: receiver.host } : {}),
    ...(authorities === null ? {} : { ca: authorities }),
    ALPNProtocols: ['http/1.1'],
    // Holds whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  });
  await reachEvent(secured, 'secureConnect', signal);
  onStep('tls');
  return secured;
}

/** Resolves when the socket has come so far; an error, its end or the signal destroys it. */
function reachEvent(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: DeliveryFailure) => {
    socket.destroy();
    reject(error);
  };
  const onAbort = () => fail(abortedConnection());
  const onError = (error: Error) => {
    const failure = describeFailure(error);
    const isHandshake = event === 'secureConnect' && failure.reason === 'connection';
    fail(isHandshake ? new DeliveryFailure('tls', closedEarly) : failure);
  };
  // Stays: between two owners an error would have no listener and end the process.
  socket.on('error', onError);
  socket.once(event, resolve);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return promise.finally(() => {
    socket.off(event, resolve);
    signal.removeEventListener('abort', onAbort);
  });
}

const closedEarly = 'The receiver closed the connection before it was ready.';

/** Answers the look-up inside of `connect` with what was checked before it. */
function answerWith(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? '', first?.family);
  };
}

function refuseWhenAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortedConnection();
}

function abortedConnection(): DeliveryFailure {
  return new DeliveryFailure('aborted', 'The connection was given up.');
}

function refusedAddress(): DeliveryFailure {
  return new DeliveryFailure('refused_address', 'The receiver resolves to an address to which no delivery may go.');
}
