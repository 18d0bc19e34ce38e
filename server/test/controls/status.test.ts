import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { changeMembers } from '../../accounts/members/membership.ts';
import { controlStatuses } from '../../controls/status.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { runTransaction } from '../../storage/database.ts';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { testWithClient } from '../svc.ts';
import { base, ControlClient, openTenant, payload } from './helpers.ts';
import { ownControl } from './samples.ts';

const day = 24 * 60 * 60_000;

/** Where a control may go, as it was decided; the code has its own table. */
const allowed: Readonly<Record<string, string>> = {
  not_started: 'in_progress evidence_requested evidence_submitted implemented not_applicable excepted',
  in_progress: 'not_started evidence_requested evidence_submitted implemented not_applicable excepted',
  evidence_requested: 'in_progress evidence_submitted not_applicable excepted',
  overdue: 'in_progress evidence_requested evidence_submitted not_applicable excepted',
  evidence_submitted: 'accepted needs_review evidence_requested in_progress',
  implemented: 'accepted needs_review evidence_requested evidence_submitted in_progress not_applicable excepted',
  needs_review: 'in_progress evidence_requested evidence_submitted implemented accepted not_applicable excepted',
  accepted: 'needs_review evidence_requested in_progress not_applicable excepted',
  not_applicable: 'not_started in_progress',
  excepted: 'in_progress evidence_requested implemented needs_review',
};

/** How a new control with evidence comes to each status. */
const ways: Readonly<Record<string, readonly string[]>> = {
  not_started: [],
  in_progress: ['in_progress'],
  evidence_requested: ['evidence_requested'],
  overdue: ['evidence_requested'],
  evidence_submitted: ['evidence_submitted'],
  implemented: ['implemented'],
  needs_review: ['implemented', 'needs_review'],
  accepted: ['evidence_submitted', 'accepted'],
  not_applicable: ['not_applicable'],
  excepted: ['excepted'],
};

describeServer('the status of a control', (server) => {
  const testWith = testWithClient(server, ControlClient);
  const inDays = (days: number) => new Date(server.clock.milliseconds() + days * day).toISOString();
  /** A move with all that it needs. */
  const move = (status: string) => ({
    status,
    ...(['excepted', 'not_applicable'].includes(status) && { reason: 'There is one' }),
    ...(status === 'excepted' && { exceptionEndsAt: inDays(30) }),
    ...(status === 'evidence_requested' && { evidenceDueAt: inDays(7) }),
  });
  const createAt = async (client: ControlClient, status: string) => {
    const id = await client.create({ cadence: 'event_driven' });
    payload(await client.addEvidence(id), 201);
    for (const next of ways[status] ?? []) payload(await client.edit(id, move(next)));
    if (status === 'overdue') server.clock.advance(7 * day + 1);
    assert.equal((await client.get(id)).status, status);
    return id;
  };

  for (const from of controlStatuses) {
    testWith(`changes from ${from} as the table allows, and to nothing else`, async (client) => {
      assertInvalid(await client.edit(await createAt(client, from), { status: 'overdue' }), 'body.status');
      for (const to of controlStatuses.filter((status) => status !== 'overdue')) {
        const id = await createAt(client, from);
        const before = await client.get(id);
        assert.equal(before.allowedStatuses.join(' '), allowed[from]);
        if (to === from && (to === 'implemented' || to === 'accepted')) {
          // Another review.
          assert.equal(payload(await client.edit(id, { status: to })).status, to);
        } else if (to === from) {
          await client.assertNothingWritten(async () => payload(await client.edit(id, { status: to })));
        } else if (allowed[from]?.split(' ').includes(to)) {
          assert.equal(payload(await client.edit(id, move(to))).status, to);
          assert.equal((await client.get(id)).status, to);
        } else {
          await client.assertNothingWritten(async () => {
            const error = assertProblem(await client.edit(id, move(to)), 'control_transition_not_allowed');
            assert.deepEqual([error.from, error.to, error.allowed.join(' ')], [from, to, allowed[from]]);
          });
        }
      }
    });
  }
});

