import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemas } from '../../../storage/schema.ts';
import { capture, createFreshTenant, describeServerOnEachDatabase, payload } from '../../consent/helpers.ts';
import { storeDelivery } from '../../webhooks/stored-deliveries.ts';

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
});
