import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ClientOptions, Svc } from '@svc/node-sdk';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Which connection it came over, from 1. */
  readonly connection: number;
}

/** Answers the request with the given number, from 1. */
export type Script = (response: ServerResponse, request: Received, number: number) => void | Promise<void>;

/** A server on a port of its own that answers as a test says, and keeps what came. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** How many connections there were. */
  readonly connections: () => number;
  /** Ends the connections that are open. */
  closeSockets(): void;
}

export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const received: Received[] = [];
  const sockets = new Map<Socket, number>();
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers, socket } = request;
    const body = Buffer.concat(chunks).toString();
    const message = { method, path: url, headers, body, connection: sockets.get(socket) ?? 0 };
    received.push(message);
    await script(response, message, received.length);
  });
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.set(socket.unref(), connections);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Only requests under way keep the process alive: a call that can no longer end fails its test at once.
  server.unref();
  const closeSockets = () => {
    for (const socket of sockets.keys()) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    closeSockets,
    [Symbol.asyncDispose]: async () => {
      closeSockets();
      server.close();
      await once(server, 'close');
    },
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

export function sendError(response: ServerResponse, status: number, code: string, headers: object = {}): void {
  sendJson(response, status, { error: { code, message: `It is ${code}.`, requestId: 'r' } }, headers);
}

/** Sends bytes as they are, in place of an answer that node:http would make. */
export function sendRaw(response: ServerResponse, text: string): Socket {
  const socket = response.socket as Socket;
  socket.write(text);
  return socket;
}

export const testKey = 'svc_test_0123456789abcdefghijklmnopqrstuvwxyzABC';

/** A client of a scripted server. */
export function createClient(server: Pick<ScriptedServer, 'url'>, options: ClientOptions = {}): Svc {
  return new Svc({ baseUrl: server.url, apiKey: testKey, ...options });
}

/** Operations for tests that are about none in particular. */
export const reading = { id: 'read', method: 'GET', path: '/v1/thing' } as const;
export const writing = { id: 'write', method: 'POST', path: '/v1/things', body: { name: 'x' } } as const;
export const editing = { id: 'edit', method: 'PATCH', path: '/v1/thing', body: { name: 'y' } } as const;
