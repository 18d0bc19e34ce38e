import { type DestinationStream, type Logger, pino } from 'pino';
import type { Installation } from '../../installation/installation.ts';
import { nameAddress, type Settings } from '../../settings.ts';
import { lockFolder } from '../../storage/folder-lock.ts';
import type { ReadReplica } from '../../storage/read-replica.ts';
import { type App, type AppOptions, createApp } from './app.ts';
import { GracefulServer, type ServerLimits } from './graceful-server.ts';
import { startHousekeeping } from './housekeeping.ts';
import { listen } from './listen.ts';

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  readonly app: App;
  readonly port: number;
  /** The address that people and programs use. */
  readonly baseUrl: string;
  /** Where Prometheus finds the metrics; null without SVC_METRICS_PORT. */
  readonly metricsUrl: string | null;
  /** Takes no more requests, answers those under way, writes what waits. */
  close(): Promise<void>;
}

/** The log of a server. @param destination default: JSON lines on standard error. */
export function createLog(settings: Settings, destination: DestinationStream = pino.destination(2)): Logger {
  const serializers = { err: describeError };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level: settings.logLevel, base: null, timestamp, serializers }, destination);
}

/** Starts to listen. */
export async function startServer(
  installation: Installation,
  options: AppOptions & {
    /** Runs housekeeping (default true). It uses the machine's clock, so tests that compare all rows turn it off. */
    readonly housekeeping?: boolean;
    /** Sends webhooks in the background (default true); tests of the schedule send explicitly. */
    readonly sends?: boolean;
    /** Shorter waits for slow clients, for tests. */
    readonly serverLimits?: Partial<ServerLimits>;
  },
): Promise<RunningServer> {
  const { settings } = installation;
  const closing = new AbortController();
  await using held = new AsyncDisposableStack();
  held.use(lockFolder(settings.dataDir, 'shared'));
  // Before the metrics, which show its state.
  const replica = settings.replica && held.use(await openReplica(installation, settings.replica, options.log));
  // Loaded with its dependencies only where it is wanted.
  const metrics =
    settings.metrics &&
    held.use(await (await import('./metrics.ts')).startMetrics({ ...installation, replica }, settings.metrics));
  const app = createApp(installation, { ...options, replica, closing: closing.signal, measure: metrics?.measure });
  for (const feature of app.features) await feature.start?.();
  const server = new GracefulServer(app.koa.callback(), {
    ...serverLimits,
    connections: settings.maxConnections,
    connectionsOfAddress: settings.trustedProxies === 0 ? settings.maxConnectionsOfAddress : null,
    keepAlive: settings.keepAlive,
    ...options.serverLimits,
  });
  const warnOfDrop = atMostEvery(60_000, () =>
    options.log.warn({ maxConnections: server.maxConnections }, 'connections are refused: raise SVC_MAX_CONNECTIONS'),
  );
  server.on('drop', warnOfDrop);
  const { maxConnectionsOfAddress } = settings;
  const warnOfShare = atMostEvery(60_000, () =>
    options.log.warn(
      { maxConnectionsOfAddress },
      'connections of an address are refused: behind a proxy, set SVC_TRUSTED_PROXIES',
    ),
  );
  server.on('shareExceeded', warnOfShare);
  const isSame = settings.port === settings.metrics?.port;
  const taken = isSame
    ? `PORT and SVC_METRICS_PORT are both ${settings.port}. Choose another: SVC_METRICS_PORT=9464`
    : `Port ${settings.port} is taken. Choose another: PORT=8788 npm start`;
  const port = await listen(server, settings, { host: 'HOST', port: 'PORT' }, taken);
  // One clock that is set back shows in every ledger.
  const warnOfClock = atMostEvery(60 * 60_000, (fall: object) => options.log.warn(fall, clockFell));
  installation.database.signals.on('clockFell', warnOfClock);
  const housekeeping = options.housekeeping === false ? null : startHousekeeping(installation, app);
  const background = options.sends === false ? [] : app.features.flatMap((feature) => feature.background?.() ?? []);
  const rest = held.move();
  const close = async () => {
    closing.abort();
    const { stopWithin } = settings;
    // A database that does not answer must not keep the process alive: what waits for it fails then.
    const deadline = setTimeout(() => installation.database.abandon(), stopWithin * 0.6);
    const tidied = housekeeping?.stop();
    // The other half remains for webhooks that are under way and for the database.
    await server.closeWithin({ announce: stopWithin * 0.08, finish: stopWithin * 0.4 });
    await tidied;
    await app.drain().catch((error: unknown) => app.faults.logTask(error, 'the last writes failed'));
    await Promise.allSettled(background.map((task) => task.stop()));
    installation.database.signals.off('clockFell', warnOfClock);
    app.faults.stop();
    clearTimeout(deadline);
    await rest.disposeAsync();
  };
  return {
    app,
    port,
    baseUrl: nameAddress(settings, port),
    metricsUrl: metrics?.url ?? null,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Opens the standby that answers reads. @throws {UnusableDatabase} */
async function openReplica(
  { database, settings }: Installation,
  standby: NonNullable<Settings['replica']>,
  log: Logger,
): Promise<ReadReplica> {
  const { ReadReplica } = await import('../../storage/read-replica.ts');
  return ReadReplica.open({
    ...standby,
    primary: database,
    pool: settings.databasePool,
    statementSeconds: settings.databaseSeconds,
    onChange({ state, lagSeconds }) {
      if (state === 'used') log.info({ lagSeconds }, 'the read replica is used');
      else log.warn({ state, lagSeconds }, 'the read replica is not used: the primary answers its reads');
    },
  });
}

/** Documented on the page Limits. */
const serverLimits = {
  headers: 15_000,
  request: 30_000,
  upload: 15 * 60_000,
  stall: 30_000,
  unsentBytes: 256 * 1024 * 1024,
  quiet: 300,
  checkEvery: 1000,
};

const clockFell =
  'The clock is behind the newest entry of a ledger: it was set back, or was ahead before. Times of entries follow the clock; their order is their sequence.';

/** Calls `log` at most once in so many milliseconds. */
function atMostEvery<Values extends readonly unknown[]>(milliseconds: number, log: (...values: Values) => void) {
  let silentUntil = 0;
  return (...values: Values): void => {
    if (performance.now() < silentUntil) return;
    silentUntil = performance.now() + milliseconds;
    log(...values);
  };
}

/** The fields of an error that are logged. */
interface ErrorDescription extends Readonly<Pick<Error, 'name' | 'message' | 'stack'>> {
  readonly code?: string;
  readonly cause?: ErrorDescription;
}

/**
 * An error for the log: what failed and where, without the values that it failed on. Drivers hang rows, parameters and
 * connection settings onto their errors (PostgreSQL: `detail`, `where`, `hint`), so nothing is taken that is not named.
 */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof Error)) return { name: typeof error, message: 'something that is no Error was thrown' };
  const { name, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const quotesValue = code !== undefined && dataException.test(code);
  const hide = (text: string) => (quotesValue ? text.replace(/"[\s\S]*"/, '"…"') : text);
  return {
    name,
    ...(code !== undefined && { code }),
    message: hide(error.message),
    ...(error.stack !== undefined && { stack: hide(error.stack) }),
    ...(cause instanceof Error && { cause: describeError(cause) }),
  };
}

/** The class of PostgreSQL's errors whose messages quote a value: invalid input syntax for type integer: "…". */
const dataException = /^22[0-9A-Z]{3}$/;
