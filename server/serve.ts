import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type App, type AppOptions, createApp } from './app.ts';
import { describeError } from './describe-error.ts';
import { GracefulServer } from './graceful-server.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Installation } from './installation.ts';
import type { Repeated } from './repeat.ts';
import type { Settings } from './settings.ts';
import { Receivers } from './webhooks/post-delivery.ts';
import { runSender } from './webhooks/run-sender.ts';
import { WebhookSender } from './webhooks/sender.ts';

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
export async function startServer(
  installation: Installation,
  options: AppOptions & {
    /** Whether housekeeping runs (default true). It follows the machine's clock, so tests that compare all rows turn it off. */
    readonly housekeeping?: boolean;
    /** Whether webhooks are sent by themselves; tests of the schedule send in their own time. */
    readonly sends?: boolean;
  },
): Promise<RunningServer> {
  const { settings } = installation;
  let closing = false;
  const app = createApp(installation, { ...options, isClosing: () => closing });
  const server = new GracefulServer(app.koa.callback());
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 65_000;
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  const housekeeping = options.housekeeping === false ? null : startHousekeeping(installation, app, options.log);
  const sending = options.sends === false ? null : startSending(installation, options.log);
  const close = async () => {
    closing = true;
    await housekeeping?.stop();
    await server.closeWithin(graceMilliseconds);
    await app.drain();
    await sending?.stop();
  };
  return {
    app,
    port,
    baseUrl: nameAddress(settings, port),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const graceMilliseconds = 10_000;

function startSending({ database, clock, box, settings }: Installation, log: Logger): Repeated {
  const receivers = new Receivers({ allowPrivate: settings.webhooks.allowPrivate });
  const sender = new WebhookSender({ database, clock, box, receivers, log });
  return runSender({ sender, database, clock, log });
}

function listen(server: Server, { host, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

/** The address that people and programs use for a server that listens on a port: the public one, where there is one. */
export function nameAddress({ baseUrl, host }: Pick<Settings, 'baseUrl' | 'host'>, port: number): string {
  return baseUrl ?? `http://${localName(host)}:${port}`;
}

/** Browsers treat localhost as a secure place and as a site of its own. */
function localName(host: string): string {
  if (['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)) return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
