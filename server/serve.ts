import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { type App, type AppOptions, createApp } from './app.ts';
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
export function createLog(settings: Settings): Logger {
  return pino({ level: settings.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/** Starts to listen. */
export async function startServer(installation: Installation, options: AppOptions): Promise<RunningServer> {
  const { settings } = installation;
  const app = createApp(installation, options);
  const server = createServer(app.koa.callback());
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 65_000;
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  const housekeeping = startHousekeeping(installation, app.limiter, options.log);
  const close = async () => {
    await housekeeping.stop();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
      // A client that keeps its connection busy may not keep the process alive.
      setTimeout(() => server.closeAllConnections(), graceMilliseconds).unref();
    });
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

const graceMilliseconds = 10_000;

function listen(server: Server, { host, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

/** Browsers treat localhost as a secure place and as a site of its own. */
function localName(host: string): string {
  return ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host) ? 'localhost' : host;
}
