import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { createTestServer, type TestServer } from '../../cli/testing.ts';

describe('createTestServer', () => {
  let server: TestServer;

  before(async () => {
    server = await createTestServer();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const call = (method: string, path: string, { apiKey }: { readonly apiKey: string }, body?: object) =>
    fetch(server.baseUrl + path, {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        ...(body && { 'Idempotency-Key': `once-for-${path.split('/').at(-1)}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const capture = (tenant: TestServer['tenant'], subjectId = 'customer-51') =>
    call('POST', `/v1/consent/${tenant.noticeId}/records`, tenant, { subjectId, purposes: { analytics: true } });

  it('gives each tenant a key, a SCIM token, an OAuth client and a published notice of its own', async () => {
    const [one, other] = [await server.createTenant(), await server.createTenant()];
    assert.equal((await capture(one)).status, 201);
    assert.equal((await call('GET', `/v1/consent/${one.noticeId}/records`, other)).status, 404);
    const members = await fetch(`${server.baseUrl}/scim/v2/Users`, {
      headers: { Authorization: `Bearer ${one.scimToken}` },
    });
    assert.equal(members.status, 200);
    const token = await fetch(`${server.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${one.clientId}:${one.apiKey}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    assert.equal(token.status, 200);
  });

  it('keeps the time that it is set to, moves it forward, and follows the machine after a reset', async () => {
    const tenant = await server.createTenant();
    assert.equal(await server.clock.set('2030-01-01T00:00:00Z'), '2030-01-01T00:00:00.000Z');
    assert.equal(await server.clock.advance(1500), '2030-01-01T00:00:01.500Z');
    const { data } = await (await capture(tenant)).json();
    assert.equal(data.recordedAt, '2030-01-01T00:00:01.500Z');
    await server.reset();
    const earliest = Date.now();
    const now = Date.parse(await server.clock.advance(0));
    assert.ok(now >= earliest && now <= Date.now());
  });

  it('fails the requests that a fault names, in the form of their API, and no others', async () => {
    const tenant = await server.createTenant();
    await server.fail({ operation: 'captureConsentRecord', status: 503, retryAfter: 7 });
    await server.fail({ operation: 'GET /scim/v2/Users', status: 429 });
    assert.equal((await call('GET', '/v1/audit', tenant)).status, 200);
    const failed = await capture(tenant);
    assert.equal(failed.status, 503);
    assert.equal(failed.headers.get('Retry-After'), '7');
    assert.equal((await failed.json()).error.code, 'unavailable');
    assert.deepEqual(await server.pendingFaults(), [{ operation: 'GET /scim/v2/Users', status: 429, times: 1 }]);
    const users = await call('GET', '/scim/v2/Users', { apiKey: tenant.scimToken });
    assert.equal(users.status, 429);
    assert.equal((await users.json()).status, '429');
    assert.deepEqual(await server.pendingFaults(), []);
    assert.equal((await capture(tenant)).status, 201);
  });

  it('loses the answer of a request, before or after it took effect', async () => {
    const tenant = await server.createTenant();
    const count = async () => {
      const answer = await call('GET', `/v1/consent/${tenant.noticeId}/records`, tenant);
      return (await answer.json()).data.data.length;
    };
    await server.fail({ operation: 'captureConsentRecord', reset: true });
    await assert.rejects(capture(tenant));
    assert.equal(await count(), 0);
    await server.fail({ operation: 'captureConsentRecord', reset: true, isProcessed: true });
    await assert.rejects(capture(tenant));
    assert.equal(await count(), 1);
  });

  it('delays answers as often as wanted', async () => {
    const tenant = await server.createTenant();
    await server.fail({ delay: 50, times: Number.POSITIVE_INFINITY });
    for (let turn = 0; turn < 2; turn += 1) {
      const start = performance.now();
      assert.equal((await call('GET', '/v1/audit', tenant)).status, 200);
      assert.ok(performance.now() - start >= 49);
    }
    assert.equal((await server.pendingFaults())[0]?.times, Number.POSITIVE_INFINITY);
  });

  it('refuses a fault of an operation or a status that does not exist', async () => {
    await assert.rejects(server.fail({ operation: 'captureRecord', status: 500 }), /no operation captureRecord/);
    await assert.rejects(server.fail({ status: 204 }), /204/);
    assert.deepEqual(await server.pendingFaults(), []);
  });

  it('lists the requests that it received, without credentials', async () => {
    const tenant = await server.createTenant();
    await capture(tenant);
    await call('GET', '/v1/audit?limit=2', tenant);
    await call('GET', '/nowhere', tenant);
    const requests = await server.requests();
    assert.deepEqual(
      requests.map(({ operation, method, url, status }) => [operation, method, url, status]),
      [
        ['captureConsentRecord', 'POST', `/v1/consent/${tenant.noticeId}/records`, 201],
        ['listAuditEvents', 'GET', '/v1/audit?limit=2', 200],
        [null, 'GET', '/nowhere', 404],
      ],
    );
    assert.deepEqual(requests[0]?.body, { subjectId: 'customer-51', purposes: { analytics: true } });
    assert.equal(requests[0]?.headers['idempotency-key'], 'once-for-records');
    assert.equal(requests[1]?.body, undefined);
    assert.ok(!JSON.stringify(requests).includes(tenant.apiKey));
  });

  it('sends webhooks to its receiver, and again when the clock has passed their retry', async () => {
    const tenant = await server.createTenant();
    await call('POST', '/v1/webhooks', tenant, { url: server.receiver.url, eventTypes: ['consent.recorded'] });
    server.receiver.status = 500;
    await capture(tenant);
    const failed = await server.receiver.take();
    server.receiver.status = 204;
    await server.clock.advance(60_000);
    const again = await server.receiver.take();
    assert.equal(again.headers['webhook-id'], failed.headers['webhook-id']);
    assert.equal(JSON.parse(again.body.toString()).data.subjectId, 'customer-51');
    assert.deepEqual(server.receiver.deliveries, [failed, again]);
  });
});

describe('the process of a test server', () => {
  const server = join(import.meta.dirname, '../..');
  const folder = mkdtempSync(join(tmpdir(), 'svc-testing-'));
  after(() => rmSync(folder, { recursive: true }));

  const entry = JSON.stringify(join(server, 'cli/testing.ts'));
  /** Runs a program that starts a server, with its temporary files in the folder. */
  const run = (code: string, environment: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', `import { createTestServer } from ${entry}; ${code}`], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: folder, ...environment },
    });
  const started = 'const server = await createTestServer();';

  it('exits with a program that does not close it, and leaves nothing behind', async () => {
    const code = "console.log((await fetch(server.baseUrl + '/v1/openapi.json')).status);";
    const { status, stdout, stderr } = run(started + code);
    assert.equal(stdout, '200\n', stderr);
    assert.equal(status, 0);
    await waitUntilEmpty(folder);
  });

  it('exits when the program is killed', async () => {
    assert.equal(run(`${started} process.kill(process.pid, 'SIGKILL');`).signal, 'SIGKILL');
    await waitUntilEmpty(folder);
  });

  it('reads no setting of the environment', () => {
    const environment = {
      DATABASE_URL: 'postgres://127.0.0.1:1/live',
      PORT: '1',
      HOST: '0.0.0.0',
      SVC_DATA_DIR: '/dev/null',
    };
    const code = "console.log(server.baseUrl.replace(/\\d+$/, '')); await server.close();";
    const { stdout, stderr } = run(started + code, environment);
    assert.equal(stdout, 'http://127.0.0.1:\n', stderr);
  });

  it('rejects settings that cannot be used, listens on 127.0.0.1 whatever they say, and rejects calls after the end', () => {
    const code = `const say = ({ message }) => console.log(message);
      await createTestServer({ SVC_LIMIT_SCIM: 'many' }).catch(say);
      const server = await createTestServer({ HOST: '0.0.0.0', SVC_DATA_DIR: '/dev/null' });
      await fetch(server.baseUrl.replace('127.0.0.1', '127.0.0.2')).catch(say);
      await server.close();
      await server.requests().catch(say);`;
    const { stdout, stderr } = run(code);
    assert.equal(stdout, 'The test server exited (1).\nfetch failed\nThe test server was closed.\n', stderr);
    assert.match(stderr, /SVC_LIMIT_SCIM/);
  });

  it('is used as the README shows', () => {
    const [, code] = /^```ts\n(.*?)^```/ms.exec(readFileSync(join(server, 'README.md'), 'utf8')) ?? [];
    mkdirSync(join(server, 'test/dist'), { recursive: true });
    // Inside the package, where its own name is found.
    const file = join(server, `test/dist/readme-${process.pid}.ts`);
    writeFileSync(file, code as string);
    try {
      const { status, stderr } = spawnSync(process.execPath, ['-C', '@svc/source', file], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    } finally {
      rmSync(file);
    }
  });
});

/** The process removes its folder when it notices that the program is gone. */
async function waitUntilEmpty(folder: string): Promise<void> {
  const watcher = watch(folder);
  while (readdirSync(folder).some((name) => name.startsWith('svc-test-server-'))) await once(watcher, 'change');
  watcher.close();
}
