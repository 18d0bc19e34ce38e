import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { roleIds, type Scope, scopesOf } from '../../../http/roles.ts';
import { removeRemains } from '../../../storage/erased-remains.ts';
import { schemas } from '../../../storage/schema.ts';
import { changePeople } from '../../accounts/members/membership-helpers.ts';
import { capture, createFreshTenant, describeServerOnEachDatabase, payload, visit } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { storeDelivery } from '../../webhooks/stored-deliveries.ts';

const day = 24 * 60 * 60 * 1000;

describeServerOnEachDatabase('the overview of a tenant', (server) => {
  const read = async (caller: { readonly key?: string | null; readonly headers?: Readonly<Record<string, string>> }) =>
    payload(await server.request('GET', '/v1/overview', caller), 200);
  const ago = (days: number) => new Date(server.clock.milliseconds() - days * day).toISOString();

  test('is empty for a new tenant', async () => {
    const tenant = await createFreshTenant(server);
    const { session } = await server.createMember({ tenantId: tenant.id });
    assert.deepEqual(await read({ headers: session }), {
      requests: { open: 0, overdue: 0 },
      breaches: { open: 0, pastDeadline: 0 },
      controls: null,
      webhooks: { failing: 0, deadLetters: 0 },
      notices: { published: 0, unseen: 0 },
      proofs: { latestCheckpointAt: null, latestVerification: null },
      firstSteps: {
        ...{ noticePublished: false, bannerSeen: false, secondMember: false, secondFactor: false },
        ...{ checkpointMade: false, webhookDelivered: false },
      },
    });
  });

  test('counts what is open and overdue, of the own tenant only', async () => {
    const [busy, idle] = [await createFreshTenant(server), await createFreshTenant(server)];
    const { key } = busy;
    const before = await read({ key: idle.key });
    const send = async (path: string, body: object | undefined, status = 201) =>
      payload(await server.request('POST', path, { key, ...(body !== undefined && { body }) }), status);
    for (const fields of [{ discoveredAt: ago(4) }, { discoveredAt: ago(2) }])
      await send('/v1/breach', { title: 'Lost', description: 'On a train.', severity: 'low', ...fields });
    await send('/v1/dsr', { subjectId: 'one', type: 'access', receivedAt: ago(40) });
    await send('/v1/dsr', { subjectId: 'two', type: 'access' });
    await send('/v1/control-framework/adopt', { frameworks: ['GDPR'] }, 200);
    const [, fine] = [await server.createNotice({ key }), await server.createNotice({ key })];
    server.clock.advance(8 * day);
    await visit(server, fine);
    await server.app.usage.write(server.installation.database);
    const { id: webhookId } = await send('/v1/webhooks', { url: 'https://receiver.example.com/' });
    await server.installation.database.kysely
      .insertInto('webhook_health')
      .values({
        tenant_id: busy.id,
        endpoint_id: webhookId,
        failing_since: ago(1),
        failed_at: ago(0),
        last_error: 'http_error',
      })
      .execute();
    for (const status of ['dead', 'delivered'])
      await server.installation.database.kysely
        .insertInto('webhook_deliveries')
        .values({
          ...{ id: crypto.randomUUID(), tenant_id: busy.id, endpoint_id: webhookId, event_id: crypto.randomUUID() },
          ...{ event_type: 'ping', status, attempts: 1, created_at: ago(0) },
        })
        .execute();
    await send('/v1/ledgers/consent/checkpoints', undefined);
    const verification = {
      ...{ status: 'holds', startedAt: ago(1), finishedAt: ago(0), entries: 9, checkedRows: 4, fault: null },
    };
    await server.installation.database.kysely
      .insertInto('verifications')
      .values({
        tenant_id: busy.id,
        status: 'holds',
        started_at: ago(1),
        finished_at: ago(0),
        entries: 9,
        checked_rows: 4,
      })
      .execute();
    for (let index = 0; index < 2; index += 1) await server.createMember({ tenantId: busy.id });
    const overview = await read({ key });
    const { controls, ...rest } = overview;
    assert.deepEqual(rest, {
      requests: { open: 2, overdue: 1 },
      breaches: { open: 2, pastDeadline: 2 },
      webhooks: { failing: 1, deadLetters: 1 },
      notices: { published: 2, unseen: 1 },
      proofs: { latestCheckpointAt: server.clock.now(), latestVerification: verification },
      firstSteps: {
        ...{ noticePublished: true, bannerSeen: true, secondMember: true, secondFactor: null },
        ...{ checkpointMade: true, webhookDelivered: true },
      },
    });
    assert.deepEqual([controls.readiness, controls.dueTests > 0], [0, true]);
    assert.deepEqual(await read({ key: idle.key }), before);
  });

  test('has for each role only the parts that its scopes allow', async () => {
    const tenant = await createFreshTenant(server);
    const body = { frameworks: ['GDPR'] };
    payload(await server.request('POST', '/v1/control-framework/adopt', { key: tenant.key, body }), 200);
    const needs = {
      ...{ requests: 'dsr:read', breaches: 'breach:read', controls: 'controls:read', webhooks: 'webhooks:read' },
      ...{ notices: 'consent:read', proofs: 'audit:read' },
    } as const;
    for (const role of [...roleIds, 'dpco_principal'] as const) {
      const { session } = await server.createMember({ tenantId: tenant.id, role });
      const { firstSteps, ...parts } = await read({ headers: session });
      for (const [part, scope] of Object.entries(needs) as [string, Scope][])
        assert.equal(parts[part] !== null, scopesOf(role).has(scope), `${role}: ${part}`);
      assert.equal(firstSteps !== null, role === 'admin', role);
    }
  });

  test('has the first steps until the tenant switches them off, and of them what the scopes of a key allow', async () => {
    const { id, key } = await createFreshTenant(server);
    const narrow = await server.createKey(id, ['members:read', 'tenant:write', 'consent:read']);
    assert.deepEqual((await read({ key: narrow })).firstSteps, {
      ...{ noticePublished: false, bannerSeen: false, secondMember: false, secondFactor: null },
      ...{ checkpointMade: null, webhookDelivered: null },
    });
    payload(await server.request('PATCH', '/v1/tenant', { key, body: { firstSteps: false } }), 200);
    assert.equal((await read({ key })).firstSteps, null);
    payload(await server.request('PATCH', '/v1/tenant', { key, body: { firstSteps: true } }), 200);
    assert.notEqual((await read({ key })).firstSteps, null);
  });
});

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

