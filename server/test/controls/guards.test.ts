import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { type ControlClient, openTenant, payload } from './helpers.ts';

const day = 24 * 60 * 60_000;

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