describeServer('what a status requires', (server) => {
  const at = (milliseconds: number) => new Date(server.clock.milliseconds() + milliseconds).toISOString();
  const begin = async (change: object = {}) => {
    const client = await openTenant(server);
    return { client, id: await client.create(change) };
  };
  const refused = (client: ControlClient, step: () => Promise<void>) => client.assertNothingWritten(step);

  test('valid evidence, for evidence_submitted', async () => {
    const { client, id } = await begin();
    const submit = () => client.edit(id, { status: 'evidence_submitted' });
    await refused(client, async () => void assertProblem(await submit(), 'control_evidence_missing'));
    payload(await client.addEvidence(id, { expiresAt: at(-1) }), 201);
    const item = payload(await client.addEvidence(id), 201);
    payload(await client.withdraw(id, item.id));
    await refused(client, async () => void assertProblem(await submit(), 'control_evidence_missing'));
    payload(await client.addEvidence(id, { expiresAt: at(1) }), 201);
    assert.equal(payload(await submit()).status, 'evidence_submitted');
  });

  test('evidence that is still valid, for accepted', async () => {
    const { client, id } = await begin();
    payload(await client.addEvidence(id, { expiresAt: at(day) }), 201);
    payload(await client.edit(id, { status: 'evidence_submitted' }));
    server.clock.advance(day);
    await refused(
      client,
      async () => void assertProblem(await client.edit(id, { status: 'accepted' }), 'control_evidence_missing'),
    );
    payload(await client.addEvidence(id), 201);
    assert.equal(payload(await client.edit(id, { status: 'accepted' })).status, 'accepted');
  });

  test('no test whose latest result is fail, for accepted', async () => {
    const { client, id } = await begin();
    payload(await client.addEvidence(id), 201);
    payload(await client.edit(id, { status: 'evidence_submitted' }));
    const { id: testId } = payload(await client.addTest(id), 201);
    const accept = () => client.edit(id, { status: 'accepted' });
    payload(await client.record(id, testId, { status: 'fail' }), 201);
    await refused(client, async () => void assertProblem(await accept(), 'control_test_failing'));
    server.clock.advance(1);
    payload(await client.record(id, testId, { status: 'warning' }), 201);
    assert.equal(payload(await accept()).status, 'accepted');
  });

  test('a reason, for not_applicable and excepted, removed with the status', async () => {
    const { client, id } = await begin();
    await refused(client, async () => {
      assertInvalid(await client.edit(id, { status: 'not_applicable' }), 'body.reason');
      assertInvalid(await client.edit(id, { status: 'excepted' }), 'body.reason', 'body.exceptionEndsAt');
    });
    const control = payload(await client.edit(id, { status: 'not_applicable', reason: 'We have no office' }));
    assert.equal(control.reason, 'We have no office');
    assert.equal(payload(await client.edit(id, { reason: 'There is no office' })).reason, 'There is no office');
    assert.equal(payload(await client.edit(id, { status: 'in_progress', reason: 'We rented one' })).reason, null);
  });

  test('an end within two years, for excepted', async () => {
    const { client, id } = await begin();
    const except = (exceptionEndsAt?: string) =>
      client.edit(id, { status: 'excepted', reason: 'Being rebuilt', ...(exceptionEndsAt && { exceptionEndsAt }) });
    const last = `${Number(at(0).slice(0, 4)) + 2}${at(0).slice(4)}`;
    await refused(client, async () => {
      assertInvalid(await except(), 'body.exceptionEndsAt');
      assertInvalid(await except(at(0)), 'body.exceptionEndsAt');
      assertInvalid(await except(new Date(Date.parse(last) + 1).toISOString()), 'body.exceptionEndsAt');
    });
    assert.equal(payload(await except(last)).exceptionEndsAt, last);
    assert.equal(payload(await client.edit(id, { exceptionEndsAt: at(1) })).nextReviewAt, at(1));
    server.clock.advance(1);
    assert.equal((await client.get(id)).status, 'needs_review');
    // An expired exception is not prolonged by its date only.
    await refused(
      client,
      async () => void assertInvalid(await client.edit(id, { exceptionEndsAt: at(day) }), 'body.exceptionEndsAt'),
    );
    assert.equal(payload(await except(at(day))).status, 'excepted');
    assert.equal(payload(await client.edit(id, { status: 'in_progress' })).exceptionEndsAt, null);
  });

  test('a due date in the future, for evidence_requested: 30 days by default', async () => {
    const { client, id } = await begin();
    const ask = (change: object = {}) => client.edit(id, { status: 'evidence_requested', ...change });
    await refused(client, async () => void assertInvalid(await ask({ evidenceDueAt: at(0) }), 'body.evidenceDueAt'));
    assert.equal(payload(await ask()).evidenceDueAt, at(30 * day));
    assert.equal(payload(await client.edit(id, { evidenceDueAt: at(1) })).evidenceDueAt, at(1));
    server.clock.advance(1);
    assert.equal((await client.get(id)).status, 'evidence_requested');
    server.clock.advance(1);
    assert.equal((await client.get(id)).status, 'overdue');
    await refused(client, async () => {
      assertInvalid(await ask(), 'body.evidenceDueAt');
      assertInvalid(await client.edit(id, { evidenceDueAt: at(day) }), 'body.evidenceDueAt');
    });
    assert.equal(payload(await ask({ evidenceDueAt: at(day) })).status, 'evidence_requested');
    assert.equal(payload(await client.edit(id, { status: 'in_progress' })).evidenceDueAt, null);
  });

  test('no field of another status', async () => {
    const { client, id } = await begin();
    await refused(client, async () => {
      for (const change of [{ status: 'in_progress' }, { status: 'implemented' }, { cadence: 'annual' }, {}]) {
        assertInvalid(await client.edit(id, { ...change, exceptionEndsAt: at(day) }), 'body.exceptionEndsAt');
        assertInvalid(await client.edit(id, { ...change, evidenceDueAt: at(day) }), 'body.evidenceDueAt');
      }
      assertInvalid(await client.edit(id, { cadence: 'annual', reason: 'Why' }), 'body.reason');
      assertInvalid(await client.edit(id, {}), 'body');
    });
  });

  test('another review after the review date has passed', async () => {
    const { client, id } = await begin({ cadence: 'monthly' });
    payload(await client.edit(id, { status: 'implemented' }));
    const { reviewedAt, nextReviewAt } = await client.get(id);
    assert.equal(reviewedAt, at(0));
    server.clock.advance(Date.parse(nextReviewAt) - server.clock.milliseconds() - 1);
    assert.equal((await client.get(id)).status, 'implemented');
    server.clock.advance(1);
    assert.equal((await client.get(id)).status, 'needs_review');
    const renewed = payload(await client.edit(id, { status: 'implemented' }));
    assert.deepEqual([renewed.status, renewed.reviewedAt], ['implemented', at(0)]);
    assert.ok(renewed.nextReviewAt > nextReviewAt);
  });
});

