/**
 * Prints how many files and functions of the server and the packages one warm request runs:
 *
 *   npm run trips [-- --files <operation>] [-- --json]
 *
 * `--files` lists the files and functions of one operation. The counts depend only on the code: the clocks are stopped, so
 * that nothing expires, and no background task runs.
 */
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as turnEventLoop } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startServer } from '../server/cli/server/start-server.ts';
import { RateLimiter } from '../server/http/rate-limit.ts';
import { type Installation, openInstallation } from '../server/installation/installation.ts';
import { systemSource } from '../server/ledger/audit/store.ts';
import { readSettings } from '../server/settings.ts';
import { type DemoCredentials, seedDemo } from '../server/site/demo/seed.ts';
import { runTransaction } from '../server/storage/database.ts';
import { FaultLog } from '../server/storage/fault-log.ts';
import { emitEvents } from '../server/webhooks/deliveries/outbox.ts';
import { createEndpoint } from '../server/webhooks/endpoints/changes.ts';
import { EndpointInput } from '../server/webhooks/endpoints/endpoint.ts';
import { WebhookSender } from '../server/webhooks/sender/sender.ts';
import { Receivers } from '../server/webhooks/transport/receivers.ts';

/** The functions that one request runs, by file. */
type Trip = Readonly<Record<string, readonly string[]>>;

interface Operation {
  /** Runs before each request and is not counted. */
  readonly prepare?: () => Promise<unknown>;
  readonly run: () => Promise<unknown>;
}

/** @returns the body of the response. @throws {Error} if the request was rejected. */
type Send = (method: string, path: string, headers: Record<string, string>, body?: object) => Promise<string>;

const root = join(import.meta.dirname, '..');
/** Longer than any run: no idle connection is closed, and no periodic check runs. */
const hour = 3_600_000;
/** After so many requests, caches are filled and statements are prepared. */
const warmUps = 20;

const { json, files: chosen } = parseArgs({ options: { json: { type: 'boolean' }, files: { type: 'string' } } }).values;
const trips = await measureTrips();
const trip = trips[chosen ?? ''];
if (json) console.log(JSON.stringify(trips, null, 2));
else if (chosen === undefined) console.table(countEach(trips));
else if (trip !== undefined)
  for (const [file, functions] of Object.entries(trip))
    console.log(`${file} (${functions.length})\n  ${functions.join(', ')}`);
else {
  console.error(`There is no operation "${chosen}". Use one of: ${Object.keys(trips).join(', ')}`);
  process.exitCode = 2;
}

function countEach(all: typeof trips) {
  const count = (one: Trip) => ({ files: Object.keys(one).length, functions: Object.values(one).flat().length });
  return Object.fromEntries(Object.entries(all).map(([operation, one]) => [operation, count(one)]));
}

