import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watch } from '../accounts/identity/membership-helpers.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
  unknownId,
} from '../consent/helpers.ts';
import { day, PrivacyClient, shift } from './requests.ts';

describeServer('POST /v1/dsr/{id}/extend', (server) => {
  const createClient = async () => new PrivacyClient(server, await createFreshTenant(server));

  test('makes thirty days ninety, and says since when and why', async () => {
    const client = await createClient();
    const dsr = await client.opened();
    server.clock.advance(day);
    const extended = payload(await client.extend(dsr.id, ' Many systems. '), 200);
    assert.deepEqual(extended, {
      ...dsr,
      dueAt: shift(dsr.receivedAt, 90 * day),
      extendedAt: server.clock.now(),
      extensionReason: 'Many systems.',
      updatedAt: server.clock.now(),
    });
    assert.deepEqual(await client.read('dsr', dsr.id), extended);
  });

  test('makes the period three times as long, up to ninety days after the receipt', async () => {
    const client = await createClient();
    for (const [days, whole] of [
      [1, 3],
      [10, 30],
      [29, 87],
      [31, 90],
      [45, 90],
      [89, 90],
    ] as const) {
      await client.chooseDays(days);
      const { id, receivedAt } = await client.opened();
      assert.equal(payload(await client.extend(id), 200).dueAt, shift(receivedAt, whole * day));
    }
  });

  test('goes by the period that the request got, not by what the tenant chose since', async () => {
    const client = await createClient();
    const { id, receivedAt } = await client.opened();
    await client.chooseDays(5);
    assert.equal(payload(await client.extend(id), 200).dueAt, shift(receivedAt, 90 * day));
  });

  test('is possible until the period ends, to the millisecond', async () => {
    const client = await createClient();
    await client.chooseDays(1);
    const [one, other] = [await client.opened(), await client.opened()];
    server.clock.advance(day);
    payload(await client.extend(one.id), 200);
    server.clock.advance(1);
    await assertNothingWritten(server, async () =>
      assertProblem(await client.extend(other.id), '409 dsr_extension_not_allowed'),
    );
    assert.equal((await client.read('dsr', one.id)).isOverdue, false);
    server.clock.advance(2 * day);
    assert.equal((await client.read('dsr', one.id)).isOverdue, true);
  });

  test('is possible once; the same again changes nothing, even later', async () => {
    const client = await createClient();
    const { id } = await client.opened();
    const first = payload(await client.extend(id, 'Because.'), 200);
    server.clock.advance(day);
    await assertNothingWritten(server, async () => {
      assert.deepEqual(payload(await client.extend(id, 'Because.'), 200), first);
      assertProblem(await client.extend(id, 'Another reason.'), '409 dsr_extension_not_allowed');
    });
  });

  test('is refused where the period is the longest already, and where the request is completed', async () => {
    const client = await createClient();
    const completed = await client.opened();
    payload(await client.extend(completed.id, 'Because.'), 200);
    payload(await client.complete(completed.id), 200);
    await client.chooseDays(90);
    const longest = await client.opened();
    await assertNothingWritten(server, async () => {
      assertProblem(await client.extend(longest.id), '409 dsr_extension_not_allowed');
      assertProblem(await client.extend(completed.id, 'Because.'), '409 dsr_already_completed');
    });
  });

  test('happens once when two ask at once', async () => {
    const client = await createClient();
    const { id } = await client.opened();
    const { result, actions } = await watch(server, client.tenant.id, () =>
      Promise.all([client.extend(id, 'One.'), client.extend(id, 'Other.')]),
    );
    assert.deepEqual(result.map(({ status }) => status).sort(), [200, 409]);
    assert.deepEqual(actions, ['dsr.extended']);
  });

  test('audits the due dates without the reason, and emits nothing', async () => {
    const client = await createClient();
    const { id, dueAt } = await client.opened();
    const { result, events, webhooks } = await watch(server, client.tenant.id, () => client.extend(id));
    const { states, ...diff } = events[0].diff;
    assert.deepEqual(diff, { dueAt: { before: dueAt, after: payload(result, 200).dueAt } });
    const { action, module, targetId, targetRef, reason } = events[0];
    assert.deepEqual(
      { count: events.length, action, module, targetId, targetRef, reason },
      { count: 1, action: 'dsr.extended', module: 'privacy', targetId: id, targetRef: null, reason: null },
    );
    assert.deepEqual(webhooks, []);
  });

  test('needs a reason, and a request', async () => {
    const client = await createClient();
    const { id } = await client.opened();
    const path = `/v1/dsr/${id}/extend`;
    await assertBodiesRefused(server, (body) => client.send('POST', path, body as object), [
      [{}, 'body.reason'],
      [{ reason: '' }, 'body.reason'],
      [{ reason: '\u200b' }, 'body.reason'],
      [{ reason: null }, 'body.reason'],
      [{ reason: 'x'.repeat(2001) }, 'body.reason'],
      [{ reason: 'x', days: 10 }, 'body.days'],
    ]);
    assertProblem(await client.extend(unknownId), '404 not_found');
    assertProblem(await client.extend('nonsense'), '422 validation_failed', ['path.id']);
    assert.equal(payload(await client.extend(id, 'x'.repeat(2000)), 200).extensionReason.length, 2000);
  });
});