describeServer('an accepted control', (server) => {
  const at = (milliseconds: number) => new Date(server.clock.milliseconds() + milliseconds).toISOString();
  const begin = async (change: object = {}, evidence: object = {}) => {
    const client = await openTenant(server);
    const id = await client.create({ cadence: 'annual', ...change });
    payload(await client.addEvidence(id, { collectedAt: at(0), ...evidence }), 201);
    payload(await client.edit(id, { status: 'evidence_submitted' }));
    const { id: testId } = payload(await client.addTest(id), 201);
    const accept = (more: object = {}) => client.edit(id, { status: 'accepted', ...more });
    const readStatus = async () => (await client.get(id)).status;
    return { client, id, testId, accept, readStatus };
  };

  test('requires evidence that is current by the new cadence', async () => {
    const { client, accept } = await begin({ cadence: 'monthly' }, { collectedAt: at(-40 * day) });
    await client.assertNothingWritten(async () => {
      const { message } = assertProblem(await accept(), 'control_evidence_missing');
      assert.match(message, /current evidence/);
    });
    assert.equal(payload(await accept({ cadence: 'quarterly' })).status, 'accepted');
    const other = await begin({}, { collectedAt: at(-40 * day) });
    await other.client.assertNothingWritten(
      async () => void assertProblem(await other.accept({ cadence: 'monthly' }), 'control_evidence_missing'),
    );
  });

  test('stays accepted while its evidence is current, and becomes accepted again with new evidence', async () => {
    const { client, id, accept, readStatus } = await begin({}, { expiresAt: at(day) });
    payload(await accept());
    const { reviewedAt } = await client.get(id);
    const sent = (await client.readWebhooks()).length;
    const readScore = async () => (await client.read(`${base}/readiness`)).score;
    server.clock.advance(day - 1);
    assert.deepEqual([await readStatus(), await readScore()], ['accepted', 100]);
    server.clock.advance(1);
    assert.deepEqual([await readStatus(), await readScore()], ['needs_review', 0]);
    // Changes by dates only are not sent.
    assert.equal((await client.readWebhooks()).length, sent);
    payload(await client.addEvidence(id, { collectedAt: at(0) }), 201);
    assert.deepEqual([await readStatus(), await readScore()], ['accepted', 100]);
    assert.equal((await client.get(id)).reviewedAt, reviewedAt);
  });

  test('stays accepted while no test fails, and becomes accepted again after a pass, until the next review', async () => {
    const { client, id, testId, accept, readStatus } = await begin();
    payload(await accept());
    payload(await client.record(id, testId, { status: 'fail' }), 201);
    assert.equal(await readStatus(), 'needs_review');
    assertProblem(await accept(), 'control_test_failing');
    server.clock.advance(1);
    payload(await client.record(id, testId, { status: 'pass' }), 201);
    assert.equal(await readStatus(), 'accepted');
    const { nextReviewAt } = await client.get(id);
    server.clock.advance(Date.parse(nextReviewAt) - server.clock.milliseconds());
    payload(await client.addEvidence(id, { collectedAt: at(0) }), 201);
    assert.equal(await readStatus(), 'needs_review');
  });

  test('sends webhooks when evidence or a test changes whether it is accepted', async () => {
    const { client, id, testId, accept } = await begin();
    payload(await accept());
    const readMoves = async () =>
      (await client.readWebhooks())
        .filter(({ type }) => type === 'control.status_changed')
        .map(({ data }) => (data as { readonly to: string }).to);
    const begun = await readMoves();
    payload(await client.record(id, testId, { status: 'fail' }), 201);
    payload(await client.retire(id, testId));
    const [item] = (await client.read(`${base}/controls/${id}/evidence`)).items;
    payload(await client.withdraw(id, item.id));
    payload(await client.addEvidence(id, { collectedAt: at(0) }), 201);
    payload(await client.addEvidence(id, { collectedAt: at(0) }), 201);
    const [lost, found] = ['needs_review', 'accepted'];
    assert.deepEqual((await readMoves()).slice(begun.length), [lost, found, lost, found]);
  });

  test('does not become accepted by another cadence while a test fails', async () => {
    const { client, id, testId, accept, readStatus } = await begin({ cadence: 'monthly' });
    payload(await accept());
    server.clock.advance(32 * day);
    payload(await client.record(id, testId, { status: 'fail' }), 201);
    assert.equal(payload(await client.edit(id, { cadence: 'annual' })).status, 'needs_review');
    server.clock.advance(1);
    payload(await client.record(id, testId, { status: 'pass' }), 201);
    assert.equal(await readStatus(), 'accepted');
  });

  test('leaves accepted permanently when a user sets needs_review, even if time already had', async () => {
    const { client, id, accept, readStatus } = await begin({ cadence: 'monthly' });
    payload(await accept());
    server.clock.advance(32 * day);
    assert.equal(await readStatus(), 'needs_review');
    const change = { status: 'needs_review', cadence: 'annual', reason: 'The door was replaced' };
    const { status, code } = payload(await client.edit(id, change));
    assert.equal(status, 'needs_review');
    assert.deepEqual((await client.readWebhooks()).at(-1), {
      type: 'control.status_changed',
      data: { controlId: id, code, from: 'accepted', to: 'needs_review' },
    });
    const event = (await client.readEvents()).at(-1);
    assert.deepEqual([event.action, event.reason], ['control.status_changed', change.reason]);
    assert.deepEqual(event.diff.before, { status: 'accepted', cadence: 'monthly' });
    assert.deepEqual(event.diff.after, { status: 'needs_review', cadence: 'annual' });
    // It was set now, so it stays, and a new reason would be lost.
    payload(await client.addEvidence(id, { collectedAt: at(0) }), 201);
    assert.equal(await readStatus(), 'needs_review');
    await client.assertNothingWritten(async () => {
      payload(await client.edit(id, { status: 'needs_review' }));
      assertInvalid(await client.edit(id, { status: 'needs_review', reason: 'Again' }), 'body.reason');
    });
  });
});

