import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watch } from '../accounts/members/membership-helpers.ts';
import { assertNothingWritten, assertProblem, describeServer, payload } from '../consent/helpers.ts';
import { createClient } from './webhook-client.ts';

describeServer('POST /v1/webhooks/{id}/test', (server) => {
  test('sends a test event to this webhook only, whatever its types and filters', async () => {
    const client = await createClient(server);
    const [all, tests] = [await client.created(), await client.created({ eventTypes: ['webhook.test'] })];
    const { id } = await client.created({ eventTypes: ['dsr.created'] });
    const now = server.clock.now();
    let delivery: Record<string, unknown> = {};
    const { webhooks, events } = await watch(server, client.tenant.id, async () => {
      const signalled = await client.signalled(async () => {
        delivery = payload(await client.test(id));
      });
      assert.deepEqual(signalled, [id]);
    });
    const { id: deliveryId, eventId, ...rest } = delivery;
    assert.deepEqual(rest, {
      webhookId: id,
      eventType: 'webhook.test',
      status: 'pending',
      reason: null,
      responseStatus: null,
      attemptCount: 0,
      firstAttemptAt: null,
      nextAttemptAt: now,
      redeliveryOf: null,
      createdAt: now,
      finishedAt: null,
    });
    assert.deepEqual(webhooks, [{ type: 'webhook.test', data: { webhookId: id }, createdAt: now }]);
    const { kysely } = server.installation.database;
    assert.deepEqual(
      await kysely
        .selectFrom('webhook_deliveries')
        .select(['id', 'endpoint_id', 'event_id'])
        .where('tenant_id', '=', client.tenant.id)
        .execute(),
      [{ id: deliveryId, endpoint_id: id, event_id: eventId }],
    );
    for (const other of [all, tests]) assert.deepEqual(await client.queued(other.id), []);
    assert.deepEqual(
      events.map(({ action, module, targetId, targetRef, diff }) => [action, module, targetId, targetRef, diff]),
      [['webhook.tested', 'webhooks', id, 'hooks.example.com', { deliveryId }]],
    );
  });

  test('returns the status of a webhook that cannot receive it', async () => {
    const client = await createClient(server);
    const [paused, disabled] = [await client.created({ status: 'paused' }), await client.created()];
    await client.disable(disabled.id, 'gone');
    await assertNothingWritten(server, async () => {
      for (const [id, actualStatus] of [
        [paused.id, 'paused'],
        [disabled.id, 'disabled'],
      ]) {
        const answer = await client.test(id);
        assertProblem(answer, '409 webhook_not_enabled');
        const { error } = answer.body;
        assert.deepEqual([error.requiredStatus, error.actualStatus], ['enabled', actualStatus]);
      }
    });
    payload(await client.edit(paused.id, { status: 'enabled' }), 200);
    payload(await client.test(paused.id));
  });
});
