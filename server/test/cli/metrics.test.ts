import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { databaseMetrics, poolMetrics, processMetrics } from '../../cli/server/metric-definitions.ts';
import { readSettings } from '../../settings.ts';
import { createLocation, describeOnEachDatabase, startTestServer, TestClock, type TestServer } from '../harness.ts';
import { sendRaw } from '../http/raw-socket.ts';
import { assertAbsent, needle } from '../needle.ts';
import { DatabaseGate } from '../storage/database-gate.ts';
import { listModulesIn, runSvc, startSvcProcess } from './run-svc.ts';

const start = (dialect: 'sqlite' | 'postgres', environment: Readonly<Record<string, string>> = {}) =>
  startTestServer(dialect, { SVC_METRICS_PORT: '0', ...environment }, { clock: new TestClock(Date.now) });

const scrape = async ({ metricsUrl }: Pick<TestServer, 'metricsUrl'>): Promise<string> => {
  const response = await fetch(metricsUrl as string);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  return response.text();
};

/** The value of a series as it is written in the text: name{label="value"}. */
const read = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

/** The names of metrics that have a value. */
const listNames = (text: string): readonly string[] => [
  ...new Set(text.split('\n').flatMap((line) => /^svc_\w+/.exec(line)?.[0].replace(/_(bucket|sum|count)$/, '') ?? [])),
];

/** Reads until a metric has a value: those of the database are good for five seconds. */
const scrapeUntil = async (server: TestServer, series: string, value: number | undefined): Promise<string> => {
  for (;;) {
    const text = await scrape(server);
    if (read(text, series) === value) return text;
  }
};

const capture = (server: TestServer, noticeId: string, subjectId: string) =>
  server.request('POST', `/v1/public/consent/${noticeId}/records`, {
    key: null,
    headers: { Origin: 'https://example.com' },
    body: { subjectId, purposes: { necessary: true, analytics: true, marketing: false } },
  });