describeServer('a review before it is due', (server) => {
  const testWith = testWithClient(server, ControlClient);
  for (const status of ['implemented', 'accepted'] as const) {
    testWith(`of a control that is ${status} is recorded by setting that again, with its reason`, async (client) => {
      const id = await client.create({ cadence: 'annual' });
      payload(await client.addEvidence(id), 201);
      payload(await client.edit(id, { status: 'implemented' }));
      if (status === 'accepted') payload(await client.edit(id, { status }));
      const [{ nextReviewAt }, sent] = [await client.get(id), (await client.readWebhooks()).length];
      server.clock.advance(day);
      const control = payload(await client.edit(id, { status, reason: 'The auditor was here' }));
      assert.deepEqual([control.status, control.reviewedAt], [status, server.clock.now()]);
      assert.ok(control.nextReviewAt > nextReviewAt);
      const event = (await client.readEvents()).at(-1);
      assert.deepEqual([event.action, event.reason], ['control.reviewed', 'The auditor was here']);
      assert.deepEqual(event.diff.after, { reviewedAt: server.clock.now() });
      assert.equal((await client.readWebhooks()).length, sent);
    });
  }

  testWith('of another status is no review: a reason is rejected', async (client) => {
    const id = await client.create();
    payload(await client.edit(id, { status: 'in_progress' }));
    await client.assertNothingWritten(async () => {
      payload(await client.edit(id, { status: 'in_progress' }));
      assertInvalid(await client.edit(id, { status: 'in_progress', reason: 'Still' }), 'body.reason');
    });
  });
});

