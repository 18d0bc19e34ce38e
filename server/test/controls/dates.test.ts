import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findLastRun, findWorstResult, scheduleRun, type TestFacts } from '../../controls/control-test.ts';
import { isEvidenceValid, rateFreshness } from '../../controls/evidence.ts';
import {
  cadences,
  deriveStatus,
  findNextReview,
  freshnesses,
  resultStatuses,
  type StatusColumns,
  type Support,
  settableStatuses,
} from '../../controls/status.ts';

const start = '2026-01-31T12:00:00.000Z';
const monthLater = '2026-02-28T12:00:00.000Z';
const twoMonthsLater = '2026-03-31T12:00:00.000Z';
const before = (time: string) => new Date(Date.parse(time) - 1).toISOString();

const dates: StatusColumns = {
  status: 'implemented',
  cadence: 'monthly',
  reviewed_at: start,
  exception_ends_at: null,
  evidence_due_at: null,
};

const support: Support = { evidenceFreshness: 'current', latestResultStatus: 'pass' };

describe('the status at a time', () => {
  for (const status of ['implemented', 'accepted'] as const) {
    test(`${status} stays with the cadence event_driven`, () => {
      const own = { ...dates, status, cadence: 'event_driven' } as const;
      assert.equal(findNextReview(own), null);
      assert.equal(deriveStatus(own, support, '9999-12-31T23:59:59.999Z'), status);
    });
  }

  test('accepted needs a review without current evidence or with a test that fails, and no other status does', () => {
    for (const evidenceFreshness of freshnesses)
      for (const latestResultStatus of [null, ...resultStatuses]) {
        const given = { evidenceFreshness, latestResultStatus };
        const holds = evidenceFreshness === 'current' && latestResultStatus !== 'fail';
        for (const status of settableStatuses) {
          const own = { ...dates, status, exception_ends_at: monthLater, evidence_due_at: monthLater };
          const expected = status === 'accepted' && !holds ? 'needs_review' : status;
          assert.equal(deriveStatus(own, given, start), expected, `${status} ${JSON.stringify(given)}`);
        }
      }
  });

  test('every other status stays, and has no date of review', () => {
    const moving = ['implemented', 'accepted', 'excepted', 'evidence_requested'];
    for (const status of settableStatuses.filter((one) => !moving.includes(one))) {
      const own = { ...dates, status, exception_ends_at: start, evidence_due_at: start } as StatusColumns;
      assert.equal(deriveStatus(own, support, '9999-12-31T23:59:59.999Z'), status);
      assert.equal(findNextReview(own), null);
    }
  });
});

describe('the freshness of evidence', () => {
  const one = { evidence_count: 1, latest_evidence: start };

  test('is current for one cadence, stale for one more, then expired', () => {
    const expected = [
      [start, 'current'],
      [before(monthLater), 'current'],
      [monthLater, 'stale'],
      [before(twoMonthsLater), 'stale'],
      [twoMonthsLater, 'expired'],
    ] as const;
    for (const [now, freshness] of expected) assert.equal(rateFreshness(one, 'monthly', now), freshness, now);
  });

  test('expires two cadences after the day of collection, whatever the lengths of the months', () => {
    // 2028 is a leap year: a month after each of the last three days of January is the 29th of February.
    for (const day of ['29', '30', '31']) {
      const facts = { evidence_count: 1, latest_evidence: `2028-01-${day}T12:00:00.000Z` };
      const stale = '2028-02-29T12:00:00.000Z';
      const expired = `2028-03-${day}T12:00:00.000Z`;
      assert.equal(rateFreshness(facts, 'monthly', before(stale)), 'current', day);
      assert.equal(rateFreshness(facts, 'monthly', stale), 'stale', day);
      assert.equal(rateFreshness(facts, 'monthly', before(expired)), 'stale', day);
      assert.equal(rateFreshness(facts, 'monthly', expired), 'expired', day);
    }
  });

  test('is current while an item is valid with the cadence event_driven', () => {
    assert.equal(rateFreshness(one, 'event_driven', '9999-12-31T23:59:59.999Z'), 'current');
  });

  test('is expired if no item is valid, missing without any', () => {
    for (const cadence of cadences) {
      assert.equal(rateFreshness({ evidence_count: 2, latest_evidence: null }, cadence, start), 'expired');
      assert.equal(rateFreshness({ evidence_count: 0, latest_evidence: null }, cadence, start), 'missing');
    }
  });

  test('counts an item until it expires, and never after it was withdrawn', () => {
    const item = { expires_at: monthLater, withdrawn_at: null };
    assert.equal(isEvidenceValid(item, before(monthLater)), true);
    assert.equal(isEvidenceValid(item, monthLater), false);
    assert.equal(isEvidenceValid({ expires_at: null, withdrawn_at: null }, monthLater), true);
    assert.equal(isEvidenceValid({ expires_at: null, withdrawn_at: start }, start), false);
  });
});

describe('the schedule of a test', () => {
  const none = { result_id: null, status: null, tested_at: null, result_count: 0 };
  const look = { id: 'i', tenant_control_id: 'c', title: 'Look', cadence: null, created_at: start };
  const never: TestFacts = { ...look, ...none };
  const ran = (time: string, status = 'pass'): TestFacts => ({
    ...look,
    ...{ result_id: 'r', status, tested_at: time, result_count: 1 },
  });

  test('is not due again with the cadence event_driven', () => {
    const { nextRunAt, isDue } = scheduleRun(ran(start), 'event_driven', '9999-12-31T23:59:59.999Z');
    assert.deepEqual([nextRunAt, isDue], [null, false]);
  });

  test('has the worst of the latest results, and the last run of all tests', () => {
    const order = ['pass', 'manual', 'unknown', 'warning', 'fail'];
    for (const [index, status] of order.entries()) {
      const tests = order.slice(0, index + 1).map((one) => ran(start, one));
      assert.equal(findWorstResult([...tests, never]), status);
      assert.equal(findWorstResult([never, ...tests.reverse()]), status);
    }
    assert.equal(findWorstResult([never]), null);
    assert.equal(findWorstResult([]), null);
    assert.equal(findLastRun([ran(start), ran(monthLater), never, ran(before(monthLater))]), monthLater);
    assert.equal(findLastRun([never]), null);
  });
});
