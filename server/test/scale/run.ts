import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findLastingPort } from '../../../tools/test/postgres.ts';
import { requireProgram } from '../../../tools/test/proxies.ts';
import { Fleet } from '../crash/fleet.ts';
import { missingPostgres, OwnPostgres } from '../crash/own-postgres.ts';
import { createRandom } from '../crash/random.ts';
import type { ProcessSettings } from '../crash/server-process.ts';
import { makeLaterVersion } from '../release/later-version.ts';
import { startCaddy } from './caddy.ts';
import { type Checked, checkRun } from './checks.ts';
import { Client } from './client.ts';
import { causeFaults, type Fault, planFaults, waitUntil } from './faults.ts';
import { type LoadSizes, ScaleLoad } from './load.ts';
import { type KindResult, Measurements, quiet } from './measurements.ts';
import { ProcessorTime } from './processor-time.ts';
import { createTenants } from './tenants.ts';
import { Receivers } from './webhooks.ts';

export interface ScaleOptions {
  readonly servers: number;
  /** The length of the load. */
  readonly seconds: number;
  readonly tenants: number;
  /** Of all tenants together. */
  readonly notices: number;
  /** How many of the tenants have a slow and a broken receiver. */
  readonly webhooks: number;
  /** How long the slow receivers take, at most, in milliseconds. */
  readonly slowest: number;
  readonly sizes: LoadSizes;
  /** Seconds between two kills. */
  readonly killEvery: number;
  readonly seed: number;
  /** Where the database and the data folders are made. */
  readonly folder: string;
  readonly say?: (line: string) => void;
}

export interface ScaleReport extends Checked {
  readonly servers: number;
  /** The length of the load. */
  readonly seconds: number;
  readonly kinds: readonly KindResult[];
  readonly faults: readonly Fault[];
  /** Errors by what was done to the servers at the time. */
  readonly errors: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The first answer of each error while the same was done to the servers. */
  readonly samples: Readonly<Record<string, string>>;
  /** Seconds of each part while the load ran; null where the system does not say. */
  readonly processorSeconds: Readonly<Record<string, number>> | null;
  readonly repeated: number;
  readonly passed: boolean;
}

/** Why the run is not possible on this machine; null where it is. Installs Caddy if it may. */
export function findMissingProgram(): string | null {
  if (missingPostgres !== null) return missingPostgres;
  return requireProgram('caddy') === undefined
    ? 'Caddy is not installed on this machine (Debian, Ubuntu: sudo apt-get install caddy).'
    : null;
}

/**
 * Loads servers that share a PostgreSQL behind Caddy, kills them one by one, restarts the database, upgrades them to a version
 * with another schema, and checks that nothing acknowledged was lost.
 */
export async function runScale(options: ScaleOptions): Promise<ScaleReport> {
  const { servers, seconds, killEvery, sizes, seed, folder, say = () => undefined } = options;
  const random = createRandom(seed);
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await OwnPostgres.create(folder));
  const later = stack.use(makeLaterVersion(true));
  const ports: number[] = [];
  while (ports.length < servers) ports.push(await findLastingPort());
  const caddy = stack.use(await startCaddy(requireProgram('caddy') as string, ports));
  const url = `http://127.0.0.1:${caddy.port}`;
  const data = mkdtempSync(join(folder, 'svc-scale-'));
  stack.defer(() => rmSync(data, { recursive: true, force: true }));
  const settings = ports.map((port, index) => settingsOf(data, index, port, postgres.url, url));
  const tenants = await createTenants(settings[0] as ProcessSettings, options.tenants, options.notices);
  say(`${tenants.length} tenants with ${options.notices} notices; starting ${servers} servers.`);
  const fleet = stack.use(await Fleet.start((index) => settings[index] as ProcessSettings, servers));
  const receivers = await Receivers.open({ url }, tenants.slice(0, options.webhooks), options.slowest, random);
  stack.use(receivers);

  const measurements = new Measurements();
  const client = new Client(url, measurements);
  stack.defer(() => client.close());
  const load = new ScaleLoad({
    client,
    tenants,
    sizes,
    random,
    notSent: (kind) => measurements.fail(kind, 'not sent', ''),
  });
  using processors = new ProcessorTime({
    ...Object.fromEntries(ports.map((_, index) => [`server ${index + 1}`, () => fleet.servers[index]?.pid ?? null])),
    PostgreSQL: () => postgres.pid,
    Caddy: () => caddy.pid,
  });
  const began = performance.now();
  const faults = await runLoad();
  const took = (performance.now() - began) / 1000;
  const processorSeconds = processors.read();
  say(`The load ended after ${took.toFixed(0)} s; checking.`);
  const checked = await checkRun({
    url,
    fleet,
    tenants,
    load,
    receivers,
    // The upgrade stops each server.
    interruptions: faults.length + servers,
    settings: settings[0] as ProcessSettings,
  });
  const phases = [quiet, ...new Set(faults.map(({ name }) => name))];
  return {
    ...checked,
    servers,
    seconds: took,
    kinds: measurements.summarize(took),
    faults,
    errors: Object.fromEntries(phases.map((phase) => [phase, measurements.errorsOf(phase)])),
    samples: Object.fromEntries(measurements.samples),
    processorSeconds,
    repeated: load.repeated,
    passed: checked.wrong.length === 0,
  };

  /** The load lasts until the last fault is over. @throws what made the load or a fault fail. */
  async function runLoad(): Promise<readonly Fault[]> {
    const ending = new AbortController();
    const causing = causeFaults(
      {
        fleet,
        postgres,
        measurements,
        random,
        laterProgram: later.svc,
        plan: planFaults(seconds, killEvery),
        onFault: ({ name, at, seconds }) => say(`${at.toFixed(0)} s: ${name}, recovered after ${seconds.toFixed(1)} s`),
      },
      ending.signal,
    );
    const loading = load.run();
    const lasting = Promise.all([causing, waitUntil(performance.now() + seconds * 1000, ending.signal)]);
    try {
      await Promise.race([loading, lasting]);
    } finally {
      ending.abort();
      await Promise.allSettled([causing]);
      load.stop();
      await Promise.allSettled([loading]);
    }
    await loading;
    return causing;
  }
}

function settingsOf(data: string, index: number, port: number, databaseUrl: string, url: string): ProcessSettings {
  const folder = join(data, `server-${index + 1}`);
  mkdirSync(folder);
  return {
    PORT: String(port),
    SVC_BASE_URL: url,
    SVC_TRUSTED_PROXIES: '1',
    SVC_DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    SVC_SECRET: secret,
    SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
    SVC_LIMIT_SCIM: '1000000000',
    SVC_LIMIT_EXPORTS: '1000000000',
  };
}

const secret = randomBytes(32).toString('base64url');
