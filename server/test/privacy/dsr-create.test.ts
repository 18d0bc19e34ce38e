import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dsrChannels, dsrTypes } from '../../privacy/dsr.ts';
import { watch } from '../accounts/identity/membership-helpers.ts';
import { assertBodiesRefused, createFreshTenant, describeServer, payload } from '../consent/helpers.ts';
import { day, hour, PrivacyClient, shift } from './requests.ts';

describeServer('POST /v1/dsr', (server) => {
  const createClient = async () => new PrivacyClient(server, await createFreshTenant(server));

  test('opens a request that came now, due in thirty days', async () => {
    const client = await createClient();
    const now = server.clock.now();
    const dsr = await client.opened({ subjectId: 'subject-1', type: 'erasure' });
    assert.match(dsr.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual(dsr, {
      id: dsr.id,
      subjectId: 'subject-1',
      type: 'erasure',
      channel: null,
      notes: null,
      status: 'open',
      receivedAt: now,
      dueAt: shift(now, 30 * day),
      isOverdue: false,
      extendedAt: null,
      extensionReason: null,
      outcome: null,
      reason: null,
      completedAt: null,
      assigneeUserId: null,
      identityCheck: null,
      source: 'api',
      requesterEmail: null,
      requesterName: null,
      message: null,
      confirmedAt: null,
      createdAt: now,
      erasedAt: null,
      updatedAt: now,
    });
    assert.deepEqual(await client.read('dsr', dsr.id), dsr);
  });

  test('takes every type and every channel', async () => {
    const client = await createClient();
    for (const type of dsrTypes) assert.equal((await client.opened({ type })).type, type);
    for (const channel of dsrChannels) assert.equal((await client.opened({ channel })).channel, channel);
  });

  test('counts from receivedAt in any offset, so a new request can be overdue', async () => {
    const client = await createClient();
    const receivedAt = shift(server.clock.now(), -31 * day);
    const dsr = await client.opened({ receivedAt: shift(receivedAt, 2 * hour).replace('Z', '+02:00') });
    assert.deepEqual([dsr.receivedAt, dsr.dueAt, dsr.isOverdue], [receivedAt, shift(receivedAt, 30 * day), true]);
    assert.equal(dsr.createdAt, server.clock.now());
  });

  test('takes a receipt that is now, and none that is a millisecond later', async () => {
    const client = await createClient();
    const now = server.clock.now();
    assert.equal((await client.opened({ receivedAt: now })).receivedAt, now);
    await assertBodiesRefused(server, (body) => client.open(body as object), [
      [{ receivedAt: shift(now, 1) }, 'body.receivedAt'],
    ]);
  });

  test('follows the period that the tenant chose, which moves no due date that was given before', async () => {
    const [client, other] = [await createClient(), await createClient()];
    const first = await client.opened();
    const dueDays = async (days: number) => {
      await client.chooseDays(days);
      const { receivedAt, dueAt } = await client.opened();
      return (Date.parse(dueAt) - Date.parse(receivedAt)) / day;
    };
    for (const days of [1, 45, 90]) assert.equal(await dueDays(days), days);
    assert.equal((await client.read('dsr', first.id)).dueAt, shift(first.receivedAt, 30 * day));
    assert.equal((await other.opened()).dueAt, shift(server.clock.now(), 30 * day));
  });

  test('is overdue a millisecond after the due date, as one and in the list', async () => {
    const client = await createClient();
    await client.chooseDays(1);
    const { id } = await client.opened();
    const look = async () => [
      (await client.read('dsr', id)).isOverdue,
      payload(await client.list('dsr'), 200).items[0].isOverdue,
    ];
    server.clock.advance(day);
    assert.deepEqual(await look(), [false, false]);
    server.clock.advance(1);
    assert.deepEqual(await look(), [true, true]);
    payload(await client.complete(id), 200);
    assert.deepEqual(await look(), [false, false]);
  });

  test('keeps who asked as they are written, and what was noted', async () => {
    const client = await createClient();
    for (const subjectId of [' spaces ', 'Ünï©ode \u{1F600}', '"quotes"', 'x'.repeat(256), '\uFFFD'])
      assert.equal((await client.opened({ subjectId })).subjectId, subjectId);
    const notes = 'n'.repeat(5000);
    assert.equal((await client.opened({ notes })).notes, notes);
    assert.equal((await client.opened({ notes: ' by letter\n' })).notes, 'by letter');
  });

  test('audits and emits the request; only webhooks get the subject id', async () => {
    const client = await createClient();
    const { result, events, webhooks } = await watch(server, client.tenant.id, () =>
      client.opened({ subjectId: 'subject-7', type: 'portability', channel: 'letter', notes: 'Wrote twice.' }),
    );
    const { id, receivedAt, dueAt } = result;
    const [event] = events;
    const { states, ...diff } = event.diff;
    assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(diff, { type: 'portability', receivedAt, dueAt, source: 'api' });
    const { action, module, targetId, targetRef, reason, actorType } = event;
    assert.deepEqual(
      { count: events.length, action, module, targetId, targetRef, reason, actorType },
      {
        count: 1,
        action: 'dsr.created',
        module: 'privacy',
        targetId: id,
        targetRef: null,
        reason: null,
        actorType: 'api_key',
      },
    );
    const data = { dsrId: id, subjectId: 'subject-7', type: 'portability', dueAt };
    assert.deepEqual(webhooks, [{ type: 'dsr.created', data, createdAt: server.clock.now() }]);
  });

  test('opens one request for one Idempotency-Key', async () => {
    const client = await createClient();
    const send = () =>
      client.send(
        'POST',
        '/v1/dsr',
        { subjectId: 's', type: 'access' },
        { headers: { 'Idempotency-Key': 'request-0001' } },
      );
    const [first, again] = [await send(), await send()];
    assert.equal(again.text, first.text);
    assert.equal(payload(await client.list('dsr'), 200).items.length, 1);
  });

  test('refuses what is no request by name, and writes nothing', async () => {
    const client = await createClient();
    await assertBodiesRefused(server, (body) => client.send('POST', '/v1/dsr', body as object), [
      [{}, 'body.subjectId', 'body.type'],
      [{ subjectId: '', type: 'access' }, 'body.subjectId'],
      [{ subjectId: 'x'.repeat(257), type: 'access' }, 'body.subjectId'],
      [{ subjectId: 7, type: 'access' }, 'body.subjectId'],
      [{ subjectId: 'a\0', type: 'access' }, 'body.subjectId'],
      [{ subjectId: 's', type: 'Access' }, 'body.type'],
      [{ subjectId: 's', type: 'access', channel: 'fax' }, 'body.channel'],
      [{ subjectId: 's', type: 'access', channel: null }, 'body.channel'],
      [{ subjectId: 's', type: 'access', notes: ' ' }, 'body.notes'],
      [{ subjectId: 's', type: 'access', notes: 'n'.repeat(5001) }, 'body.notes'],
      [{ subjectId: 's', type: 'access', receivedAt: '2026-11-20' }, 'body.receivedAt'],
      [{ subjectId: 's', type: 'access', dueAt: '2027-01-01T00:00:00Z' }, 'body.dueAt'],
      [{ subjectId: 's', type: 'access', status: 'completed' }, 'body.status'],
    ]);
  });
});
