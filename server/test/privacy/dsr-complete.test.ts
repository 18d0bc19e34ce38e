import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DsrOutcome } from '../../privacy/dsr.ts';
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
import { day, PrivacyClient } from './requests.ts';

describeServer('POST /v1/dsr/{id}/complete', (server) => {
  const createClient = async () => new PrivacyClient(server, await createFreshTenant(server));

  test('completes a request with its outcome', async () => {
    const client = await createClient();
    for (const outcome of DsrOutcome.options) {
      const dsr = await client.opened();
      server.clock.advance(1);
      const reason = outcome === 'fulfilled' ? null : 'We have nothing of yours.';
      const completed = payload(await client.complete(dsr.id, { outcome, ...(reason && { reason }) }), 200);
      const now = server.clock.now();
      assert.deepEqual(completed, { ...dsr, status: 'completed', outcome, reason, completedAt: now, updatedAt: now });
      assert.deepEqual(await client.read('dsr', dsr.id), completed);
    }
  });

  test('takes a request that is overdue or extended, and a reason for one that is fulfilled', async () => {
    const client = await createClient();
    const { id } = await client.opened();
    const { dueAt, extendedAt } = payload(await client.extend(id), 200);
    server.clock.advance(91 * day);
    const completed = payload(await client.complete(id, { outcome: 'fulfilled', reason: ' Sent by post. ' }), 200);
    assert.deepEqual(
      [completed.reason, completed.dueAt, completed.extendedAt, completed.isOverdue],
      ['Sent by post.', dueAt, extendedAt, false],
    );
  });

  test('needs a reason unless the request is fulfilled', async () => {
    const client = await createClient();
    const { id } = await client.opened();
    await assertBodiesRefused(server, (body) => client.complete(id, body as object), [
      [{ outcome: 'rejected' }, 'body.reason'],
      [{ outcome: 'partially_fulfilled' }, 'body.reason'],
      [{ outcome: 'rejected', reason: ' ' }, 'body.reason'],
      [{ outcome: 'rejected', reason: 'x'.repeat(2001) }, 'body.reason'],
      [{ outcome: 'fulfilled', reason: null }, 'body.reason'],
      [{ outcome: 'done' }, 'body.outcome'],
      [{}, 'body.outcome'],
      [{ outcome: 'fulfilled', completedAt: server.clock.now() }, 'body.completedAt'],
    ]);
    assert.equal((await client.read('dsr', id)).status, 'open');
  });

  test('emits exactly who asked for what, and what came of it', async () => {
    const client = await createClient();
    const { id } = await client.opened({ subjectId: 'subject-9', type: 'access', notes: 'Wrote twice.' });
    server.clock.advance(1);
    const { webhooks } = await watch(server, client.tenant.id, () => client.complete(id));
    const data = { dsrId: id, subjectId: 'subject-9', type: 'access', outcome: 'fulfilled' };
    assert.deepEqual(webhooks, [{ type: 'dsr.completed', data, createdAt: server.clock.now() }]);
  });

  test('audits the outcome and the time, without the reason', async () => {
    const client = await createClient();
    const { id } = await client.opened();
    const { events } = await watch(server, client.tenant.id, () =>
      client.complete(id, { outcome: 'rejected', reason: 'Not who they say they are.' }),
    );
    const { diff, action, module, targetId, targetRef, reason } = events[0];
    const { states, ...rest } = diff;
    assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(
      { count: events.length, rest, action, module, targetId, targetRef, reason },
      {
        count: 1,
        rest: {
          status: { before: 'open', after: 'completed' },
          outcome: 'rejected',
          completedAt: server.clock.now(),
        },
        action: 'dsr.completed',
        module: 'privacy',
        targetId: id,
        targetRef: null,
        reason: null,
      },
    );
  });

  test('answers the same again without writing anything, and refuses another outcome or reason', async () => {
    const client = await createClient();
    const { id } = await client.opened();
    const first = payload(await client.complete(id, { outcome: 'rejected', reason: 'Because.' }), 200);
    server.clock.advance(100 * day);
    await assertNothingWritten(server, async () => {
      const again = { outcome: 'rejected', reason: ' Because. ' };
      assert.deepEqual(payload(await client.complete(id, again), 200), first);
      for (const other of [
        { outcome: 'fulfilled' },
        { outcome: 'fulfilled', reason: 'Because.' },
        { outcome: 'rejected', reason: 'Because' },
      ])
        assertProblem(await client.complete(id, other), '409 dsr_already_completed');
    });
    const without = await client.opened();
    payload(await client.complete(without.id), 200);
    payload(await client.complete(without.id), 200);
    assertProblem(
      await client.complete(without.id, { outcome: 'fulfilled', reason: 'Sent.' }),
      '409 dsr_already_completed',
    );
  });

  test('happens once when several ask at once', async () => {
    const client = await createClient();
    const { id } = await client.opened();
    const bodies = [
      { outcome: 'fulfilled' },
      { outcome: 'fulfilled' },
      { outcome: 'rejected', reason: 'Because.' },
      { outcome: 'partially_fulfilled', reason: 'Because.' },
    ];
    const { result, webhooks, actions } = await watch(server, client.tenant.id, () =>
      Promise.all(bodies.map((body) => client.complete(id, body))),
    );
    const { outcome } = await client.read('dsr', id);
    const expected = bodies.map((body) => (body.outcome === outcome ? 200 : 409));
    assert.deepEqual(
      result.map(({ status }) => status),
      expected,
    );
    assert.deepEqual(actions, ['dsr.completed']);
    assert.deepEqual(
      webhooks.map(({ type, data }) => [type, data.outcome]),
      [['dsr.completed', outcome]],
    );
  });

  test('finds no request under another id', async () => {
    const client = await createClient();
    await client.opened();
    assertProblem(await client.complete(unknownId), '404 not_found');
    assertProblem(await client.complete('nonsense'), '422 validation_failed', ['path.id']);
    assertProblem(await client.send('GET', `/v1/dsr/${unknownId}`), '404 not_found');
  });
});
