import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { planRetry as planReally, isWithinWindow as realWindow } from '../../../../server/webhooks/sender/schedule.ts';
import { Svc } from '../../src/index.ts';
import { createTestServer, type TestServer } from '../../src/testing/index.ts';
import { isWithinWindow, planRetry } from '../../src/testing/plan-retry.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = '2026-11-21T12:00:00.000Z';
const later = (milliseconds: number) => new Date(Date.parse(start) + milliseconds).toISOString();

describe('the deliveries of a test server', () => {
  let server: TestServer;
  let svc: Svc;
  beforeEach(async () => {
    server = await createTestServer();
    server.clock.set(start);
    svc = new Svc({ baseUrl: server.baseUrl, apiKey: server.apiKey, retries: 0 });
  });
  afterEach(async () => {
    await server.close();
    await svc.close();
  });

  const ask = (subjectId = 'anna') => svc.dsr.create({ subjectId, type: 'access' });
  const addWebhook = (more = {}) =>
    svc.webhooks.create({ url: 'https://hooks.example.com/a', eventTypes: ['dsr.created'], ...more });
  const addOther = (eventTypes: readonly 'webhook.endpoint_disabled'[] | readonly 'webhook.endpoint_recovered'[]) =>
    svc.webhooks.create({ url: 'https://hooks.example.com/other', eventTypes });
  const eventOf = async (id: string) => (await svc.webhooks.deliveries.retrieve(id)).eventId;

  test('are given up by a caller', async () => {
    await addWebhook();
    await ask('anna');
    server.deliver(500);
    const [first] = server.listDeliveries();
    const canceled = await svc.webhooks.deliveries.cancel(first?.id ?? '');
    assert.deepEqual(
      [canceled.status, canceled.reason, canceled.nextAttemptAt, canceled.finishedAt],
      ['canceled', 'http_error', null, start],
    );
    server.clock.advance(86_400_000);
    assert.deepEqual(server.deliver(), []);
    await assert.rejects(svc.webhooks.deliveries.cancel(first?.id ?? ''), { code: 'conflict' });
    await assert.rejects(svc.webhooks.deliveries.cancel('nobody'), { code: 'validation_failed' });
    assert.equal((await svc.audit.list()).items[0]?.action, 'webhook_delivery.canceled');
  });

  test('that wait for their time are due at once when somebody sends them again', async () => {
    await addWebhook();
    await ask();
    const [tried] = server.deliver(500);
    assert.equal(tried?.nextAttemptAt, later(5000));
    server.clock.advance(1000);
    const again = await svc.webhooks.deliveries.redeliver(tried?.id ?? '');
    assert.deepEqual([again.id, again.nextAttemptAt, again.attemptCount], [tried?.id, later(1000), 1]);
    assert.equal((await svc.audit.list()).items[0]?.action, 'webhook_delivery.hastened');
    const [delivered] = server.deliver();
    assert.deepEqual([delivered?.id, delivered?.status], [tried?.id, 'delivered']);
    assert.notEqual((await svc.webhooks.deliveries.redeliver(tried?.id ?? '')).id, tried?.id);
  });

  test('are due at once when the webhook is taken into use again', async () => {
    const { id } = await addWebhook();
    await ask();
    server.deliver(500);
    await svc.webhooks.update(id, { status: 'paused' });
    assert.deepEqual(server.deliver(), []);
    await svc.webhooks.update(id, { status: 'enabled' });
    assert.equal(server.deliver()[0]?.status, 'delivered');
  });

  test('wait for the pause that a receiver asks for, an hour at most, until the webhook is paused and enabled', async () => {
    const { id } = await addWebhook();
    await ask('anna');
    await ask('ben');
    const told = server.deliver({ status: 429, retryAfter: 90 });
    assert.deepEqual(
      told.map(({ reason, nextAttemptAt }) => [reason, nextAttemptAt]),
      [['rate_limited', later(90_000)]],
      'the second was held back',
    );
    assert.equal((await svc.webhooks.retrieve(id)).pausedUntil, later(90_000));
    server.clock.advance(89_000);
    assert.deepEqual(server.deliver(), []);
    server.clock.advance(1000);
    assert.equal((await svc.webhooks.retrieve(id)).pausedUntil, null);
    assert.equal(server.deliver({ status: 503, retryAfter: 7200 }).length, 1);
    assert.equal((await svc.webhooks.retrieve(id)).pausedUntil, later(90_000 + hour));
    await svc.webhooks.update(id, { status: 'paused' });
    assert.equal((await svc.webhooks.update(id, { status: 'enabled' })).pausedUntil, null);
    assert.equal(server.deliver().length, 2);
    for (const wrong of [{ status: 429, retryAfter: -1 }, { status: 429, retryAfter: 'soon' }, { status: 700 }, null])
      assert.throws(() => server.deliver(wrong as never), TypeError);
  });

  test('ask for no pause with other failures, but come no sooner than the receiver said', async () => {
    const { id } = await addWebhook();
    await ask();
    assert.equal(server.deliver({ status: 500, retryAfter: 600 })[0]?.nextAttemptAt, later(600_000));
    assert.equal((await svc.webhooks.retrieve(id)).pausedUntil, null);
  });

  test('end with a webhook at which nothing has arrived for five days, of which the others are told', async () => {
    const { id } = await addWebhook({ retrySchedule: [60] });
    const other = await addOther(['webhook.endpoint_disabled']);
    const fail = () => server.deliver(({ webhookId }) => (webhookId === id ? 500 : 204));
    for (let hours = 0; hours < 5 * 24; hours += 20) {
      await ask();
      fail();
      assert.equal((await svc.webhooks.retrieve(id)).status, 'enabled', `after ${hours} hours`);
      server.clock.advance(20 * hour);
    }
    const { id: waiting } = await ask();
    fail();
    const { status, disabledReason, failingSince } = await svc.webhooks.retrieve(id);
    assert.deepEqual([status, disabledReason, failingSince], ['disabled', 'failing', start]);
    const told = server.listDeliveries().at(-1);
    assert.deepEqual([told?.webhookId, told?.event.data.reason], [other.id, 'failing']);
    const last = server.listDeliveries().find(({ event }) => event.data.dsrId === waiting);
    assert.deepEqual([last?.status, last?.reason], ['dead', 'endpoint_disabled'], 'an earlier one had ended it');
  });

  test('count a day without failures as the beginning of another time', async () => {
    const { id } = await addWebhook({ retrySchedule: [60] });
    await ask();
    server.deliver(500);
    server.clock.advance(6 * 24 * hour);
    await ask();
    server.deliver(500);
    const { status, failingSince } = await svc.webhooks.retrieve(id);
    assert.deepEqual([status, failingSince], ['enabled', later(6 * 24 * hour)]);
  });

  test('whose 24 hours are over are dead letters without another attempt', async () => {
    const { id } = await addWebhook();
    await ask();
    server.deliver(500);
    await svc.webhooks.update(id, { status: 'paused' });
    server.clock.advance(24 * hour + 1);
    await svc.webhooks.update(id, { status: 'enabled' });
    assert.deepEqual(server.deliver(), []);
    const [dead] = server.listDeliveries();
    assert.deepEqual([dead?.status, dead?.reason, dead?.attemptCount], ['dead', 'http_error', 1]);
    assert.equal(await eventOf(dead?.id ?? ''), dead?.eventId);
  });

  test('tell that a webhook has recovered also where it was paused and enabled meanwhile', async () => {
    const { id } = await addWebhook();
    await addOther(['webhook.endpoint_recovered']);
    await ask();
    for (const advance of [5000, 25_000, 90_000, 6 * minute, 12 * minute]) {
      server.deliver(500);
      server.clock.advance(advance);
    }
    server.deliver(500);
    await svc.webhooks.update(id, { status: 'paused' });
    assert.equal((await svc.webhooks.update(id, { status: 'enabled' })).failingSince, null);
    server.deliver();
    const told = server.listDeliveries().at(-1);
    assert.deepEqual([told?.eventType, told?.event.data.failingSince], ['webhook.endpoint_recovered', start]);
  });
});

