import assert from 'node:assert/strict';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { placeRecord, type RecordDraft, readRecord, sealRecord } from '../../consent/record.ts';
import { hashEntry } from '../../ledger/append.ts';

const wellFormed = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('"', '\\', '\u2028', '\u007f', '\b'),
  ),
});
const hashes = fc.stringMatching(/^[0-9a-f]{64}$/);
const times = fc
  .date({ noInvalidDate: true, min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') })
  .map((time) => time.toISOString());
/** Keys as notices may have them. */
const purposes = fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,12}$/), fc.boolean(), {
  noNullPrototype: true,
});

const drafts: fc.Arbitrary<RecordDraft> = fc.record({
  id: fc.uuid({ version: 7 }),
  tenantId: fc.uuid(),
  noticeId: fc.uuid(),
  noticeVersion: fc.integer({ min: 1 }),
  noticeContentHash: hashes,
  subjectId: wellFormed,
  subjectChannel: fc.constantFrom('email' as const, null),
  kind: fc.constantFrom('capture' as const, 'withdrawal' as const),
  withdrawsRecordId: fc.option(fc.uuid(), { nil: null }),
  method: fc.option(wellFormed, { nil: null }),
  purposes,
  otherPurposes: fc.dictionary(
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,12}$/),
    fc.record({ recordId: fc.uuid(), granted: fc.boolean() }, { noNullPrototype: true }),
    { noNullPrototype: true },
  ),
  source: fc.constantFrom('api' as const, 'public' as const),
  space: fc.constantFrom('api' as const, 'public' as const),
  ipHash: fc.option(hashes, { nil: null }),
  uaHash: fc.option(hashes, { nil: null }),
  capturedAt: times,
});
const positions = fc.record({ at: times, sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) });

test('the stored text of a record is its canonical form (RFC 8785)', () => {
  fc.assert(
    fc.property(drafts, positions, (draft, { at, sequence }) => {
      assert.equal(sealRecord(draft, at, sequence), canonicalize({ ...draft, recordedAt: at, sequence }));
    }),
    { numRuns: 200 },
  );
});

test('a record reads back from its stored text as it was placed, and gives that text again', () => {
  fc.assert(
    fc.property(drafts, positions, fc.option(hashes), (draft, { at, sequence }, prevHash) => {
      const entry = sealRecord(draft, at, sequence);
      const hash = hashEntry(prevHash, entry);
      const placed = placeRecord(draft, { at, sequence, hash, prevHash });
      assert.deepEqual(readRecord({ entry, hash, prev_hash: prevHash }), placed);
      const { ledgerHash: _, prevLedgerHash: __, ...record } = placed;
      assert.equal(canonicalize({ ...record, tenantId: draft.tenantId }), entry);
    }),
    { numRuns: 200 },
  );
});

test('nothing but the fields of a record is stored or shown, whatever else a draft has', () => {
  fc.assert(
    fc.property(drafts, positions, (draft, { at, sequence }) => {
      const more = { ...draft, deviceId: 'not a field of a record' };
      assert.equal(sealRecord(more, at, sequence), sealRecord(draft, at, sequence));
      const place = { at, sequence, hash: 'f'.repeat(64), prevHash: null };
      assert.deepEqual(placeRecord(more, place), placeRecord(draft, place));
    }),
    { numRuns: 20 },
  );
});
