import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { catalogue } from '../../../controls/catalogue/catalogue.ts';
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
});
