import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { expiryAfter, successorEnd } from '../../../accounts/keys/api-key.ts';

const range = { min: new Date('1970-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') };
const time = fc.date({ ...range, noInvalidDate: true }).map((date) => date.toISOString());

describe('the expiry of rotated keys', () => {
  test('the new key has the lifetime of the old one, up to the last year of four digits', () => {
    fc.assert(
      fc.property(time, time, time, (one, other, now) => {
        const [created_at, expires_at] = [one, other].sort() as [string, string];
        const end = successorEnd({ created_at, expires_at }, now) as string;
        assert.equal(end.length, now.length);
        assert.ok(end >= now);
        const lifetime = Date.parse(expires_at) - Date.parse(created_at);
        if (end !== range.max.toISOString()) assert.equal(Date.parse(end) - Date.parse(now), lifetime);
        else assert.ok(Date.parse(now) + lifetime >= range.max.getTime());
        assert.equal(successorEnd({ created_at, expires_at: null }, now), null);
      }),
    );
  });

  test('the old key expires with the overlap or its own expiry, whichever is first', () => {
    const early = fc.date({ ...range, max: new Date('9999-12-01T00:00:00.000Z'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.option(time), early, fc.integer({ min: 0, max: 168 }), (expires_at, date, hours) => {
        const overlap = new Date(date.getTime() + hours * 3_600_000).toISOString();
        const end = expiryAfter({ expires_at }, hours, date.toISOString());
        assert.equal(end, [overlap, expires_at ?? overlap].sort()[0]);
      }),
    );
  });
});
