import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { changePeople } from '../../accounts/identity/membership-helpers.ts';
import { createFreshTenant, describeServerOnEachDatabase, payload } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';

const day = 24 * 60 * 60 * 1000;

describeServerOnEachDatabase('the portfolio of the staff', (server) => {
  const staff = async (...tenants: readonly TestTenant[]) => {
    const email = `staff-${randomUUID()}@example.com`;
    const members = [];
    for (const { id } of tenants)
      members.push(await server.createMember({ tenantId: id, email, role: 'dpco_principal' }));
    return members[0] as (typeof members)[number];
  };
  const list = async (headers: Readonly<Record<string, string>>, query = '') =>
    payload(await server.request('GET', `/v1/staff/tenants${query}`, { headers }), 200);
  const ids = ({ items }: { readonly items: readonly { readonly id: string }[] }) => items.map(({ id }) => id);
  const none = { overdueRequests: 0, overdueBreaches: 0, overdueEvidence: 0, dueTests: 0, failingWebhooks: 0 };

  test('has the number of what is overdue in each tenant', async () => {
    const [busy, idle] = [await createFreshTenant(server), await createFreshTenant(server)];
    const { session } = await staff(busy, idle);
    const send = async (method: string, path: string, body: object) =>
      payload(await server.request(method, path, { key: busy.key, body }), method === 'POST' ? 201 : 200);
    const ago = (days: number) => new Date(server.clock.milliseconds() - days * day).toISOString();
    const report = (fields: object) =>
      send('POST', '/v1/breach', { title: 'Lost', description: 'On a train.', severity: 'low', ...fields });
    await report({ discoveredAt: ago(4) });
    await report({ discoveredAt: ago(2) });
    const { id } = await report({ discoveredAt: ago(4) });
    await send('PATCH', `/v1/breach/${id}`, { authorityNotifiedAt: ago(3) });
    await send('POST', '/v1/dsr', { subjectId: 'one', type: 'access', receivedAt: ago(40) });
    await send('POST', '/v1/dsr', { subjectId: 'two', type: 'access' });
    const webhook = await send('POST', '/v1/webhooks', { url: 'https://receiver.example.com/' });
    await server.installation.database.kysely
      .insertInto('webhook_health')
      .values({
        tenant_id: busy.id,
        endpoint_id: webhook.id,
        failing_since: ago(1),
        failed_at: ago(0),
        last_error: 'http_error',
      })
      .execute();
    const controls = '/v1/control-framework';
    payload(await server.request('POST', `${controls}/adopt`, { key: busy.key, body: { frameworks: ['GDPR'] } }), 200);
    const overview = payload(await server.request('GET', `${controls}/test-health`, { key: busy.key }), 200);
    const { items } = await list(session);
    assert.deepEqual(items, [
      { id: idle.id, slug: idle.slug, name: idle.slug, ...none, readiness: null },
      {
        ...{ id: busy.id, slug: busy.slug, name: busy.slug },
        ...{ overdueRequests: 1, overdueBreaches: 1, overdueEvidence: 0, failingWebhooks: 1 },
        ...{ dueTests: overview.summary.dueTests, readiness: 0 },
      },
    ]);
  });

  test('has the tenants in which they have the role at this moment, in pages', async () => {
    const tenants = [await createFreshTenant(server), await createFreshTenant(server), await createFreshTenant(server)];
    const [one, two, three] = tenants as [TestTenant, TestTenant, TestTenant];
    const stranger = await createFreshTenant(server);
    const { session, userId, email } = await staff(one, two, three);
    await server.createMember({ tenantId: stranger.id, email, role: 'admin' });
    const first = await list(session, '?limit=2');
    assert.deepEqual(ids(first), [three.id, two.id]);
    const rest = await list(session, `?limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([ids(rest), rest.nextCursor], [[one.id], null]);
    await changePeople(server, two.id, [userId], { role: 'auditor' });
    await changePeople(server, three.id, [userId], { isActivated: false });
    assert.deepEqual(ids(await list(session)), [one.id]);
    const key = two.key;
    payload(await server.request('PATCH', '/v1/tenant', { key, body: { requireSecondFactor: true } }), 200);
    await changePeople(server, two.id, [userId], { role: 'dpco_principal' });
    assert.deepEqual(ids(await list(session)), [one.id]);
  });
});