describeOnEachDatabase('the metrics of a server', (dialect) => {
  test('count requests, entries and batches, and name no tenant, person or notice', async () => {
    await using server = await start(dialect);
    const jane = needle('jane');
    const notice = await server.createNotice();
    const member = await server.createMember({ email: `${jane}@example.com` });
    for (const subject of [jane, `${jane}.2`]) assert.equal((await capture(server, notice, subject)).status, 201);
    await server.request('GET', `/v1/consent/subjects/${jane}`);
    await server.request('GET', '/v1/me', { key: null, headers: member.session });
    await server.request('GET', `/trust/${jane}`, { key: null });
    const text = await scrapeUntil(server, 'svc_database_up', 1);
    const route = '/v1/public/consent/{noticeId}/records';
    assert.equal(read(text, `svc_http_requests_total{method="POST",route="${route}",status="201"}`), 2);
    assert.equal(read(text, `svc_http_request_duration_seconds_count{method="POST",route="${route}"}`), 2);
    assert.equal(read(text, 'svc_ledger_entries_total{ledger="consent"}'), 2);
    assert.ok((read(text, 'svc_ledger_entries_total{ledger="audit"}') as number) > 2);
    assert.equal(read(text, 'svc_write_batch_size_sum'), 2);
    assert.equal(read(text, 'svc_database_up'), 1);
    assert.ok((read(text, 'nodejs_eventloop_lag_p99_seconds') as number) >= 0);
    assertAbsent(text, jane, notice, server.tenant.id, member.userId, member.email);
    assert.ok(!text.includes(server.tenant.slug));
    const pool = dialect === 'postgres' ? Object.keys(poolMetrics) : [];
    assert.deepEqual(
      listNames(text).filter((name) => pool.includes(name)),
      pool,
    );
  });

  test('report what waits and what is overdue in the database, and the last checks', async () => {
    await using server = await start(dialect, { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' });
    const webhook = { url: 'http://127.0.0.1:9/', eventTypes: ['dsr.created'] };
    const { body } = await server.request('POST', '/v1/webhooks', { body: webhook });
    const hour = 3_600_000;
    const at = (milliseconds: number) => new Date(server.clock.milliseconds() + milliseconds).toISOString();
    for (const subjectId of ['a', 'b'])
      assert.equal((await server.request('POST', '/v1/dsr', { body: { subjectId, type: 'access' } })).status, 201);
    const breach = { title: 'Lost laptop', description: 'One', severity: 'low', discoveredAt: at(-73 * hour) };
    assert.equal((await server.request('POST', '/v1/breach', { body: breach })).status, 201);
    const { kysely } = server.installation.database;
    await kysely
      .updateTable('dsr_requests')
      .set({ due_at: at(-hour) })
      .where('subject_id', '=', 'a')
      .execute();
    const [delivery] = await kysely.selectFrom('webhook_deliveries').select('id').execute();
    await kysely
      .updateTable('webhook_deliveries')
      .set({ status: 'dead', due_at: null })
      .where('id', '!=', delivery?.id as string)
      .execute();
    await kysely
      .updateTable('webhook_deliveries')
      .set({ due_at: at(-hour) })
      .where('status', '=', 'pending')
      .execute();
    const finished = at(-2 * hour);
    const counts = { tenants: 0, verified_tenants: 0, entries: 0, checked_rows: 0, findings: 0 };
    const run = { claimed_by: '', heartbeat_at: finished, started_at: finished, finished_at: finished, ...counts };
    await kysely
      .insertInto('verification_runs')
      .values({ id: '1', status: 'holds', ...run })
      .execute();
    await kysely
      .insertInto('verification_runs')
      .values({ id: '2', status: 'failed', ...run })
      .execute();
    const token = { kind: 'timestamp', source: '', at: finished, content: '' };
    await kysely
      .insertInto('log_attestations')
      .values({ size: 1, ...token })
      .execute();
    const task = {
      status: 'failed',
      claimed_by: '',
      heartbeat_at: finished,
      started_at: finished,
      finished_at: finished,
    };
    await kysely
      .insertInto('backup_tasks')
      .values([
        { task: 'backup', ...task, fault: 'no space', completed_at: finished, name: '', bytes: 1 },
        { task: 'rehearsal', ...task, fault: null, completed_at: finished, name: '', bytes: 1 },
      ])
      .execute();
    const row = { tenant_id: server.tenant.id, ledger: 'audit', size: 1, root_hash: '', at: finished, note: '' };
    await kysely.insertInto('checkpoints').values(row).execute();

    const text = await scrapeUntil(server, 'svc_database_up', 1);
    const seconds = Date.parse(finished) / 1000;
    const value = (name: string) => read(text, name) as number;
    assert.equal(value('svc_webhook_deliveries_pending'), 1);
    assert.equal(value('svc_webhook_dead_letters'), 1);
    assert.ok(value('svc_webhook_oldest_pending_delivery_age_seconds') < 600);
    assert.ok(Math.abs(value('svc_webhook_oldest_due_delivery_age_seconds') - 3600) < 600);
    assert.equal(value('svc_dsr_overdue'), 1);
    assert.equal(value('svc_breaches_overdue'), 1);
    assert.equal(value('svc_last_checkpoint_timestamp_seconds'), seconds);
    assert.equal(value('svc_last_verification_timestamp_seconds'), seconds);
    assert.equal(value('svc_last_verification_success'), 0);
    assert.equal(value('svc_last_attestation_timestamp_seconds{kind="timestamp"}'), seconds);
    assert.equal(value('svc_last_backup_timestamp_seconds{kind="backup"}'), seconds);
    assert.equal(value('svc_last_backup_success{kind="backup"}'), 0);
    assert.equal(value('svc_last_backup_success{kind="rehearsal"}'), 1);
    const expected = [processMetrics, databaseMetrics, ...(dialect === 'postgres' ? [poolMetrics] : [])];
    assert.deepEqual(listNames(text).toSorted(), expected.flatMap((one) => Object.keys(one)).toSorted());

    // What a paused webhook has not got yet waits on purpose.
    await server.request('PATCH', `/v1/webhooks/${body.data.id}`, { body: { status: 'paused' } });
    await scrapeUntil(server, 'svc_webhook_oldest_due_delivery_age_seconds', 0);
  });

  test('have few series, whatever clients send', async () => {
    await using server = await start(dialect);
    for (let index = 0; index < 50; index += 1) {
      await server.request('GET', `/${needle('path')}`, { key: null });
      await server.request('GET', `/v1/consent/${needle('id')}`);
      await server.request('DELETE', `/v1/${needle('path')}/${index}`);
    }
    for (const method of ['PROPFIND', 'REPORT', 'M-SEARCH', 'PURGE'])
      await sendRaw(server, `${method} /v1/tenant HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await sendRaw(server, 'GET http://[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const text = await scrape(server);
    const series = text.split('\n').filter((line) => line.startsWith('svc_http_requests_total{'));
    assertAbsent(text, 'needle.path', 'needle.id.');
    assert.deepEqual(
      series.map((line) => line.replace(/ \d+$/, '').replace('svc_http_requests_total', '')).toSorted(),
      [
        '{method="DELETE",route="none",status="404"}',
        '{method="GET",route="/v1/consent/{id}",status="404"}',
        '{method="GET",route="none",status="404"}',
        '{method="other",route="none",status="405"}',
      ],
    );
  });
});

describeOnEachDatabase('the metrics of a server whose database does not answer', (dialect) => {
  const skip = dialect === 'sqlite' ? 'SQLite has no connections' : false;

  test('say so, without those of the database', { skip }, async () => {
    await using location = await createLocation('postgres');
    await using gate = await DatabaseGate.open(location.environment.DATABASE_URL as string);
    await using server = await start('postgres', { DATABASE_URL: gate.url, SVC_DATABASE_SECONDS: '1' });
    for (const change of ['freeze', 'stop'] as const) {
      await scrapeUntil(server, 'svc_database_up', 1);
      await gate[change]();
      const text = await scrapeUntil(server, 'svc_database_up', 0);
      assert.deepEqual(
        listNames(text).filter((name) => name in databaseMetrics),
        [],
      );
      if (change === 'stop') await gate.start();
      else gate.thaw();
    }
    await scrapeUntil(server, 'svc_database_up', 1);
  });
});

describe('the listener of the metrics', () => {
  test('answers GET and HEAD of /metrics only', async () => {
    await using server = await start('sqlite');
    const address = new URL(server.metricsUrl as string);
    const ask = async (method: string, path: string) => {
      const response = await fetch(new URL(path, address), { method });
      return [response.status, response.headers.get('allow'), (await response.text()).length > 0];
    };
    assert.deepEqual(await ask('HEAD', '/metrics'), [200, null, false]);
    assert.deepEqual(await ask('GET', '/metrics?x=1'), [200, null, true]);
    assert.deepEqual(await ask('POST', '/metrics'), [405, 'GET, HEAD', true]);
    for (const path of ['/', '/metrics/', '/v1/tenant', '/healthz'])
      assert.deepEqual(await ask('GET', path), [404, null, true]);
    assert.equal((await server.request('GET', '/metrics', { key: null })).status, 404);
  });

  test('closes at a stop, at once, the connections on which no scrape is under way', async (context) => {
    await using server = await start('sqlite');
    const { port } = new URL(server.metricsUrl as string);
    const open = async (text: string) => {
      const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    };
    const head = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n';
    const scraped = await open(`${head}\r\n`);
    const [answer] = await once(scraped, 'data');
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    const sockets = [scraped, await open(''), await open(head)];
    const closed = sockets.map((socket) => once(socket.resume(), 'close'));
    // The time that a scrape under way gets does not pass.
    context.mock.timers.enable({ apis: ['setTimeout'] });
    await server.close();
    await Promise.all(closed);
    await assert.rejects(fetch(server.metricsUrl as string));
  });

  test('is refused with one sentence if its port or address cannot be had', async () => {
    await using location = await createLocation('sqlite');
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const serve = (environment: Readonly<Record<string, string>>) =>
      runSvc(['serve'], { ...location.environment, ...environment });
    const taken = await serve({ SVC_METRICS_PORT: String(port) });
    assert.deepEqual(taken, {
      code: 2,
      stdout: '',
      stderr: `svc: Port ${port} is taken. Choose another: SVC_METRICS_PORT=${port + 1}\n`,
    });
    const foreign = await serve({ SVC_METRICS_PORT: '0', SVC_METRICS_HOST: '192.0.2.1' });
    assert.equal(foreign.code, 2);
    assert.match(foreign.stderr, /^svc: Cannot listen on 192\.0\.2\.1:0 \(EADDRNOTAVAIL\): change SVC_METRICS_HOST/);
    other.close();
    await once(other, 'close');
    const same = await serve({ PORT: String(port), SVC_METRICS_PORT: String(port) });
    assert.equal(same.code, 2);
    assert.match(same.stderr, /^svc: PORT and SVC_METRICS_PORT are both \d+\. Choose another/);
  });

  test('is not what Kubernetes names with the same variable', () => {
    assert.equal(readSettings({ SVC_METRICS_PORT: 'tcp://10.96.0.7:9464' }).metrics, null);
    assert.deepEqual(readSettings({ SVC_METRICS_PORT: '9464' }).metrics, { port: 9464, host: '127.0.0.1' });
  });
});

test('prom-client is loaded only by a server with metrics', async () => {
  await using location = await createLocation('sqlite');
  for (const [environment, isLoaded] of [
    [{}, false],
    [{ SVC_METRICS_PORT: '0' }, true],
  ] as const) {
    await using server = await startSvcProcess(['serve'], {
      ...location.environment,
      ...environment,
      ...listModulesIn(location.environment.SVC_DATA_DIR as string),
    });
    const { code, stderr, stdout } = await server.stop('SIGTERM');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /node_modules\/better-sqlite3/);
    assert.equal(stderr.includes('node_modules/prom-client'), isLoaded);
    assert.equal(/"metricsUrl":"http:\/\/localhost:\d+\/metrics"/.test(stdout), isLoaded);
  }
});
