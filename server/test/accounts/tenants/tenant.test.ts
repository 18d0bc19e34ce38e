import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listTenants } from '../../../accounts/tenants/store.ts';
import { TenantName, TenantSlug } from '../../../accounts/tenants/tenant.ts';
import { newId } from '../../../storage/rows.ts';
import { describeServerOnEachDatabase } from '../../consent/helpers.ts';

describe('the slug of a tenant', () => {
  test('has 2 to 63 lower-case letters, digits and inner hyphens', () => {
    for (const good of ['ab', '42', 'a-b', 'a--b', 'a'.repeat(63)]) assert.ok(TenantSlug.safeParse(good).success, good);
    for (const bad of ['', 'a', 'a'.repeat(64), '-ab', 'ab-', 'aB', 'a_b', 'a.b', 'a b', 'ä', 'ab\n']) {
      assert.ok(!TenantSlug.safeParse(bad).success, bad);
    }
    // Tenants are named by id or slug: one must never be taken for the other.
    assert.ok(!TenantSlug.safeParse(newId()).success);
  });
});

describe('the name of a tenant', () => {
  test('has 1 to 200 characters besides white space around it', () => {
    assert.equal(TenantName.parse('  Acme  '), 'Acme');
    for (const bad of ['', '   ', 'x'.repeat(201)]) assert.ok(!TenantName.safeParse(bad).success);
  });

  test('has something to see in it, in whatever script', () => {
    for (const good of ['न\u200dम', '株式会社', '🏢', '42', '&']) assert.equal(TenantName.parse(good), good);
    for (const bad of ['\u200b', '\u200b \u2060', '\u00ad', '\u3164', '\ufeff', '\u202e', '\0'])
      assert.ok(!TenantName.safeParse(bad).success, JSON.stringify(bad));
  });
});

/** The lists of a new tenant: its audit log has its creation and that of its key. */
const ownItems: Readonly<Record<string, number>> = { '/v1/audit': 2, '/v1/api-keys': 1 };

describeServerOnEachDatabase('tenants', (server) => {
  test('cannot share a slug', async () => {
    await assert.rejects(server.createTenant('first'));
    assert.equal(
      (await listTenants(server.installation.database.kysely)).filter(({ slug }) => slug === 'first').length,
      1,
    );
  });

  test('see nothing of each other in any list', async () => {
    const stranger = await server.createTenant('stranger');
    const lists = server.app.routes.filter(
      ({ path, query, auth }) => auth === 'scope' && query !== null && 'cursor' in query.shape && !path.includes('{'),
    );
    assert.ok(lists.length >= 2);
    const read = async (path: string) => (await server.request('GET', path, { key: stranger.key })).body.data;
    const before = new Map(await Promise.all(lists.map(async ({ path }) => [path, await read(path)] as const)));
    const webhook = await server.request('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.com/svc' } });
    await server.request('POST', '/v1/webhooks/redeliver', { body: { webhookId: webhook.body.data.id } });
    const noticeId = await server.createNotice();
    await server.request('POST', `/v1/consent/${noticeId}/records`, {
      headers: { 'Idempotency-Key': 'of-the-first' },
      body: { subjectId: 'subject', purposes: { analytics: true } },
    });
    await server.createMember();
    await server.request('POST', '/v1/users/invitations', { body: { email: 'invited@example.com' } });
    await server.request('POST', '/v1/dsr', { body: { subjectId: 'subject', type: 'access' } });
    const incident = { title: 'Lost laptop', description: 'On a train.', severity: 'low' };
    await server.request('POST', '/v1/breach', { body: { ...incident, discoveredAt: server.clock.now() } });
    for (const ledger of ['audit', 'consent']) await server.request('POST', `/v1/ledgers/${ledger}/checkpoints`);
    for (const { path } of lists) {
      const own = await server.request('GET', path);
      assert.ok((own.body.data.items ?? own.body.data.data).length > 0, `${path}: the first tenant has nothing in it`);
      const seen = await read(path);
      assert.deepEqual(seen, before.get(path));
      assert.equal((seen.items ?? seen.data).length, ownItems[path] ?? 0);
      assert.equal(seen.page?.total ?? ownItems[path] ?? 0, ownItems[path] ?? 0);
    }
  });
});
