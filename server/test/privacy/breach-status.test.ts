import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { applyChange, BreachStatus, type BreachView, breachMoves, notificationDue } from '../../privacy/breach.ts';
import { watch } from '../accounts/identity/membership-helpers.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
} from '../consent/helpers.ts';
import { hour, PrivacyClient } from './requests.ts';

/** Allowed changes, as a second copy of the rule. */
const moves = ['open contained', 'open closed', 'contained closed', 'closed open'];
const withReason = { notificationReason: 'No risk.' };

describeServer('the status of a breach', (server) => {
  const createClient = async () => new PrivacyClient(server, await createFreshTenant(server));
  const reach = async (client: PrivacyClient, status: string) => {
    const { id } = await client.reported();
    return payload(await client.edit(id, { status, ...withReason }), 200);
  };

  test('moves as the table says and no other way; a refusal names what is allowed', async () => {
    const client = await createClient();
    for (const from of BreachStatus.options) {
      for (const to of BreachStatus.options.filter((status) => status !== from)) {
        const breach = await reach(client, from);
        if (moves.includes(`${from} ${to}`)) {
          assert.equal(payload(await client.edit(breach.id, { status: to }), 200).status, to);
          continue;
        }
        await assertNothingWritten(server, async () => {
          const response = await client.edit(breach.id, { status: to, title: 'Not written' });
          assertProblem(response, '409 breach_transition_not_allowed');
          const { error } = response.body;
          assert.deepEqual([error.from, error.to, error.allowed], [from, to, breachMoves[from]]);
        });
      }
    }
  });

  test('is closed since when it was closed, until it is opened again', async () => {
    const client = await createClient();
    const { id } = await reach(client, 'open');
    server.clock.advance(hour);
    const closedAt = server.clock.now();
    assert.equal(payload(await client.edit(id, { status: 'closed' }), 200).closedAt, closedAt);
    server.clock.advance(hour);
    const edited = payload(await client.edit(id, { status: 'closed', title: 'Edited when closed' }), 200);
    assert.deepEqual([edited.closedAt, edited.title], [closedAt, 'Edited when closed']);
    const reopened = payload(await client.edit(id, { status: 'open' }), 200);
    assert.deepEqual([reopened.status, reopened.closedAt], ['open', null]);
    payload(await client.edit(id, { status: 'contained' }), 200);
    server.clock.advance(hour);
    assert.equal(payload(await client.edit(id, { status: 'closed' }), 200).closedAt, server.clock.now());
  });

  test('is closed only if the authority was notified, or with a reason', async () => {
    const client = await createClient();
    const { id } = await client.reported();
    const now = server.clock.now();
    await assertBodiesRefused(server, (body) => client.edit(id, body as object), [
      [{ status: 'closed' }, 'body.notificationReason'],
      [{ status: 'closed', subjectsNotifiedAt: now }, 'body.notificationReason'],
    ]);
    payload(await client.edit(id, { status: 'closed', authorityNotifiedAt: now }), 200);
    await assertBodiesRefused(server, (body) => client.edit(id, body as object), [
      [{ authorityNotifiedAt: null }, 'body.notificationReason'],
    ]);
    payload(await client.edit(id, { authorityNotifiedAt: null, ...withReason }), 200);
    await assertBodiesRefused(server, (body) => client.edit(id, body as object), [
      [{ notificationReason: null }, 'body.notificationReason'],
    ]);
    payload(await client.edit(id, { status: 'open', notificationReason: null }), 200);
  });

  test('moves once when several move it at once', async () => {
    const client = await createClient();
    const { id } = await reach(client, 'open');
    const { result, webhooks } = await watch(server, client.tenant.id, () =>
      Promise.all([1, 2, 3].map(() => client.edit(id, { status: 'closed' }))),
    );
    for (const response of result) assert.equal(payload(response, 200).status, 'closed');
    assert.equal(webhooks.length, 1);
  });
});

describe('an incident after any edits', () => {
  const times = ['2026-11-20T00:00:00.000Z', '2026-11-22T00:00:00.000Z', '2026-11-25T00:00:00.000Z'];
  const [discoveredAt, , now] = ['2026-11-21T00:00:00.000Z', '', '2026-11-24T12:00:00.000Z'] as const;
  const time = fc.option(fc.constantFrom(...times, discoveredAt, now, '2026-11-24T00:00:00.001Z'));
  const change = fc.record(
    {
      status: fc.constantFrom(...BreachStatus.options),
      authorityNotifiedAt: time,
      subjectsNotifiedAt: time,
      notificationReason: fc.option(fc.constant('Reason')),
      title: fc.constantFrom('One', 'Other'),
    },
    { requiredKeys: [] },
  );

  test('is closed with a notification or a reason, notified late with a reason, and closed since a time', () => {
    let breach: BreachView = {
      id: 'id',
      title: 'One',
      description: 'Description',
      severity: 'low',
      status: 'open',
      affectedSubjects: null,
      dataCategories: [],
      discoveredAt,
      notificationDueAt: notificationDue(discoveredAt),
      isNotificationOverdue: true,
      authorityNotifiedAt: null,
      subjectsNotifiedAt: null,
      notificationReason: null,
      closedAt: null,
      erasedAt: null,
      createdAt: discoveredAt,
      updatedAt: discoveredAt,
    };
    const reached = new Set<string>();
    fc.assert(
      fc.property(change, (wanted) => {
        const before = breach;
        try {
          breach = applyChange(before, wanted, now);
        } catch {
          return;
        }
        const { status, authorityNotifiedAt, notificationReason, closedAt, subjectsNotifiedAt } = breach;
        reached.add(status);
        assert.ok(before.status === status || moves.includes(`${before.status} ${status}`));
        assert.equal(closedAt !== null, status === 'closed');
        assert.ok(status !== 'closed' || authorityNotifiedAt !== null || notificationReason !== null);
        assert.ok((authorityNotifiedAt ?? '') <= '2026-11-24T00:00:00.000Z' || notificationReason !== null);
        for (const at of [authorityNotifiedAt, subjectsNotifiedAt])
          assert.ok(at === null || (at >= discoveredAt && at <= now));
      }),
      { numRuns: 2000 },
    );
    assert.deepEqual([...reached].sort(), [...BreachStatus.options].sort());
  });
});