describeServerOnEachDatabase('the state of a server', (server) => {
  test('counts what all tenants have, and names versions, database and disk', async () => {
    const { session: headers } = await server.createMember({ role: 'platform_admin' });
    const read = async () => payload(await server.request('GET', '/v1/system', { headers }), 200);
    const before = await read();
    const tenant = await createFreshTenant(server);
    const noticeId = await server.createNotice({ key: tenant.key });
    for (const subjectId of ['one', 'two'])
      payload(await capture(server, noticeId, { subjectId }, { key: tenant.key }));
    const body = { url: 'https://receiver.example.com/' };
    const { id: webhookId } = payload(await server.request('POST', '/v1/webhooks', { key: tenant.key, body }));
    await storeDelivery(server, tenant, { webhookId });
    const waiting = await storeDelivery(server, tenant, { webhookId });
    await server.installation.database.kysely
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', due_at: server.clock.now(), finished_at: null })
      .where('id', '=', waiting)
      .execute();
    const after = await read();
    const added = (name: string) => after[name] - before[name];
    assert.deepEqual([added('tenants'), added('records')], [1, 2]);
    assert.ok(added('auditEvents') > 3);
    const { pending, oldestPendingAt, dead } = after.deliveries;
    assert.deepEqual([pending, dead], [1, 1]);
    assert.ok(oldestPendingAt <= server.clock.now());
    assert.equal(after.schemaVersion, Object.keys(schemas).at(-1));
    assert.equal(after.nodeVersion, process.versions.node);
    assert.equal(after.database.kind, server.installation.database.dialect);
    assert.ok(
      after.database.bytes > 10_000 && after.disk.freeBytes > 0 && after.disk.totalBytes > after.disk.freeBytes,
    );
    assert.deepEqual([after.log.size, after.log.at, after.log.sources], [0, null, []]);
    assert.match(after.log.verifierKey, /^svc-[0-9a-f]{12}\/installation\/log\+[0-9a-f]{8}\+/);
    assert.deepEqual(after.transfers, []);
    assert.match(after.version, /^\d+\.\d+\.\d+/);
  });

  test('tells how far the removal of erased values from a SQLite file is', async () => {
    const { session: headers } = await server.createMember({ role: 'platform_admin' });
    const { database } = server.installation;
    const readSearched = async () =>
      payload(await server.request('GET', '/v1/system', { headers }), 200).database.searchedBytes;
    const noticeId = await server.createNotice();
    payload(await capture(server, noticeId, { subjectId: 'to-erase' }));
    const body = { reason: 'Asked for it' };
    payload(await server.request('POST', '/v1/consent/subjects/to-erase/erase', { body }), 200);
    assert.equal(await readSearched(), database.dialect === 'sqlite' ? 0 : null);
    assert.ok(await removeRemains(database));
    assert.equal(await readSearched(), null);
  });
});
