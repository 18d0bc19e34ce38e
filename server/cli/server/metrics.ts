import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Services } from '../../installation/feature.ts';
import manifest from '../../package.json' with { type: 'json' };
import { nameAddress, type Settings } from '../../settings.ts';
import { GracefulServer } from './graceful-server.ts';
import { listen } from './listen.ts';
import {
  databaseMetrics,
  type MetricDefinition,
  poolMetrics,
  processMetrics,
  replicaMetrics,
} from './metric-definitions.ts';
import { readStoredMetrics } from './metrics-store.ts';
import { askRarely } from './probes.ts';

/** The metrics of a server, which Prometheus reads until it is disposed of. */
export interface RunningMetrics extends AsyncDisposable {
  readonly url: string;
  /** Counts and times requests. */
  readonly measure: Middleware;
}

/** Prometheus waits 10 seconds by default; a scrape during an outage is to show the outage. */
const patienceMilliseconds = 1500;
/** How long values from the database are good for: frequent scrapes must not load it. */
const freshMilliseconds = 5000;
/** How long a stop waits for scrapes under way. */
const finishMilliseconds = 2000;
const limits = {
  connections: 100,
  connectionsOfAddress: null,
  headers: 10_000,
  request: 10_000,
  upload: 10_000,
  stall: 10_000,
  // Longer than Prometheus waits by default between two scrapes.
  keepAlive: 75_000,
  unsentBytes: 16 * 1024 * 1024,
  // A scrape that a stop cuts off is repeated.
  quiet: 0,
  checkEvery: 1000,
};

/**
 * Starts the listener for Prometheus.
 * @throws {SettingsError} if it cannot listen there.
 */
export async function startMetrics(
  { database, clock, replica }: Pick<Services, 'database' | 'clock' | 'replica'>,
  { host, port }: NonNullable<Settings['metrics']>,
): Promise<RunningMetrics> {
  const { signals, pool } = database;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // These list every open connection at each scrape.
  for (const kind of ['resources', 'handles', 'requests'])
    for (const name of [`nodejs_active_${kind}`, `nodejs_active_${kind}_total`]) registry.removeSingleMetric(name);

  const own = createMetrics(processMetrics, registry);
  own.svc_build_info.set({ version: manifest.version, node: process.versions.node }, 1);
  const appended = (ledger: string, entries: number) => own.svc_ledger_entries_total.inc({ ledger }, entries);
  // From the start, because the rate of a counter begins with its second value.
  for (const ledger of ['consent', 'audit']) appended(ledger, 0);
  const batchWritten = (changes: number) => own.svc_write_batch_size.observe(changes);
  signals.on('appended', appended).on('batchWritten', batchWritten);
  const ofPool = pool && createMetrics(poolMetrics, registry);
  const ofReplica = replica && createMetrics(replicaMetrics, registry);

  const ofDatabase = new Registry();
  const stored = createMetrics(databaseMetrics, ofDatabase);
  const readStored = askRarely(() => readStoredMetrics(database.kysely, clock()).catch(() => null), {
    patience: patienceMilliseconds,
    fresh: freshMilliseconds,
    otherwise: null,
  });

  const scrape = async (): Promise<string> => {
    const values = await readStored();
    own.svc_database_up.set(values === null ? 0 : 1);
    if (pool && ofPool) {
      ofPool.svc_database_pool_connections.set({ state: 'idle' }, pool.idleCount);
      ofPool.svc_database_pool_connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      ofPool.svc_database_pool_waiting.set(pool.waitingCount);
    }
    if (replica && ofReplica) {
      const { state, lagSeconds, reads } = replica.status;
      ofReplica.svc_read_replica_up.set(state === 'used' ? 1 : 0);
      setStored(ofReplica.svc_read_replica_lag_seconds, lagSeconds);
      ofReplica.svc_read_replica_reads_total.reset();
      for (const target of ['replica', 'primary'] as const)
        ofReplica.svc_read_replica_reads_total.inc({ target }, reads[target]);
    }
    const ofProcess = await registry.metrics();
    if (values === null) return ofProcess;
    for (const name of Object.keys(stored) as (keyof typeof stored)[]) setStored(stored[name], values[name]);
    return `${ofProcess}\n${await ofDatabase.metrics()}`;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path] = (request.url ?? '').split('?');
    const isAllowed = request.method === 'GET' || request.method === 'HEAD';
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    const [status, text] =
      path !== '/metrics'
        ? ([404, 'There is nothing here: the metrics are at /metrics.\n'] as const)
        : isAllowed
          ? ([200, await scrape()] as const)
          : ([405, 'The metrics are read with GET.\n'] as const);
    if (status === 405) response.setHeader('Allow', 'GET, HEAD');
    response.writeHead(status, {
      'Content-Type': status === 200 ? registry.contentType : 'text/plain; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    });
    response.end(text);
  };
  const server = new GracefulServer((request, response) => {
    // A scrape that breaks off is repeated; it must not end the process.
    answer(request, response).catch(() => response.destroy());
  }, limits);
  const stop = () => {
    signals.off('appended', appended).off('batchWritten', batchWritten);
    registry.clear();
  };
  const names = { host: 'SVC_METRICS_HOST', port: 'SVC_METRICS_PORT' };
  const other = port === 65_535 ? 9464 : port + 1;
  const taken = `Port ${port} is taken. Choose another: ${names.port}=${other}`;
  const listening = await listen(server, { host, port }, names, taken).catch((error: unknown) => {
    stop();
    throw error;
  });
  return {
    url: `${nameAddress({ baseUrl: null, host }, listening)}/metrics`,
    measure: async (ctx, next) => {
      const started = performance.now();
      await next();
      const seconds = (performance.now() - started) / 1000;
      const { status } = ctx;
      const method = methods.has(ctx.method) ? ctx.method : 'other';
      const route: string = ctx.state.route ?? (status >= 400 && status < 500 ? 'none' : 'page');
      own.svc_http_requests_total.inc({ method, route, status });
      own.svc_http_request_duration_seconds.observe({ method, route }, seconds);
    },
    [Symbol.asyncDispose]: async () => {
      await server.closeWithin({ announce: 0, finish: finishMilliseconds });
      stop();
    },
  };
}

/** Clients may send any method. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const kinds = { counter: Counter, gauge: Gauge, histogram: Histogram } as const;

type Metrics<Definitions extends Readonly<Record<string, MetricDefinition>>> = {
  readonly [Name in keyof Definitions]: InstanceType<(typeof kinds)[Definitions[Name]['type']]>;
};

function createMetrics<Definitions extends Readonly<Record<string, MetricDefinition>>>(
  definitions: Definitions,
  registry: Registry,
): Metrics<Definitions> {
  const entries = Object.entries(definitions).map(([name, { type, labels, help, buckets }]) => {
    const labelNames = Object.keys(labels);
    const options = { name, help, labelNames, registers: [registry], ...(buckets && { buckets: [...buckets] }) };
    return [name, new kinds[type](options)] as const;
  });
  return Object.fromEntries(entries) as unknown as Metrics<Definitions>;
}

/** A metric without a value is left out; Prometheus takes 0 for a measurement. */
function setStored(gauge: Gauge, value: number | null | Readonly<Record<string, number>>): void {
  if (value === null) gauge.remove();
  else if (typeof value === 'number') gauge.set(value);
  else for (const [kind, one] of Object.entries(value)) gauge.set({ kind }, one);
}
