import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watch } from '../accounts/members/membership-helpers.ts';
import { assertNothingWritten, describeServer, payload } from '../consent/helpers.ts';
import { createClient, hour, newAddress } from './webhook-client.ts';

describeServer('a webhook that the server disables', (server) => {
  test('is disabled with the reason, which is sent to the audit log and the other webhooks', async () => {
    const [client, stranger] = [await createClient(server), await createClient(server)];
    const { id, url } = await client.created();
    const [other, another] = [await client.created(), await client.created({ eventTypes: ['dsr.created'] })];
    const foreign = await stranger.created();
    const failingSince = server.clock.now();
    await client.fail(id);
    server.clock.advance(hour);
    const now = server.clock.now();
    const { events, webhooks } = await watch(server, client.tenant.id, async () => {
      const signalled = await client.signalled(async () => assert.equal(await client.disable(id), true));
      assert.deepEqual(signalled, [other.id]);
    });
    const { status, disabledReason, disabledAt, updatedAt, ...rest } = await client.read(id);
    assert.deepEqual([status, disabledReason, disabledAt, updatedAt], ['disabled', 'failing', now, now]);
    assert.deepEqual([rest.failingSince, rest.lastError], [failingSince, 'answered 500']);
    assert.deepEqual(
      events.map(({ action, actorType, actorId, targetId, targetRef, diff: { states: _, ...diff } }) => [
        [action, actorType, actorId, targetId, targetRef],
        diff,
      ]),
      [[['webhook.disabled', 'system', null, id, 'hooks.example.com'], { reason: 'failing', failingSince }]],
    );
    const data = { webhookId: id, host: new URL(url).host, reason: 'failing', failingSince, lastError: 'answered 500' };
    assert.deepEqual(webhooks, [{ type: 'webhook.endpoint_disabled', data, createdAt: now }]);
    assert.deepEqual(await client.queued(other.id), ['webhook.endpoint_disabled']);
    for (const one of [id, another.id, foreign.id]) assert.deepEqual(await client.queued(one), []);
  });

  test('is not disabled if it changed since the attempt', async () => {
    const client = await createClient(server);
    const cases: readonly (readonly [name: string, change: (id: string) => Promise<unknown>])[] = [
      ['moved', async (id) => payload(await client.edit(id, { url: newAddress() }), 200)],
      ['paused', async (id) => payload(await client.edit(id, { status: 'paused' }), 200)],
      ['deleted', (id) => client.delete(id)],
      ['disabled', (id) => client.disable(id, 'gone')],
    ];
    for (const [name, change] of cases) {
      const { id } = await client.created();
      await client.fail(id);
      const sent = await client.sending(id);
      await change(id);
      await assertNothingWritten(server, async () => {
        for (const reason of ['gone', 'failing'] as const)
          assert.equal(await client.disable(id, reason, sent), false, name);
      });
    }
  });

  test('is not disabled if a delivery succeeded since the failure', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    await assertNothingWritten(server, async () => assert.equal(await client.disable(id, 'failing'), false));
    assert.equal((await client.read(id)).status, 'enabled');
  });
});
