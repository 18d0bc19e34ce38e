import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTransaction } from '../../storage/database.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { capture, createFreshTenant, describeServerOnEachDatabase, payload, withdraw } from '../consent/helpers.ts';
import { createClient, type WebhookClient } from './webhook-client.ts';

/** The deliveries queued for a webhook, oldest first. */
function readQueue(client: WebhookClient, id: string) {
  return client.server.installation.database.kysely
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_events', 'webhook_events.id', 'webhook_deliveries.event_id')
    .select(['event_type', 'data', 'webhook_deliveries.id'])
    .where('endpoint_id', '=', id)
    .orderBy('webhook_deliveries.id')
    .execute();
}

describeServerOnEachDatabase('the filter of a webhook', (server) => {
  test('matches the events of one notice, and the refusals of one purpose', async () => {
    const client = await createClient(server);
    const { key } = client.tenant;
    const [one, other] = [await server.createNotice({ key }), await server.createNotice({ key })];
    const ofNotice = await client.created({ filter: { noticeId: [one] } });
    const eventTypes = ['consent.recorded', 'consent.withdrawn'];
    const refusals = await client.created({ eventTypes, filter: { 'purposes.marketing': [false] } });
    const refused = { purposes: { necessary: true, marketing: false } };
    const granted = { purposes: { necessary: true, marketing: true } };
    const ids: string[] = [];
    for (const [noticeId, decision] of [
      [one, refused],
      [one, granted],
      [other, refused],
      [other, granted],
    ] as const)
      ids.push(payload(await capture(server, noticeId, { subjectId: `s${ids.length}`, ...decision }, { key })).id);
    const last = payload(await withdraw(server, other, ids[3] as string, { purposes: ['marketing'] }, { key })).id;
    const recordsOf = async (id: string) =>
      (await readQueue(client, id)).map(({ data }) => (JSON.parse(data) as { recordId?: string }).recordId);
    assert.deepEqual(await recordsOf(ofNotice.id), [ids[0], ids[1]]);
    assert.deepEqual(await recordsOf(refusals.id), [ids[0], ids[2], last]);
  });

  test('signals only the webhooks with a delivery to the sender', async () => {
    const client = await createClient(server);
    const high = await client.created({ filter: { severity: ['high', 'critical'] } });
    const low = await client.created({ filter: { severity: ['low'] } });
    assert.deepEqual(await client.signalled(() => client.happen()), [high.id]);
    assert.deepEqual([await client.queued(high.id), await client.queued(low.id)], [['breach.reported'], []]);
  });

  test('applies from the edit on, and no longer after it is removed', async () => {
    const client = await createClient(server);
    const { id } = await client.created({ filter: { severity: ['low'] } });
    await client.happen();
    payload(await client.edit(id, { filter: { severity: ['high'] } }), 200);
    await client.happen();
    payload(await client.edit(id, { filter: { severity: ['low'] } }), 200);
    await client.happen();
    payload(await client.edit(id, { filter: null }), 200);
    await client.happen();
    assert.equal((await client.queued(id)).length, 2);
  });

  test('does not apply to events about webhooks, nor to a test event', async () => {
    const client = await createClient(server);
    const filter = { severity: ['none at all'] };
    const all = await client.created({ filter });
    const others = await client.created({ filter, eventTypes: ['dsr.created'] });
    const failing = await client.created({ eventTypes: ['dsr.created'] });
    await client.happen();
    await client.disable(failing.id, 'gone');
    payload(await client.test(all.id));
    assert.deepEqual(await client.queued(all.id), ['webhook.endpoint_disabled', 'webhook.test']);
    assert.deepEqual(await client.queued(others.id), []);
  });

  test('applies to a disabled webhook, too', async () => {
    const client = await createClient(server);
    const { id } = await client.created({ filter: { severity: ['low'] } });
    await client.disable(id, 'gone');
    await client.happen();
    assert.deepEqual(await client.queued(id), []);
  });
});

describeServerOnEachDatabase('the ids of deliveries', (server) => {
  test('are in the order of the events, however many are concurrent', async () => {
    const tenant = await createFreshTenant(server);
    const { database } = server.installation;
    const client = await createClient(server);
    const { id } = await client.created();
    const events = Array.from({ length: 300 }, (_, number) => ({
      tenantId: number % 3 === 0 ? tenant.id : client.tenant.id,
      type: 'user.suspended' as const,
      data: { userId: 'x', number },
    }));
    await runTransaction(database, server.clock.now(), (tx) => emitEvents(tx, events));
    assert.deepEqual(
      (await readQueue(client, id)).map(({ data }) => JSON.parse(data)),
      events.filter(({ tenantId }) => tenantId === client.tenant.id).map(({ data }) => data),
    );
  });
});