/** Starts a server with the demo tenant in this process and measures each operation. */
async function measureTrips(): Promise<Readonly<Record<string, Trip>>> {
  const now = new Date().toISOString();
  await using cleanUp = new AsyncDisposableStack();
  const folder = cleanUp.adopt(mkdtempSync(join(tmpdir(), 'svc-trips-')), (path) => rmSync(path, { recursive: true }));
  const settings = readSettings({ SVC_DATA_DIR: folder, PORT: '0' });
  const installation = cleanUp.use(await openInstallation(settings, () => now));
  const server = cleanUp.use(
    await startServer(installation, {
      log: pino({ level: 'silent' }),
      limiter: new RateLimiter(() => 0),
      housekeeping: false,
      sends: false,
      serverLimits: { checkEvery: hour, keepAlive: hour, quiet: 0 },
    }),
  );
  const agent = cleanUp.adopt(new Agent({ keepAlive: true }), (one) => one.destroy());
  const send: Send = async (method, path, headers, body) => {
    const sent = request({ agent, port: server.port, method, path, headers });
    // In one piece with its headers, so that the server never waits for the body.
    sent.end(body && JSON.stringify(body));
    const [response] = await once(sent, 'response');
    const answer = await text(response);
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${answer}`);
    return answer;
  };
  const credentials = (await seedDemo(installation, 'https://example.com')) as DemoCredentials;
  const measured: [string, Trip][] = [];
  const requests = await prepareRequests(send, credentials, now);
  for (const [name, operation] of Object.entries(requests)) measured.push([name, await measure(operation)]);
  // Last: the other operations run without an endpoint that wants their events.
  const delivery = await prepareDelivery(installation, credentials.tenantId, cleanUp);
  measured.push(['webhook-delivery', await measure(delivery)]);
  return Object.fromEntries(measured);
}

/** The operations that are HTTP requests. */
async function prepareRequests(send: Send, { apiKey, scimToken, noticeId }: DemoCredentials, now: string) {
  const visitor = { Origin: 'https://www.example.com', 'User-Agent': 'Mozilla/5.0' };
  const banner = { ...visitor, 'Content-Type': 'application/json' };
  const keyed = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const purposes = { necessary: true, analytics: true, marketing: false };
  const publicNotice = `/v1/public/consent/${noticeId}`;
  const shownHash = hash('sha256', await send('GET', publicNotice, visitor));
  const shown = { noticeVersion: 1, language: 'en', shownHash, method: 'banner', capturedAt: now };
  const breachInput = { title: 'Lost laptop', description: 'On a train.', severity: 'low', discoveredAt: now };
  const breach = JSON.parse(await send('POST', '/v1/breach', keyed, breachInput)).data;
  const provider = { Authorization: `Bearer ${scimToken}`, 'Content-Type': 'application/scim+json' };
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
  const user = JSON.parse(await send('POST', '/scim/v2/Users', provider, { schemas, userName: 'ada@example.com' }));
  const editBreach = (severity: string) => send('PATCH', `/v1/breach/${breach.id}`, keyed, { severity });
  const patchActive = (value: boolean) =>
    send('PATCH', `/scim/v2/Users/${user.id}`, provider, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value }],
    });
  return {
    'public-capture': {
      run: () => send('POST', `${publicNotice}/records`, banner, { subjectId: randomUUID(), purposes, ...shown }),
    },
    'keyed-capture': {
      run: () => {
        const headers = { ...keyed, 'Idempotency-Key': randomUUID() };
        return send('POST', `/v1/consent/${noticeId}/records`, headers, { subjectId: randomUUID(), purposes });
      },
    },
    'breach-patch': { prepare: () => editBreach('low'), run: () => editBreach('high') },
    'scim-patch': { prepare: () => patchActive(true), run: () => patchActive(false) },
    'public-notice': { run: () => send('GET', publicNotice, visitor) },
  } satisfies Record<string, Operation>;
}

/** One pass of the sender, as `runSender` does it: claim, post over a kept connection, write the attempt. */
async function prepareDelivery(
  { database, clock, box }: Installation,
  tenantId: string,
  cleanUp: AsyncDisposableStack,
): Promise<Operation> {
  const receiver = createServer({ keepAliveTimeout: hour }, (_, response) => response.writeHead(204).end());
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  cleanUp.defer(() => receiver.close().closeAllConnections());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const policy = { allowPrivate: true };
  await runTransaction(database, clock(), (tx) =>
    createEndpoint(tx, systemSource(tenantId), { box, policy }, EndpointInput.parse({ url })),
  );
  const faults = new FaultLog(database, pino({ level: 'silent' }));
  const sender = new WebhookSender({ database, clock, box, receivers: new Receivers({ policy }), faults });
  cleanUp.defer(() => sender.stop(0));
  database.signals.on('deliveries', (endpoints) => sender.wake(endpoints));
  return {
    prepare: () =>
      runTransaction(database, clock(), (tx) => emitEvents(tx, [{ tenantId, type: 'dsr.created', data: {} }])),
    run: async () => {
      const delivered = sender.counts.delivered + 1;
      while (sender.counts.delivered < delivered || sender.hasWork) {
        await sender.waitForWork();
        await sender.gather();
        await sender.tick();
      }
    },
  };
}

/** Runs an operation until it is warm, then once more under V8's precise coverage. */
async function measure({ prepare, run }: Operation): Promise<Trip> {
  using _ = stopMonotonicClock();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (let done = 0; done < warmUps; done += 1) {
    await prepare?.();
    await run();
  }
  await prepare?.();
  await settle();
  await session.post('Profiler.takePreciseCoverage');
  await run();
  await settle();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const found = result.flatMap(({ url, functions }): [string, string[]][] => {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
    if (!/^(?:server|packages)\/(?!.*\b(?:node_modules|test)\/)/.test(file)) return [];
    const source = readFileSync(join(root, file), 'utf8');
    // The function that starts at 0 is the module itself.
    const ran = functions.filter(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0);
    const names = ran.map(({ functionName, ranges }) => {
      const line = source.slice(0, ranges[0]?.startOffset).split('\n').length;
      return `${functionName || '(anonymous)'}:${line}`;
    });
    return names.length === 0 ? [] : [[file, names]];
  });
  return Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Entries of caches do not expire while the clock is stopped. */
function stopMonotonicClock(): Disposable {
  const { now } = performance;
  const stoppedAt = performance.now();
  performance.now = () => stoppedAt;
  return {
    [Symbol.dispose]: () => {
      performance.now = now;
    },
  };
}

/** Waits for the last steps of a request: those of group commit, for example, follow its response. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await turnEventLoop();
}
