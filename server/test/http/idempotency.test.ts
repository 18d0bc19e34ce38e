import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { startServer } from '../../cli/server/start-server.ts';
import { forgetExpiredKeys } from '../../http/idempotency.ts';
import { scopes } from '../../http/roles.ts';
import { openInstallation } from '../../installation/installation.ts';
import { describeOnEachDatabase, noticeContent, startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from './problems.ts';
import { readAllRows } from './stored-rows.ts';

const day = 24 * 60 * 60 * 1000;

describeOnEachDatabase('an Idempotency-Key', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  const create = (idempotencyKey: string, body: object = noticeContent, key = server.tenant.key) =>
    server.request('POST', '/v1/consent/notices', { key, headers: { 'Idempotency-Key': idempotencyKey }, body });
  async function countNotices(): Promise<number> {
    return (await server.request('GET', '/v1/consent?limit=1')).body.data.page.total;
  }

  test('returns the first response to a retry and writes nothing', async () => {
    const first = await create('replayed-key');
    assert.equal(first.status, 201);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const stored = await readAllRows(server.installation.database);
    server.clock.advance(5000);
    const second = await create('replayed-key');
    assert.equal(second.status, 201);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.notEqual(second.headers.get('svc-request-id'), first.headers.get('svc-request-id'));
    assert.equal(await readAllRows(server.installation.database), stored);
  });

  test('is rejected for another body or another path, and stays valid for the first', async () => {
    const notice = await server.createNotice({ publish: false });
    const first = await create('reused-key');
    const stored = await readAllRows(server.installation.database);
    assertProblem(await create('reused-key', { ...noticeContent, name: 'Other' }), 'idempotency_key_reused');
    const headers = { 'Idempotency-Key': 'reused-key' };
    assertProblem(await server.request('POST', `/v1/consent/${notice}/publish`, { headers }), 'idempotency_key_reused');
    assert.equal(await readAllRows(server.installation.database), stored);
    assert.equal((await create('reused-key')).text, first.text);
  });

  test('belongs to the tenant, for any of its keys', async () => {
    const first = await create('tenant-key');
    const sibling = await server.createKey(server.tenant.id, scopes);
    assert.equal((await create('tenant-key', noticeContent, sibling)).text, first.text);
    const stranger = await server.createTenant(`stranger-${dialect}`);
    const other = await create('tenant-key', noticeContent, stranger.key);
    assert.equal(other.status, 201);
    assert.notEqual(other.body.data.id, first.body.data.id);
  });

  test('is valid for 24 hours and new after them', async () => {
    const first = await create('daily-key');
    server.clock.advance(day - 1);
    assert.equal((await create('daily-key')).text, first.text);
    server.clock.advance(1);
    const next = await create('daily-key');
    assert.equal(next.headers.get('idempotent-replayed'), null);
    assert.notEqual(next.body.data.id, first.body.data.id);
    assert.equal((await create('daily-key')).text, next.text);
  });

  test('is not consumed by a request that failed', async () => {
    assertProblem(await create('failed-key', {}), 'validation_failed');
    const headers = { 'Idempotency-Key': 'failed-key' };
    const missing = '/v1/consent/01890000-0000-7000-8000-000000000000/publish';
    assertProblem(await server.request('POST', missing, { headers }), 'not_found');
    assert.equal((await create('failed-key')).status, 201);
  });

  test('has 8 to 128 of the characters A-Z a-z 0-9 _ -', async () => {
    for (const good of ['a-Z_0-9x', 'x'.repeat(8), 'y'.repeat(128)]) assert.equal((await create(good)).status, 201);
    for (const bad of ['', '1234567', 'x'.repeat(129), 'with space', 'with.dots.', 'slash/slash', '"quoted-key"']) {
      assertProblem(await create(bad), 'idempotency_key_invalid');
    }
  });

  test('is required where the operation says so', async () => {
    const notice = await server.createNotice();
    const required = server.app.routes.filter(({ idempotencyKey }) => idempotencyKey === 'required');
    assert.deepEqual(
      required.map(({ operationId }) => operationId),
      ['captureConsentRecord', 'withdrawConsentRecord'],
    );
    for (const { method, path } of required) {
      const response = await server.request(method, path.replace(/\{\w+\}/g, notice), { body: {} });
      assertProblem(response, 'idempotency_key_required');
    }
  });

  test('is accepted by every POST with a key, and by no other operation', () => {
    for (const { method, scope, idempotencyKey } of server.app.routes) {
      assert.equal(idempotencyKey !== 'none', method === 'POST' && scope !== null);
    }
  });

  test('encrypts a secret for only its own retry, in whatever row the response is put', async () => {
    const stranger = await server.createTenant(`sealed-${dialect}`);
    const makeKey = (idempotencyKey: string, key = server.tenant.key) =>
      server.request('POST', '/v1/api-keys', {
        key,
        headers: { 'Idempotency-Key': idempotencyKey },
        body: { name: 'sealed', scopes: ['keys:write'] },
      });
    const first = await makeKey('sealed-key');
    assert.equal(first.status, 201);
    const { kysely } = server.installation.database;
    const answers = kysely.selectFrom('idempotency_keys').select('body').where('key', '=', 'sealed-key');
    const { body } = await answers.where('tenant_id', '=', server.tenant.id).executeTakeFirstOrThrow();
    assert.ok(!body.includes(first.body.data.key));
    for (const [tenant, idempotencyKey] of [
      [server.tenant, 'other-key'],
      [stranger, 'sealed-key'],
    ] as const) {
      assert.equal((await makeKey(idempotencyKey, tenant.key)).status, 201);
      await kysely
        .updateTable('idempotency_keys')
        .set({ body })
        .where('tenant_id', '=', tenant.id)
        .where('key', '=', idempotencyKey)
        .execute();
      const retry = await makeKey(idempotencyKey, tenant.key);
      assertProblem(retry, 'internal_error');
      assert.ok(!retry.text.includes(first.body.data.key));
    }
    assert.equal((await makeKey('sealed-key')).text, first.text);
  });

  test('lets one of fifty concurrent requests write', async () => {
    const before = await countNotices();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('crowded-key')));
    const done = answers.filter(({ status }) => status === 201);
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    assert.equal(done.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assertProblem(answer, 'idempotency_in_progress');
      assert.equal(answer.headers.get('retry-after'), '1');
    }
    assert.equal(await countNotices(), before + 1);
  });

  test('lets one request write if two servers share a database', async () => {
    const { settings } = server.installation;
    await using installation = await openInstallation(settings, server.clock.now);
    await using second = await startServer(installation, { log: pino({ level: 'silent' }) });
    const before = await countNotices();
    const urls = [server.url, `http://127.0.0.1:${second.port}`];
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const response = await fetch(`${urls[index % 2]}/v1/consent/notices`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${server.tenant.key}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': 'shared-by-servers',
          },
          body: JSON.stringify(noticeContent),
        });
        return { status: response.status, text: await response.text() };
      }),
    );
    const done = answers.filter(({ status }) => status === 201);
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    assert.ok(answers.every(({ status }) => status === 201 || status === 409));
    assert.equal(await countNotices(), before + 1);
  });

  test('is deleted after 24 hours, a bounded number at a time, and not before', async () => {
    const { kysely } = server.installation.database;
    await kysely.deleteFrom('idempotency_keys').execute();
    for (const name of ['first-old-key', 'second-old-key', 'third-old-key']) await create(name);
    server.clock.advance(1);
    await create('younger-key');
    const names = async () => {
      const rows = await kysely.selectFrom('idempotency_keys').select('key').orderBy('key').execute();
      return rows.map(({ key }) => key);
    };
    server.clock.advance(day - 2);
    assert.equal(await forgetExpiredKeys(kysely, server.clock.now()), 0);
    server.clock.advance(1);
    assert.equal(await forgetExpiredKeys(kysely, server.clock.now(), 2), 2);
    assert.equal((await names()).length, 2);
    assert.equal(await forgetExpiredKeys(kysely, server.clock.now()), 1);
    assert.deepEqual(await names(), ['younger-key']);
  });

  test('is deleted with others in one statement, and only if the tenant is its own', async () => {
    const { kysely } = server.installation.database;
    await kysely.deleteFrom('idempotency_keys').execute();
    const row = { fingerprint: '', status: 201, body: '', created_at: new Date(0).toISOString() };
    const names = ['one', 'other'].flatMap((tenant_id) => ['a', 'b'].map((key) => ({ tenant_id, key })));
    await kysely
      .insertInto('idempotency_keys')
      .values(names.map((name, index) => ({ ...row, ...name, ...(index === 1 && { created_at: server.clock.now() }) })))
      .execute();
    let statements = 0;
    const counting = kysely.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    assert.equal(await forgetExpiredKeys(counting, server.clock.now()), 3);
    assert.equal(statements, 1);
    const left = await kysely.selectFrom('idempotency_keys').select(['tenant_id', 'key']).execute();
    assert.deepEqual(left, [names[1]]);
  });
});
