import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { testWithClient } from '../svc.ts';
import { base, ControlClient, openTenant, payload } from './helpers.ts';

const day = 24 * 60 * 60_000;

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
