import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { controlStatuses, transitions } from '../../controls/status.ts';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { testWithClient } from '../svc.ts';
import { ControlClient, payload } from './helpers.ts';

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

describe('the table of transitions', () => {
  test('is the documented one', () => {
    assert.deepEqual(Object.keys(transitions).sort(), [...controlStatuses].sort());
    for (const [from, to] of Object.entries(transitions)) assert.equal(to.join(' '), allowed[from]);
  });
});

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
          // Another review, which edit.test.ts looks at.
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
