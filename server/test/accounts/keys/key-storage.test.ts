import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { readAllRows } from '../../http/stored-rows.ts';

describeOnOneDatabase('a stored API key', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  test('stands nowhere in the database, before and after it is used', async () => {
    const key = await server.createKey(server.tenant.id, ['audit:read', 'consent:write']);
    await server.createNotice({ key: server.tenant.key });
    await server.request('POST', '/v1/consent/notices', {
      key,
      headers: { 'Idempotency-Key': 'with-this-key' },
      body: {},
    });
    const rows = await readAllRows(server.installation.database);
    const secret = key.slice('svc_test_'.length);
    for (const part of [key, secret, secret.slice(4, 24), secret.slice(-12)]) assert.ok(!rows.includes(part));
    assert.ok(rows.includes(hash('sha256', key)));
  });

  test('keeps its first characters, its scopes and its end', async () => {
    const key = await server.createKey(server.tenant.id, ['audit:read'], '2027-01-31T00:00:00.000Z');
    const row = await server.installation.database.kysely
      .selectFrom('api_keys')
      .selectAll()
      .where('hash', '=', hash('sha256', key))
      .executeTakeFirstOrThrow();
    assert.equal(row.display_prefix, key.slice(0, 13));
    assert.equal(row.scopes, 'audit:read');
    assert.equal(row.expires_at, '2027-01-31T00:00:00.000Z');
    assert.equal(row.revoked_at, null);
    assert.equal(row.tenant_id, server.tenant.id);
  });

  test('ends at its very time', async () => {
    const end = new Date(server.clock.milliseconds() + 1000).toISOString();
    const key = await server.createKey(server.tenant.id, ['audit:read'], end);
    const status = async () => (await server.request('GET', '/v1/audit', { key })).status;
    server.clock.advance(999);
    assert.equal(await status(), 200);
    server.clock.advance(1);
    assert.equal(await status(), 401);
  });

  test('gives no scope that it was not given, not even to read what it wrote', async () => {
    const key = await server.createKey(server.tenant.id, ['consent:write']);
    const id = await server.createNotice({ key });
    assert.equal((await server.request('GET', `/v1/consent/${id}`, { key })).status, 403);
  });

  test('may hold no scope at all, and may do nothing then', async () => {
    const key = await server.createKey(server.tenant.id, []);
    assert.equal((await server.request('GET', '/v1/audit', { key })).status, 403);
  });
});