test('retries come when those of the server come, without its chance', () => {
  const offsets = fc
    .uniqueArray(fc.integer({ min: 1, max: 20 * 3600 }), { minLength: 1, maxLength: 20 })
    .map((list) => list.toSorted((one, other) => one - other));
  const failed = fc.record({
    retrySchedule: fc.option(offsets),
    attempts: fc.integer({ min: 1, max: 21 }),
    passed: fc.oneof(fc.integer({ min: 0, max: 23 * hour }), fc.integer({ min: 0, max: 25 * hour })),
    retryAfter: fc.option(fc.integer({ min: 0, max: 48 * 3600 })),
  });
  fc.assert(
    fc.property(failed, ({ retrySchedule, attempts, passed, retryAfter }) => {
      const given = { attempts, firstAttemptAt: start, now: later(passed) };
      const found = planRetry({ ...given, retrySchedule, retryAfter });
      const expected = planReally(
        {
          ...given,
          ...(retrySchedule !== null && { offsets: [0, ...retrySchedule.map((seconds) => seconds * 1000)] }),
          retryAfter: retryAfter === null ? null : retryAfter * 1000,
        },
        0.5,
      );
      assert.equal(found === null, expected === null);
      assert.equal(isWithinWindow(start, given.now), realWindow(start, given.now));
      if (found === null || expected === null) return;
      // A tenth later than asked for, and minutes before the end of the 24 hours: that is the chance.
      const asked = retryAfter === null ? 0 : retryAfter * 1000;
      const span = Math.abs(Date.parse(found) - Date.parse(expected));
      const isNearEnd = Date.parse(found) > Date.parse(later(23 * hour));
      assert.ok(span <= asked / 20 || (isNearEnd && span <= 90 * minute), `${found} ${expected}`);
    }),
  );
});