describeServer('a change of a control', (server) => {
  const testWith = testWithClient(server, ControlClient);
  testWith('of the status is recorded in the audit log with its reason, and sends a webhook', async (client) => {
    await client.adopt('GDPR');
    const [{ id, controlId, code }] = (await client.read()).items;
    payload(await client.edit(id, { status: 'in_progress', reason: 'The auditor asked' }));
    payload(await client.edit(id, { status: 'not_applicable', reason: 'We do none of this' }));
    const [first, second] = (await client.readEvents()).slice(-2);
    assert.deepEqual(
      [first.action, first.targetId, first.targetRef, first.reason],
      ['control.status_changed', id, code, 'The auditor asked'],
    );
    const { states: _, ...diff } = second.diff;
    assert.deepEqual(diff, { before: { status: 'in_progress' }, after: { status: 'not_applicable' } });
    assert.equal(second.reason, 'We do none of this');
    assert.deepEqual(await client.readWebhooks(), [
      { type: 'control.status_changed', data: { controlId, code, from: 'not_started', to: 'in_progress' } },
      { type: 'control.status_changed', data: { controlId, code, from: 'in_progress', to: 'not_applicable' } },
    ]);
  });

  testWith('reports the status that the control had by then, not the one that was set', async (client) => {
    const id = await client.create({ cadence: 'monthly' });
    payload(await client.edit(id, { status: 'implemented' }));
    server.clock.advance(32 * day);
    payload(await client.edit(id, { status: 'implemented' }));
    const { data } = (await client.readWebhooks()).at(-1) as { data: object };
    const { code } = await client.get(id);
    assert.deepEqual(data, { controlId: id, code, from: 'needs_review', to: 'implemented' });
  });

  testWith('of the cadence updates what derives from it, and reports a changed status', async (client) => {
    const id = await client.create({ cadence: 'monthly' });
    payload(await client.edit(id, { status: 'implemented' }));
    server.clock.advance(32 * day);
    const count = (await client.readWebhooks()).length;
    const control = payload(await client.edit(id, { cadence: 'annual' }));
    assert.deepEqual([control.status, control.cadence], ['implemented', 'annual']);
    assert.equal((await client.readWebhooks()).length, count + 1);
    const event = (await client.readEvents()).at(-1);
    assert.deepEqual(event.diff.after, { status: 'implemented', cadence: 'annual' });
    payload(await client.edit(id, { cadence: 'semi_annual' }));
    assert.equal((await client.readEvents()).at(-1).action, 'control.edited');
    assert.equal((await client.readWebhooks()).length, count + 1);
  });

  testWith('assigns a member who may sign in as the owner, and removes them', async (client) => {
    const id = await client.create();
    const { userId } = await server.createMember({ tenantId: client.tenant.id, role: 'engineer' });
    assert.equal(payload(await client.edit(id, { ownerUserId: userId })).ownerUserId, userId);
    await client.assertNothingWritten(async () => payload(await client.edit(id, { ownerUserId: userId })));
    assert.equal((await client.read()).items[0].ownerUserId, userId);
    assert.equal(payload(await client.edit(id, { ownerUserId: null })).ownerUserId, null);
    const own = payload(await client.send('POST', `${base}/controls`, ownControl({ ownerUserId: userId })), 201);
    assert.equal(own.ownerUserId, userId);
  });

  test('rejects every other owner with the same error', async () => {
    const [client, other] = [await openTenant(server), await openTenant(server)];
    const id = await client.create();
    const { id: tenantId } = client.tenant;
    const foreign = await server.createMember({ tenantId: other.tenant.id });
    const suspended = await server.createMember({ tenantId });
    const removed = await server.createMember({ tenantId });
    await runTransaction(server.installation.database, server.clock.now(), async (tx) => {
      const source = systemSource(tenantId);
      await changeMembers(tx, source, [suspended.userId], { isActivated: false }, 'test');
      await changeMembers(tx, source, [removed.userId], { isDeleted: true }, 'test');
    });
    const invited = await client.send('POST', '/v1/users/invitations', { email: `i-${randomUUID()}@example.com` });
    payload(invited, 201);
    const [waiting] = await server.installation.database.kysely
      .selectFrom('memberships')
      .select('user_id')
      .where('tenant_id', '=', tenantId)
      .where('accepted_at', 'is', null)
      .execute();
    const invalid = [randomUUID(), foreign.userId, suspended.userId, removed.userId, waiting?.user_id ?? randomUUID()];
    await client.assertNothingWritten(async () => {
      const messages = new Set<string>();
      for (const ownerUserId of invalid) {
        for (const response of [
          await client.edit(id, { ownerUserId }),
          await client.edit(id, { ownerUserId, status: 'in_progress' }),
          await client.send('POST', `${base}/controls`, ownControl({ ownerUserId })),
        ]) {
          assertInvalid(response, 'body.ownerUserId');
          messages.add(response.body.error.message);
        }
      }
      assert.equal(messages.size, 1);
    });
  });

  testWith('writes nothing if no value changes', async (client) => {
    const id = await client.create({ cadence: 'annual' });
    const exceptionEndsAt = new Date(server.clock.milliseconds() + day).toISOString();
    const excepted = { status: 'excepted', reason: 'Being rebuilt', exceptionEndsAt };
    payload(await client.edit(id, excepted));
    const before = await client.get(id);
    server.clock.advance(1);
    await client.assertNothingWritten(async () => {
      for (const change of [excepted, { cadence: 'annual' }, { ownerUserId: null }, { reason: 'Being rebuilt' }])
        assert.deepEqual(payload(await client.edit(id, change)), before);
    });
  });

  testWith('runs after concurrent changes, and sees their results', async (client) => {
    const id = await client.create();
    const answers = await Promise.all(
      ['in_progress', 'not_applicable', 'excepted'].map((status) =>
        client.edit(id, {
          status,
          ...(status !== 'in_progress' && { reason: 'Why' }),
          ...(status === 'excepted' && { exceptionEndsAt: new Date(server.clock.milliseconds() + day).toISOString() }),
        }),
      ),
    );
    const moves = (await client.readWebhooks()).map(({ data }) => data as { from: string; to: string });
    assert.equal(moves.length, answers.filter(({ status }) => status === 200).length);
    assert.equal(moves[0]?.from, 'not_started');
    for (const [index, { to }] of moves.slice(0, -1).entries()) assert.equal(moves[index + 1]?.from, to);
    assert.equal((await client.get(id)).status, moves.at(-1)?.to);
  });
});
