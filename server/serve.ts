import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type App, type AppOptions, createApp } from './app.ts';
import { describeError } from './describe-error.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Installation } from './installation.ts';
import type { Settings } from './settings.ts';

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  readonly app: App;
  readonly port: number;
  /** The address that people and programs use. */
  readonly baseUrl: string;
  /** Takes no more requests, answers those under way, writes what waits. */
  close(): Promise<void>;
}

/** JSON lines on standard error: standard output is for what a command prints. */
export function createLog(settings: Settings, destination: DestinationStream = pino.destination(2)): Logger {
  const serializers = { err: describeError };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level: settings.logLevel, base: null, timestamp, serializers }, destination);
}

/** Starts to listen. */
export async function startServer(installation: Installation, options: AppOptions): Promise<RunningServer> {
  const { settings } = installation;
  let closing = false;
  const app = createApp(installation, { ...options, isClosing: () => closing });
  const server = createServer(app.koa.callback());
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 65_000;
  const sockets = trackSockets(server);
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  const housekeeping = startHousekeeping(installation, app.limiter, options.log);
  const close = async () => {
    closing = true;
    await housekeeping.stop();
    await closeConnections(server, sockets);
    await app.drain();
  };
  return {
    app,
    port,
    baseUrl: settings.baseUrl ?? `http://${localName(settings.host)}:${port}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Closes each connection as soon as no request is under way on it. */
async function closeConnections(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // Browsers open connections ahead of requests; to Node, one that has carried none is not idle.
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMilliseconds);
  // A client that keeps its connection busy may not keep the process alive.
  const grace = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(grace);
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

const sweepMilliseconds = 50;
const graceMilliseconds = 10_000;

function listen(server: Server, { host, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

/** Browsers treat localhost as a secure place and as a site of its own. */
function localName(host: string): string {
  if (['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)) return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
