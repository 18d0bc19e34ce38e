import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import canonicalize from 'canonicalize';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { appendEvent, readAllPages } from './audit-trail.ts';

describeOnOneDatabase('GET /v1/audit/{id}', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  const get = (id: string) => server.request('GET', `/v1/audit/${id}`);
  async function latest(): Promise<string> {
    return (await server.request('GET', '/v1/audit?limit=1')).body.data.items[0].id;
  }

  test('adds the source, the diff and the reason to the list item', async () => {
    await server.createNotice();
    const { events } = await readAllPages(server, { actor: 'api_key' });
    assert.ok(events.length >= 2);
    for (const item of events) {
      const { ip, userAgent, diff, reason, ...rest } = (await get(item.id)).body.data;
      assert.deepEqual(rest, item);
      assert.match(ip, /^[0-9a-f]{64}$/);
      assert.match(userAgent, /^[0-9a-f]{64}$/);
      assert.equal(typeof diff, 'object');
      assert.equal(reason, null);
    }
  });

  test('has a diff of any shape, or none, and the reason if there is one', async () => {
    const { tenant } = server;
    for (const diff of [null, 0, '', 'text', [1, [2]], { before: { ä: '😀' }, after: null }, false]) {
      await appendEvent(server, tenant.id, { module: 'consent', actor: 'staff', diff, reason: 'because' });
      const { data } = (await get(await latest())).body;
      assert.deepEqual(data.diff, diff);
      assert.equal(data.reason, 'because');
      assert.deepEqual([data.ip, data.userAgent], [null, null]);
    }
    await appendEvent(server, tenant.id, { module: 'consent', actor: 'staff' });
    assert.ok(!Object.hasOwn((await get(await latest())).body.data, 'diff'));
  });

  test('returns everything that the hash is computed from', async () => {
    await server.createNotice();
    const { events } = await readAllPages(server);
    for (const { id } of events) {
      const { hash: stored, prevHash, ...event } = (await get(id)).body.data;
      const entry = canonicalize({ ...event, tenantId: server.tenant.id });
      assert.equal(stored, hash('sha256', `${prevHash ?? ''}${entry}`));
    }
  });
});
