import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import type { ConnectOptions } from '../../webhooks/transport/connection.ts';
import { type DeliveryOutcome, Receivers } from '../../webhooks/transport/receivers.ts';
import type { TestCertificate } from './make-certificate.ts';

/** The request as it came over the wire. */
export interface ReceivedRequest {
  readonly head: string;
  readonly body: Buffer;
}

export interface TestReceiver {
  readonly port: number;
  /** Of its loopback address. */
  readonly url: string;
  readonly connections: readonly Socket[];
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when so many connections came. */
  connected(count: number): Promise<void>;
  /** Resolves when so many requests came. */
  received(count: number): Promise<void>;
  /** Resolves when so many connections are closed. */
  closed(count: number): Promise<void>;
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
}

/** Answers with bytes: it may do what no HTTP server would. */
export type Answer = (socket: Socket, request: ReceivedRequest) => void;

/** A receiver on a free port of the loopback address, gone at the end of the test. */
export async function startReceiver(
  context: TestContext,
  answer: Answer,
  certificate?: TestCertificate,
): Promise<TestReceiver> {
  const connections: Socket[] = [];
  const requests: ReceivedRequest[] = [];
  let watchers: readonly (() => void)[] = [];
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  const accept = (socket: Socket) => {
    let pending = Buffer.alloc(0);
    // A sender that goes away is what some tests are about.
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      const request = readRequest(pending);
      if (request === null) return;
      pending = Buffer.alloc(0);
      requests.push(request);
      notify();
      answer(socket, request);
    });
  };
  const server = certificate === undefined ? createServer(accept) : createTlsServer({ ...certificate }, accept);
  server.on('connection', (socket: Socket) => {
    connections.push(socket);
    socket.on('close', notify);
    notify();
  });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(async () => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const until = async (isMet: () => boolean) => {
    if (isMet()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    watchers = [...watchers, () => isMet() && resolve()];
    await promise;
  };
  return {
    port,
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}/hook`,
    connections,
    requests,
    connected: (count) => until(() => connections.length >= count),
    received: (count) => until(() => requests.length >= count),
    closed: (count) => until(() => connections.filter((socket) => socket.destroyed).length >= count),
    allClosed: () => until(() => connections.every((socket) => socket.destroyed)),
  };
}

/** Receivers that may stand on the loopback address, closed at the end of the test. */
export function openReceivers(
  context: TestContext,
  { allowPrivate = true, ...options }: { allowPrivate?: boolean } & Omit<ConnectOptions, 'policy'> = {},
): Receivers {
  const receivers = new Receivers({ policy: { allowPrivate }, ...options });
  context.after(() => receivers.close());
  return receivers;
}

/** An answer with a length, after which the connection stays. */
export function writeAnswer(status: number, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const head = [`HTTP/1.1 ${status} X`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

/** From here on, time limits pass only when the test says so. */
export function stopTime(context: TestContext): { pass(milliseconds: number): void } {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  return { pass: (milliseconds) => context.mock.timers.tick(milliseconds) };
}

/** An outcome without how long it took. */
export function withoutTiming({ milliseconds: _, ...rest }: DeliveryOutcome): Omit<DeliveryOutcome, 'milliseconds'> {
  return rest;
}

function readRequest(bytes: Buffer): ReceivedRequest | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const body = bytes.subarray(end + 4);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return body.length < length ? null : { head, body };
}

/** Resolves with the sender's end of the connection over which the next request is sent. */
export function socketSent(): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const listener = (message: unknown) => {
    unsubscribe('undici:client:sendHeaders', listener);
    resolve((message as { readonly socket: Socket }).socket);
  };
  subscribe('undici:client:sendHeaders', listener);
  return promise;
}
