import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Client, Dispatcher } from 'undici';
import { isAllowedAddress, type ReceiverPolicy } from './address-guard.ts';
import type { Lookup, ResolvedAddress } from './lookup.ts';
import { DeliveryFailure, describeFailure, readCode } from './outcome.ts';

/** Shorter than the 5 seconds after which many servers close a connection, which would meet a delivery on its way. */
const keepAliveMilliseconds = 4_000;
const longestKeepAlive = 60_000;
const longestHeaders = 16 * 1024;

/** What it takes to connect to one origin. */
export interface Receiver {
  /** `https://hooks.example.com:8443`. */
  readonly origin: string;
  readonly isTls: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface ConnectOptions {
  readonly policy: ReceiverPolicy;
  readonly lookup: Lookup;
  /** Certificates of authorities to trust instead of Node's own, in PEM. */
  readonly authorities: string | null;
}

export type ConnectStep = 'lookup' | 'connect' | 'tls';

interface Connecting extends ConnectOptions {
  readonly receiver: Omit<Receiver, 'origin'>;
  /** Called when a step is done. */
  readonly onStep: (step: ConnectStep) => void;
  /** Aborts connecting; has no effect on a connection that was returned. */
  readonly signal: AbortSignal;
}

/** One connection to a receiver, used by one delivery at a time; it opens again when the receiver closed it. */
export class ReceiverConnection {
  readonly receiver: Receiver;
  request: Dispatcher.DispatchOptions = { path: '', method: 'POST' };
  readonly #client: Client;
  #opening: AbortController | null = null;
  #socket: Socket | null = null;
  #onStep: (step: ConnectStep) => void = () => {};

  constructor(
    undici: typeof import('undici'),
    receiver: Receiver,
    connect: ConnectOptions,
    onDisconnect: (connection: ReceiverConnection) => void,
  ) {
    this.receiver = receiver;
    this.#client = new undici.Client(receiver.origin, {
      connect: (_options, answer) => {
        this.#opening = new AbortController();
        const { signal } = this.#opening;
        openConnection({ ...connect, receiver, signal, onStep: (step) => this.#onStep(step) }).then(
          (socket) => {
            this.#socket = socket;
            answer(null, socket);
          },
          (error: unknown) => answer(describeFailure(error), null),
        );
      },
      allowH2: false,
      pipelining: 1,
      // One limit over the whole exchange replaces these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: longestHeaders,
      keepAliveTimeout: keepAliveMilliseconds,
      keepAliveMaxTimeout: longestKeepAlive,
    });
    this.#client.on('disconnect', () => onDisconnect(this));
  }

  /** Bytes received since it was last opened, also when it is closed by now. */
  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  send(handler: Dispatcher.DispatchHandler, onStep: (step: ConnectStep) => void): void {
    this.#onStep = onStep;
    this.#client.dispatch(this.request, handler);
  }

  /** Closes it at once, also while it is being opened. */
  async destroy(): Promise<void> {
    this.#opening?.abort();
    await this.#client.destroy();
  }
}

/**
 * Opens a connection to a receiver: looks its name up once, refuses it if any of its addresses is not allowed, and connects to
 * exactly the addresses that were checked. The certificate must be valid for the name. TLS sessions are not resumed: a session
 * ticket is bytes of the receiver's choice, which the next handshake would send wherever the name points by then.
 * @throws {DeliveryFailure}
 */
export async function openConnection(connecting: Connecting): Promise<Socket> {
  const { receiver, policy, authorities, signal, onStep } = connecting;
  const addresses = await resolveReceiver(connecting);
  onStep('lookup');
  const socket = connectSocket({
    host: receiver.host,
    port: receiver.port,
    lookup: (_name, { all }, answer) =>
      all === true ? answer(null, [...addresses]) : answer(null, addresses[0]?.address ?? '', addresses[0]?.family),
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
  if (!receiver.isTls) return socket;
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

async function resolveReceiver(connecting: Connecting): Promise<readonly ResolvedAddress[]> {
  const { receiver, lookup, policy, signal } = connecting;
  const { host } = receiver;
  const family = isIP(host);
  const addresses = family === 0 ? await lookup(host, signal).catch(describeLookupError) : [{ address: host, family }];
  if (addresses.length === 0) throw new DeliveryFailure('dns', 'The host name of the receiver has no address.');
  // One bad address among several refuses all: a name that mixes them is under attack, or misconfigured.
  if (!addresses.every(({ address }) => isAllowedAddress(address, policy))) throw refusedAddress();
  if (signal.aborted) throw abortedConnection();
  return addresses;
}

function describeLookupError(error: unknown): never {
  const isUnknown = /^(?:ENOTFOUND|ENODATA|EAI_NONAME|EAI_NODATA)$/.test(readCode(error));
  throw new DeliveryFailure(
    'dns',
    isUnknown ? 'The host name of the receiver does not exist.' : 'The host name of the receiver cannot be looked up.',
  );
}

/** Resolves when the socket has emitted the event; an error, its end or the signal destroys it. */
function reachEvent(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: DeliveryFailure) => {
    socket.destroy();
    reject(error);
  };
  const onAbort = () => fail(abortedConnection());
  // Stays: between two owners an error would have no listener and end the process.
  socket.on('error', (error) => {
    const failure = describeFailure(error);
    const isHandshake = event === 'secureConnect' && failure.reason === 'connection';
    fail(isHandshake ? new DeliveryFailure('tls', closedEarly) : failure);
  });
  socket.once(event, resolve);
  signal.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

const closedEarly = 'The receiver closed the connection before it was ready.';

function abortedConnection(): DeliveryFailure {
  return new DeliveryFailure('aborted', 'The connection was aborted.');
}

function refusedAddress(): DeliveryFailure {
  return new DeliveryFailure('refused_address', 'The receiver resolves to an address to which no delivery may go.');
}
