import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allGranted,
  capture,
  createFreshTenant,
  describeServer,
  payload,
  visit,
  withdraw,
} from '../consent/helpers.ts';
import type { TestServer, TestTenant } from '../harness.ts';
import { allowPrivate, createEndpoint, readDeliveries } from './sending.ts';

async function readEvents({ installation }: TestServer, { id }: TestTenant) {
  const rows = await installation.database.kysely
    .selectFrom('webhook_events')
    .selectAll()
    .where('tenant_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
}

describeServer(
  'what happens to consent',
  (server) => {
    test('contains the record as it is in the ledger, and no data of the device', async () => {
      const tenant = await createFreshTenant(server);
      const noticeId = await server.createNotice({ key: tenant.key });
      await createEndpoint(server, tenant, 'http://127.0.0.1:9/', { status: 'paused' });
      const options = { key: tenant.key };
      const record = payload(
        await capture(server, noticeId, { subjectId: 'ada', purposes: allGranted, ip: '192.0.2.1', ua: 'x' }, options),
      );
      const withdrawal = payload(await withdraw(server, noticeId, record.id, { purposes: ['analytics'] }, options));
      const visitor = payload(await visit(server, noticeId, { subjectId: 'visitor', purposes: allGranted }));
      const events = await readEvents(server, tenant);
      const toData = ({
        id: recordId,
        noticeContentHash: _,
        otherPurposes: _others,
        subjectChannel: _channel,
        ipHash: _ip,
        uaHash: _ua,
        prevLedgerHash: _prev,
        salt: _salt,
        erasedAt: _erased,
        ...rest
      }: Record<string, unknown>) => ({ recordId, ...rest });
      assert.deepEqual(events.slice(1, 3), [
        { type: 'consent.recorded', data: toData(record) },
        { type: 'consent.withdrawn', data: toData(withdrawal) },
      ]);
      assert.equal(events[3]?.type, 'consent.recorded');
      assert.deepEqual(
        [events[3]?.data.recordId, events[3]?.data.subjectId, events[3]?.data.source],
        [visitor.id, 'visitor', 'public'],
      );
      assert.equal((await readDeliveries(server, tenant)).length, 3);
    });

    test('is sent when a notice is published and archived, and not without a change', async () => {
      const tenant = await createFreshTenant(server);
      const { key } = tenant;
      const noticeId = await server.createNotice({ key });
      await server.request('POST', `/v1/consent/${noticeId}/publish`, { key });
      payload(await server.request('POST', `/v1/consent/${noticeId}/archive`, { key }), 200);
      await server.request('POST', `/v1/consent/${noticeId}/archive`, { key });
      const about = { noticeId, name: 'Website', domain: 'example.com', version: 1 };
      assert.deepEqual(await readEvents(server, tenant), [
        { type: 'consent_notice.published', data: { ...about, status: 'published' } },
        { type: 'consent_notice.archived', data: { ...about, status: 'archived' } },
      ]);
    });

    test('is not stored for a record without a subscribed endpoint', async () => {
      const tenant = await createFreshTenant(server);
      const noticeId = await server.createNotice({ key: tenant.key });
      await createEndpoint(server, tenant, 'http://127.0.0.1:9/', { eventTypes: ['consent.withdrawn'] });
      const options = { key: tenant.key };
      const record = payload(await capture(server, noticeId, { subjectId: 'ada', purposes: allGranted }, options));
      await withdraw(server, noticeId, record.id, {}, options);
      assert.deepEqual(
        (await readEvents(server, tenant)).map(({ type }) => type),
        ['consent_notice.published', 'consent.withdrawn'],
      );
    });
  },
  allowPrivate,
);
