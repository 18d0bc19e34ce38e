import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Svc } from '../../src/index.ts';
import {
  openCheckpoint,
  verifyConsistency,
  verifyExport,
  verifyInclusion,
  verifyLedger,
} from '../../src/ledger/index.ts';
import { createTestServer, type TestServer } from '../../src/testing/index.ts';

const minute = 60_000;

describe('what a test server keeps', () => {
  let server: TestServer;
  let svc: Svc;
  beforeEach(async () => {
    server = await createTestServer();
    server.clock.set('2026-11-21T12:00:00Z');
    svc = new Svc({ baseUrl: server.baseUrl, apiKey: server.apiKey, scimToken: server.scimToken, retries: 0 });
  });
  afterEach(async () => {
    await server.close();
    await svc.close();
  });

  const ask = () => svc.dsr.create({ subjectId: 'anna', type: 'access' });
  const addWebhook = (name: string, more = {}) =>
    svc.webhooks.create({ url: `https://hooks.example.com/${name}`, ...more });

  test('becomes deliveries of the webhooks that want it', async () => {
    const all = await addWebhook('all');
    await addWebhook('other', { eventTypes: ['breach.reported'] });
    await addWebhook('filtered', { filter: { type: ['erasure'] } });
    const { id: dsrId } = await ask();
    const [delivery, ...others] = server.listDeliveries();
    assert.deepEqual(others, []);
    assert.deepEqual([delivery?.webhookId, delivery?.status, delivery?.event.data.dsrId], [all.id, 'pending', dsrId]);
    assert.deepEqual(
      server.deliver().map(({ status, responseStatus, attemptCount }) => [status, responseStatus, attemptCount]),
      [['delivered', 204, 1]],
    );
    assert.deepEqual(server.deliver(), []);
    const again = await svc.webhooks.deliveries.redeliver(delivery?.id ?? '');
    assert.equal(again.redeliveryOf, delivery?.id);
    assert.equal((await svc.webhooks.test(all.id)).eventType, 'webhook.test');
  });

  test('is tried again by the schedule of the webhook until it is a dead letter, which is then sent again', async () => {
    const { id } = await addWebhook('a', { retrySchedule: [60, 1200], eventTypes: ['dsr.created'] });
    await addWebhook('b', { eventTypes: ['webhook.delivery_exhausted'] });
    await ask();
    const times: (string | null)[] = [];
    for (const advance of [0, minute, 20 * minute]) {
      server.clock.advance(advance);
      const [tried] = server.deliver((delivery) => (delivery.attemptCount === 1 ? 'timeout' : 503));
      times.push(tried?.nextAttemptAt ?? null);
    }
    assert.deepEqual(times, ['2026-11-21T12:01:00.000Z', '2026-11-21T12:20:00.000Z', null]);
    const [dead] = (await svc.webhooks.deliveries.list({ status: 'dead' })).items;
    const { attempts } = await svc.webhooks.deliveries.retrieve(dead?.id ?? '');
    assert.deepEqual(
      attempts.map(({ outcome }) => outcome),
      ['http_error', 'timeout', 'http_error'],
    );
    assert.equal((await svc.webhooks.retrieve(id)).failingSince, '2026-11-21T12:00:00.000Z');
    assert.equal(server.listDeliveries().at(-1)?.event.data.deliveryId, dead?.id);
    assert.deepEqual(await svc.webhooks.redeliveries.count({ webhookId: id }), { count: 1 });
    const order = await svc.webhooks.redeliveries.create({ webhookId: id });
    assert.equal((await svc.webhooks.redeliveries.retrieve(order.id)).queued, 1);
    server.clock.advance(minute);
    server.deliver(200);
    assert.equal((await svc.webhooks.retrieve(id)).failingSince, null);
    assert.throws(() => server.deliver(700), TypeError);
  });

  test('ends with a webhook that answers 410, of which the others are told', async () => {
    const { id } = await addWebhook('a', { eventTypes: ['dsr.created'] });
    const other = await addWebhook('b', { eventTypes: ['webhook.endpoint_disabled'] });
    await ask();
    await ask();
    server.deliver(410);
    const { status, disabledReason } = await svc.webhooks.retrieve(id);
    assert.deepEqual([status, disabledReason], ['disabled', 'gone']);
    const told = server.listDeliveries().map(({ webhookId, reason }) => [webhookId === other.id, reason]);
    assert.deepEqual(told, [
      [false, 'gone'],
      [false, 'endpoint_disabled'],
      [true, null],
    ]);
  });

  test('has members who take invitations, sign in and lose what they had', async () => {
    const { token } = await svc.users.invitations.create({ email: 'ada@example.com', role: 'admin' });
    const { id, canSignIn } = server.acceptInvitation(token);
    assert.ok(canSignIn);
    assert.throws(() => server.acceptInvitation(token), TypeError);
    assert.ok(server.enableSecondFactor(id).mfaEnabled);
    server.signIn(id);
    assert.equal((await svc.users.sessions.list(id)).items.length, 1);
    assert.equal((await svc.users.resetSecondFactor(id)).mfaEnabled, false);
    assert.equal((await svc.users.sessions.list(id)).items.length, 0);
    await assert.rejects(svc.users.resetSecondFactor(id), { code: 'conflict' });
    await assert.rejects(svc.users.remove(id), { code: 'conflict' }, 'the last administrator stays');
    assert.throws(() => server.signIn('nobody'), TypeError);
  });

  test('has keys and a SCIM token that end, and are again after a reset', async () => {
    const { id, key } = await svc.apiKeys.create({ name: 'x', scopes: ['audit:read'] });
    await using other = new Svc({ baseUrl: server.baseUrl, apiKey: key, retries: 0 });
    await other.audit.list();
    await svc.apiKeys.revoke(id);
    await assert.rejects(other.audit.list(), { status: 401 });
    await svc.scimToken.create();
    await assert.rejects(svc.scim.users.list(), { status: 401 });
    server.reset();
    assert.deepEqual((await svc.scim.users.list()).items, []);
  });

  for (const ledger of ['audit', 'consent'] as const)
    test(`is proved by the ${ledger} ledger`, async () => {
      const notice = await svc.consent.notices.create({
        ...{ name: 'x', controllerName: 'x', language: 'en', domain: 'example.com' },
        purposes: [{ key: 'a', label: 'a', description: '', required: false }],
      });
      await svc.consent.notices.publish(notice.id);
      const capture = () => svc.consent.records.capture(notice.id, { subjectId: 'anna', purposes: { a: true } });
      await capture();
      const { publicKey, note } = await verifyLedger(svc, { ledger });
      for (const _ of [1, 2, 3, 4]) await capture();
      const again = await verifyLedger(svc, { ledger, publicKey, keptCheckpoint: note });
      assert.ok(again.isConsistent);
      const proof = await svc.ledgers[ledger].proveInclusion({ sequence: 3 });
      assert.equal(verifyInclusion({ hash: proof.hash, proof, publicKey }).sequence, 3);
      const from = openCheckpoint(note, publicKey).size;
      const grown = await svc.ledgers[ledger].proveConsistency({ from });
      assert.equal(verifyConsistency({ older: note, proof: grown, publicKey }).size, proof.checkpoint.size);
      const lines = svc.ledgers[ledger].export({ since: 1 });
      const verified = await verifyExport(lines, { publicKey, ledger, checkpoint: again.note });
      assert.equal(verified.entries, proof.checkpoint.size);
    });
});
