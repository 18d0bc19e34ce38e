import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type BreachRow, notificationDue, viewBreach } from '../../privacy/breach.ts';
import { dueAfter, extendDue, isOverdue } from '../../privacy/dsr.ts';
import { day, hour, shift } from './requests.ts';

const times = fc
  .date({ min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9998-01-01T00:00:00.000Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const days = fc.integer({ min: 1, max: 90 });
const distance = (from: string, to: string) => Date.parse(to) - Date.parse(from);

describe('the due date of a request', () => {
  test('is dsrDays days of 24 hours after the receipt', () => {
    fc.assert(
      fc.property(times, days, (receivedAt, count) => {
        assert.equal(distance(receivedAt, dueAfter(receivedAt, count)), count * day);
      }),
    );
    assert.equal(dueAfter('2028-02-28T23:59:59.999Z', 1), '2028-02-29T23:59:59.999Z');
  });

  test('belongs to the period; a millisecond later an open request is overdue, a completed one never', () => {
    fc.assert(
      fc.property(times, days, fc.integer({ min: -100, max: 100 }), (receivedAt, count, milliseconds) => {
        const dueAt = dueAfter(receivedAt, count);
        const now = shift(dueAt, milliseconds);
        assert.equal(isOverdue({ status: 'open', due_at: dueAt }, now), milliseconds > 0);
        assert.equal(isOverdue({ status: 'completed', due_at: dueAt }, now), false);
      }),
      {
        examples: [
          ['2026-11-21T12:00:00.000Z', 30, 0],
          ['2026-11-21T12:00:00.000Z', 30, 1],
        ],
      },
    );
  });

  test('of an extended period is three periods after the receipt, at most 90 days', () => {
    fc.assert(
      fc.property(times, days, (receivedAt, count) => {
        const dueAt = extendDue({ received_at: receivedAt, due_at: dueAfter(receivedAt, count) });
        assert.equal(distance(receivedAt, dueAt), Math.min(3 * count, 90) * day);
      }),
      {
        examples: [
          ['2026-11-21T12:00:00.000Z', 30],
          ['2026-11-21T12:00:00.000Z', 31],
        ],
      },
    );
  });
});

describe('the deadline of a notification', () => {
  test('is 72 hours after the discovery', () => {
    fc.assert(
      fc.property(times, (discoveredAt) => {
        assert.equal(distance(discoveredAt, notificationDue(discoveredAt)), 72 * hour);
      }),
    );
  });

  test('is missed a millisecond later without a notification or a reason', () => {
    const reasons = fc.option(fc.constant('No risk'));
    fc.assert(
      fc.property(times, fc.integer({ min: -100, max: 100 }), fc.boolean(), reasons, (...values) => {
        const [discoveredAt, milliseconds, isNotified, notificationReason] = values;
        const now = shift(discoveredAt, 72 * hour + milliseconds);
        const notified = { authority_notified_at: isNotified ? now : null, notification_reason: notificationReason };
        const breach = {
          discovered_at: discoveredAt,
          data_categories: '[]',
          erased_at: null,
          ...notified,
        } as BreachRow;
        const isMissed = milliseconds > 0 && !isNotified && notificationReason === null;
        assert.equal(viewBreach(breach, now).isNotificationOverdue, isMissed);
      }),
    );
  });
});
