import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Basis, basisIn } from '../../src/decision/region.ts';
import { decidePurposes, type Notice, type Purpose } from '../../src/notice/notice.ts';
import { decide, emptyState, join, load, type PageState, reduce } from '../../src/page/page-state.ts';

const regions = ['US-CA', 'US-CO', 'FR', 'GB', null];
const bases: readonly Basis[] = ['consent', 'object', 'exempt'];

const purpose = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  required: fc.boolean(),
  basis: fc.constantFrom(...bases),
  basisByRegion: fc.dictionary(fc.constantFrom('US', 'US-CO', 'FR', 'GB'), fc.constantFrom(...bases)),
});
const purposes = fc.uniqueArray(purpose, { selector: ({ key }) => key, minLength: 1 }) as fc.Arbitrary<Purpose[]>;

function arrive(region: string | null, hasSignal: boolean): PageState {
  const place = { element: undefined, root: undefined, noticeId: 'id', address: 'https://svc.example/id' };
  return reduce(emptyState, join({ ...place, region, hasSignal, isDue: true }));
}

test('what needs consent in a region is allowed there only if it was consented to, and is asked for otherwise', () => {
  fc.assert(
    fc.property(
      purposes,
      fc.constantFrom(...regions),
      fc.constantFrom(...regions),
      fc.array(fc.constantFrom<string>('a', 'b', 'c', 'd')),
      fc.boolean(),
      (rows, home, abroad, granted, hasSignal) => {
        const notice = { version: 1, asksSince: 1, purposes: rows, texts: {} } as unknown as Notice;
        const answer = decidePurposes(notice, ({ key }) => granted.includes(key), home);
        const decidedAt = '2026-01-01T00:00:00.000Z';
        const decision = { ...answer, noticeVersion: 1, decidedAt, subjectId: 's', region: home ?? undefined };
        const before = reduce(
          arrive(abroad, hasSignal),
          decide(decision, { isInForce: true, isOwn: false, region: null }),
        );
        const after = reduce(before, load(notice, abroad));
        const isForced = ({ key, required }: Purpose) => required || answer.basis[key] === 'exempt';
        for (const row of rows)
          if (hasSignal && isForced(row) && basisIn(row, abroad) === 'object')
            assert.equal(after.allowed[row.key], false);
        let isMissing = false;
        for (const row of rows) {
          const isConsented = row.required || (basisIn(row, home) === 'consent' && answer.purposes[row.key] === true);
          if (isConsented || basisIn(row, abroad) !== 'consent') continue;
          isMissing ||= answer.purposes[row.key] === true;
          for (const { allowed, state } of [before, after])
            assert.deepEqual([allowed[row.key] ?? false, state?.purposes[row.key]], [false, false]);
        }
        for (const row of rows)
          if (basisIn(row, home) === 'consent' && answer.purposes[row.key]) assert.equal(after.allowed[row.key], true);
        assert.equal(after.isAsking, isMissing && answer.decision !== 'rejected');
      },
    ),
  );
});
