import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { demo } from '../../cli/serve.ts';
import { keepSetupLink } from '../../cli/setup-link.ts';
import { readSettings } from '../../settings.ts';
import { hasDashboard } from '../../site/serve-dashboard.ts';
import { FaultLog } from '../../storage/fault-log.ts';
import { createLocation, noticeContent, openTestInstallation, TestClock, type TestLocation } from '../harness.ts';
import { runSvc, runSvcProcess, startSvcProcess } from './run-svc.ts';

describe('the server process', () => {
  let location: TestLocation;
  before(async () => {
    location = await createLocation('sqlite');
  });
  after(() => location[Symbol.asyncDispose]());

  const credentialsFile = ({ environment }: TestLocation) =>
    join(environment.SVC_DATA_DIR as string, 'demo-credentials.json');
  const readCredentials = (where: TestLocation) => JSON.parse(readFileSync(credentialsFile(where), 'utf8'));
  const read = (url: string, path: string, key: string) =>
    fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });

  test('serves without a demo, and stops on SIGTERM', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      await using server = await startSvcProcess(['serve'], location.environment);
      assert.equal((await fetch(`${server.url}/v1/openapi.json`)).status, 200);
      assert.equal((await fetch(`${server.url}/demo`)).status, 404);
      const { code, stdout, stderr } = await server.stop(signal);
      assert.deepEqual([code, stderr], [0, '']);
      assert.doesNotMatch(stdout, /svc_live_/);
    }
  });

  test('writes a link that sets up an empty database to a file, and none later', async () => {
    await using where = await createLocation('sqlite');
    const file = join(where.environment.SVC_DATA_DIR as string, 'setup-link.txt');
    const links = new Set<string>();
    for (const words of [['serve'], ['serve', '--json']]) {
      await using server = await startSvcProcess(words, where.environment);
      const { stdout, stderr } = await server.stop('SIGTERM');
      assert.equal(existsSync(file), hasDashboard());
      assert.doesNotMatch(stdout + stderr, /svc_setup_/);
      if (!hasDashboard()) continue;
      assert.ok(stdout.includes(JSON.stringify(file)), stdout);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const link = readFileSync(file, 'utf8');
      assert.match(link, new RegExp(`^${server.url}/app/setup#svc_setup_\\w+\n$`));
      links.add(link);
    }
    assert.equal(links.size, hasDashboard() ? 2 : 0);
    await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], where.environment);
    for (const word of ['serve', 'demo']) {
      await using server = await startSvcProcess([word], where.environment);
      assert.equal(existsSync(file), false);
      await server.stop('SIGTERM');
    }
  });

  test('removes the file of the setup link when it is used, or when another process creates a tenant', async () => {
    if (!hasDashboard()) return;
    for (const isUsed of [true, false]) {
      await using where = await createLocation('sqlite');
      const folder = where.environment.SVC_DATA_DIR as string;
      await using server = await startSvcProcess(['serve'], where.environment);
      const file = join(folder, 'setup-link.txt');
      const [, token] = readFileSync(file, 'utf8').trim().split('#');
      const removed = new Promise<void>((resolve) => {
        const watcher = watch(folder, () => {
          if (existsSync(file)) return;
          watcher.close();
          resolve();
        });
      });
      if (isUsed) {
        const body = JSON.stringify({
          ...{ token, organization: { name: 'Acme' }, email: 'ana@example.com' },
          password: 'a walrus in the elevator',
        });
        const headers = { 'Content-Type': 'application/json', Origin: server.url };
        const answer = await fetch(`${server.url}/v1/setup`, { method: 'POST', headers, body });
        assert.ok(answer.ok, await answer.text());
      } else await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], where.environment);
      await removed;
      await server.stop('SIGTERM');
    }
  });

  test('removes the file of the setup link when the link expires', async (context) => {
    const clock = new TestClock();
    await using installation = await openTestInstallation('sqlite', {}, clock);
    const file = join(installation.settings.dataDir, 'setup-link.txt');
    const faults = new FaultLog(installation.database, pino({ level: 'silent' }));
    context.mock.timers.enable({ apis: ['setTimeout'] });
    await using _ = keepSetupLink(installation, faults, 'https://svc.example.com/app/setup#svc_setup_1');
    /** Lets a second pass, and the check that it starts run to its end. */
    const hasFile = async () => {
      context.mock.timers.tick(1000);
      for (let times = 0; times < 50; times += 1) await turn();
      return existsSync(file);
    };
    clock.advance(24 * 60 * 60 * 1000 - 1);
    assert.ok(await hasFile());
    clock.advance(1);
    assert.ok(!(await hasFile()));
  });

  test('creates a demo tenant in an empty database, writes its values to a file only and keeps its data', async () => {
    await using where = await createLocation('sqlite');
    await using first = await startSvcProcess(['demo'], where.environment);
    const credentials = readCredentials(where);
    const { apiKey, baseUrl, noticeId, tenantId, tenantSlug, adminEmail, adminPassword, scimToken, ...rest } =
      credentials;
    const { webhookSecret, ...more } = rest;
    assert.deepEqual(more, {});
    assert.deepEqual([baseUrl, tenantSlug], [first.url, 'demo']);
    assert.equal(statSync(credentialsFile(where)).mode & 0o777, 0o600);
    const path = `/v1/consent/${credentials.noticeId}`;
    const before = await (await read(first.url, path, credentials.apiKey)).json();
    assert.equal(before.data.status, 'published');
    assert.equal(before.data.domain, 'localhost');
    const { stdout, stderr, code } = await first.stop('SIGTERM');
    assert.deepEqual([code, stderr], [0, '']);
    assert.ok(
      stdout.includes(`"file":${JSON.stringify(credentialsFile(where))},"msg":"created the demo tenant"`),
      stdout,
    );
    assert.doesNotMatch(stdout, /svc_start_/);
    for (const value of [apiKey, adminEmail, adminPassword, scimToken, webhookSecret])
      assert.ok(!stdout.includes(value), stdout);

    await using second = await startSvcProcess(['demo'], where.environment);
    assert.deepEqual(await (await read(second.url, path, credentials.apiKey)).json(), before);
    assert.deepEqual(readCredentials(where), credentials);
    const later = (await second.stop('SIGTERM')).stdout;
    for (const value of [apiKey, adminPassword, scimToken, webhookSecret]) assert.ok(!later.includes(value));
  });

  test('creates no webhook to this machine if the server is reachable from outside', async () => {
    await using where = await createLocation('sqlite');
    await using server = await startSvcProcess(['demo'], { ...where.environment, HOST: '0.0.0.0' });
    const { apiKey, webhookSecret } = readCredentials(where);
    assert.equal(webhookSecret, undefined);
    const { data } = await (await read(server.url, '/v1/webhooks', apiKey)).json();
    assert.deepEqual(data.items, []);
    const body = JSON.stringify({ url: 'http://127.0.0.1:9/' });
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const refused = await fetch(`${server.url}/v1/webhooks`, { method: 'POST', headers, body });
    assert.equal(refused.status, 422);
    assert.doesNotMatch((await server.stop('SIGTERM')).stdout, /svc_start_/);
  });

  test('allows webhooks to this machine if only this machine can reach the demo, or by a setting', () => {
    const allows = (environment: NodeJS.ProcessEnv) =>
      readSettings(environment, demo.defaults?.(environment)).webhooks.allowPrivate;
    for (const environment of [
      {},
      { HOST: 'localhost' },
      { HOST: '::1', SVC_BASE_URL: 'http://localhost:8787' },
      { SVC_BASE_URL: 'http://[::1]:8787' },
      { HOST: '0.0.0.0', SVC_BASE_URL: 'https://svc.example.com', SVC_WEBHOOK_ALLOW_PRIVATE: 'true' },
    ])
      assert.equal(allows(environment), true, JSON.stringify(environment));
    for (const environment of [
      { HOST: '::' },
      { HOST: '192.168.0.2' },
      { SVC_BASE_URL: 'http://localhost.example.com' },
      { SVC_BASE_URL: 'https://svc.example.com' },
      { HOST: '0.0.0.0', SVC_BASE_URL: 'http://localhost:8787' },
      { SVC_WEBHOOK_ALLOW_PRIVATE: 'false' },
    ])
      assert.equal(allows(environment), false, JSON.stringify(environment));
  });

  test('prints one JSON value with --json', async () => {
    await using where = await createLocation('sqlite');
    await using server = await startSvcProcess(['demo', '--json'], where.environment);
    const { stdout } = await server.stop('SIGTERM');
    assert.deepEqual(JSON.parse(stdout), { baseUrl: server.url, credentialsFile: credentialsFile(where) });
  });

  test('creates no demo tenant beside other tenants', async () => {
    await using where = await createLocation('sqlite');
    await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], where.environment);
    await using server = await startSvcProcess(['demo'], where.environment);
    assert.throws(() => readCredentials(where));
    assert.equal((await fetch(`${server.url}/demo`)).status, 404);
  });

  test('logs the address that it listens on and the public one, and other commands use that of the running server', async () => {
    await using where = await createLocation('sqlite');
    const readTag = async (environment = where.environment) =>
      /src="(http[^"]*)\/widgets\//.exec((await runSvc(['widgets'], environment)).stdout)?.[1];
    {
      await using server = await startSvcProcess(['serve'], where.environment);
      assert.equal(await readTag(), server.url);
      assert.equal(await readTag({ ...where.environment, PORT: '8787' }), server.url);
      const { stdout } = await server.stop('SIGTERM');
      assert.ok(stdout.includes(`"listensOn":"${server.url}","baseUrl":"${server.url}"`), stdout);
    }
    assert.equal(await readTag({ ...where.environment, PORT: '8787' }), 'http://localhost:8787');
    const publicly = { ...where.environment, SVC_BASE_URL: 'https://svc.example.com' };
    {
      await using server = await startSvcProcess(['serve'], publicly);
      assert.equal((await fetch(`${server.url}/v1/openapi.json`)).status, 200);
      assert.equal(await readTag(), 'https://svc.example.com');
      await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], where.environment);
      await runSvc(
        ['user', 'create', '--tenant', 'acme', '--email', 'ana@example.com', '--role', 'admin'],
        where.environment,
      );
      const reset = await runSvc(['user', 'reset', '--email', 'ana@example.com', '--link'], where.environment);
      assert.match(reset.stdout, /https:\/\/svc\.example\.com\/app\/reset#/, reset.stderr);
      const { stdout } = await server.stop('SIGKILL');
      assert.ok(stdout.includes(`"listensOn":"${server.url}","baseUrl":"https://svc.example.com"`), stdout);
    }
    // A killed server leaves its file behind, which does not count.
    assert.equal(await readTag({ ...where.environment, PORT: '8787' }), 'http://localhost:8787');
  });

  test('names the port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await runSvc(['serve'], { ...location.environment, PORT: String(port) });
    other.close();
    assert.deepEqual([code, stdout], [2, '']);
    assert.equal(stderr, `svc: Port ${port} is taken. Choose another: PORT=8788 npm start\n`);
    const foreign = await runSvc(['serve'], { ...location.environment, HOST: '192.0.2.1' });
    const explanation = 'svc: Cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL): change HOST or PORT.\n';
    assert.deepEqual([foreign.code, foreign.stderr], [2, explanation]);
  });

  test('rejects a database with another secret', async () => {
    await using where = await createLocation('sqlite');
    await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], where.environment);
    const other = { ...where.environment, SVC_SECRET: 'another secret of enough characters' };
    const refused = await runSvc(['serve'], other);
    rmSync(join(where.environment.SVC_DATA_DIR as string, 'secret.key'));
    const lost = await runSvc(['serve'], where.environment);
    for (const { code, stdout, stderr } of [refused, lost]) {
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /secret/);
      assert.match(stderr, /SVC_SECRET/);
      assert.doesNotMatch(stderr, /\n +at /);
      assert.doesNotMatch(stderr, /another secret of enough/);
    }
  });

  test('keeps its secret and data unreadable for other users, even in a readable folder', async () => {
    await using where = await createLocation('sqlite');
    const made = join(where.environment.SVC_DATA_DIR as string, 'made');
    const open = join(where.environment.SVC_DATA_DIR as string, 'open');
    mkdirSync(open);
    chmodSync(open, 0o755);
    await using server = await startSvcProcess(['demo'], { SVC_DATA_DIR: open });
    assert.deepEqual(readdirSync(open).toSorted(), [
      'checkpoints.log',
      'demo-credentials.json',
      'erasures.log',
      'secret.key',
      'server.json',
      'svc.lock',
      'svc.sqlite',
      'svc.sqlite-shm',
      'svc.sqlite-wal',
    ]);
    const copy = join(open, 'copy');
    await runSvcProcess(['backup', '--to', copy], { SVC_DATA_DIR: open });
    await runSvcProcess(['restore', '--from', copy], { SVC_DATA_DIR: made });
    const file = join(open, 'ledger.jsonl');
    await runSvcProcess(['export', 'create', '--tenant', 'demo', '--ledger', 'audit', '--file', file], {
      SVC_DATA_DIR: open,
    });
    assert.equal(statSync(made).mode & 0o777, 0o700);
    for (const folder of [open, copy, made]) {
      const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
      assert.ok(entries.length >= 2, folder);
      for (const { name } of entries) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    }
    await server.stop('SIGTERM');
  });

  test('exits within the limit, whatever is in progress', async (context) => {
    await using where = await createLocation('sqlite');
    await using server = await startSvcProcess(['demo'], { ...where.environment, SVC_STOP_SECONDS: '1' });
    const receiver = createServer().listen(0, '127.0.0.1');
    context.after(() => receiver.close().closeAllConnections());
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const headers = { Authorization: `Bearer ${readCredentials(where).apiKey}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ url: `http://127.0.0.1:${port}/` });
    const created = await (await fetch(`${server.url}/v1/webhooks`, { method: 'POST', headers, body })).json();
    const received = once(receiver, 'request');
    await fetch(`${server.url}/v1/webhooks/${created.data.id}/test`, { method: 'POST', headers });
    await received;
    // The receiver never answers, for which the server would wait ten seconds.
    const { code, stdout } = await server.stop('SIGTERM');
    assert.equal(code, 1);
    assert.match(stdout, /"seconds":1,"msg":"did not stop in time: exiting"/);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`stops although a client keeps its connection, and answers the request in progress, however often it gets ${signal}`, async () => {
      await using where = await createLocation('sqlite');
      await using server = await startSvcProcess(['demo'], where.environment);
      const { apiKey } = readCredentials(where);
      const port = Number(new URL(server.url).port);
      const idle = connect(port, '127.0.0.1').setEncoding('utf8');
      idle.write('GET /v1/audit HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await once(idle, 'data');
      const busy = connect(port, '127.0.0.1').setEncoding('utf8');
      let answer = '';
      busy.on('data', (text: string) => {
        answer += text;
      });
      const body = JSON.stringify(noticeContent);
      busy.write(`POST /v1/consent/notices HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n`);
      busy.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
      await once(busy, 'data');
      assert.match(answer, /^HTTP\/1\.1 100/);
      const idleClosed = once(idle, 'close');
      const finished = server.stop(signal);
      // The idle connection ends first: from then on the server is known to be stopping.
      await idleClosed;
      // systemd or a terminal, and the process that runs this one, may both send the signal.
      server.process.kill(signal);
      busy.write(body);
      while (!answer.includes('HTTP/1.1 201 Created')) await once(busy, 'data');
      busy.destroy();
      assert.equal((await finished).code, 0);
    });
});
