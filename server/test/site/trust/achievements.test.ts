import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { catalogue } from '../../../controls/catalogue/catalogue.ts';
import { diffFields } from '../../../ledger/audit/store.ts';
import { emptyContent, listAchievements, type TrustContent } from '../../../site/trust/trust-center.ts';

const codes = catalogue.frameworks.map(({ code }) => code);
const time = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const framework = fc.record({
  code: fc.constantFrom(...codes, 'RETIRED'),
  achievedAt: fc.constant('2019-01-01T00:00:00.000Z'),
  expiresAt: fc.option(time),
  reportUrl: fc.constant(null),
});
const content: fc.Arbitrary<TrustContent> = fc
  .uniqueArray(framework, { selector: ({ code }) => code })
  .map((frameworks) => ({ ...emptyContent, frameworks }));

describe('what is achieved', () => {
  test('is what has not expired and the catalogue knows, in the order of the catalogue', () => {
    fc.assert(
      fc.property(content, time, (given, now) => {
        const expected = codes.filter((code) =>
          given.frameworks.some((one) => one.code === code && (one.expiresAt === null || now < one.expiresAt)),
        );
        assert.deepEqual(
          listAchievements(given, now).map(({ framework }) => framework.code),
          expected,
        );
      }),
    );
  });

  test('only becomes less as time goes by', () => {
    fc.assert(
      fc.property(content, time, time, (given, one, other) => {
        const [early, late] = [one, other].sort() as [string, string];
        const before = new Set(listAchievements(given, early).map(({ framework }) => framework.code));
        for (const { framework } of listAchievements(given, late)) assert.ok(before.has(framework.code));
      }),
    );
  });

  test('ends at the very moment that its validity ends', () => {
    const expiresAt = '2026-11-21T12:00:00.000Z';
    const given = { ...emptyContent, frameworks: [{ code: 'GDPR', achievedAt: '', expiresAt, reportUrl: null }] };
    assert.equal(listAchievements(given, '2026-11-21T11:59:59.999Z').length, 1);
    assert.equal(listAchievements(given, expiresAt).length, 0);
  });
});

describe('the changed fields', () => {
  test('are none between equal contents, and exactly the one that was changed', () => {
    fc.assert(
      fc.property(content, fc.constantFrom('headline', 'description', 'contactEmail'), (given, field) => {
        const diff = (after: object) => Object.keys(diffFields({ ...given }, { ...after }).after);
        assert.deepEqual(diff(structuredClone(given)), []);
        assert.deepEqual(diff({ ...given, [field]: 'other' }), [field]);
      }),
    );
  });
});
