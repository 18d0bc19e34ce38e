import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { type RecordDraft, readRecord, toRecord, toRow, toTemplate } from '../../consent/record.ts';
import { hashEntry, isTemplate, newSalt } from '../../ledger/entry.ts';
import { assertAbsent, needle } from '../needle.ts';

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
  language: fc.option(fc.constantFrom('en', 'pt-BR'), { nil: null }),
  shownHash: fc.option(hashes, { nil: null }),
  region: fc.option(fc.constantFrom('DE', 'US-CA'), { nil: null }),
  basis: fc.option(
    fc.dictionary(
      fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,12}$/),
      fc.constantFrom('consent' as const, 'object' as const, 'exempt' as const),
      { noNullPrototype: true },
    ),
    { nil: null },
  ),
  source: fc.constantFrom('api' as const, 'public' as const),
  space: fc.constantFrom('api' as const, 'public' as const),
  ipHash: fc.option(hashes, { nil: null }),
  uaHash: fc.option(hashes, { nil: null }),
  capturedAt: times,
});
const salts = fc.stringMatching(/^[A-Za-z0-9_-]{22}$/);
const positions = fc.record({ at: times, sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) });

/** A draft as it is hashed: SHA-256 over salt, name, a zero byte and value, in place of what identifies a person. */
function commitTo(draft: RecordDraft, salt: string) {
  const committed = (['subjectId', 'ipHash', 'uaHash'] as const).map((name) => {
    const value = draft[name] ?? null;
    return [name, value && createHash('sha256').update(`${salt}${name}\0${value}`).digest('hex')] as const;
  });
  return { ...draft, ...Object.fromEntries(committed) };
}

/** The text of an entry and its row. */
function seal(draft: RecordDraft, salt: string, at: string, sequence: number) {
  const { entry, row } = toRow(draft, salt, toTemplate(draft), 1, { at, sequence });
  return { entry: entry.join(''), row };
}

/** The schema requires a subject. */
const named = drafts.filter(({ subjectId }) => subjectId !== '');

test('the stored text of a record is its canonical form (RFC 8785) with commitments to what identifies a person', () => {
  fc.assert(
    fc.property(named, salts, positions, (draft, salt, { at, sequence }) => {
      const expected = canonicalize({ ...commitTo(draft, salt), recordedAt: at, sequence });
      assert.equal(seal(draft, salt, at, sequence).entry, expected);
    }),
    { numRuns: 200 },
  );
});

test('a record reads back as it was placed from its stored text and its opening', () => {
  fc.assert(
    fc.property(named, salts, positions, fc.option(hashes), (draft, salt, { at, sequence }, prevHash) => {
      const { entry, row } = seal(draft, salt, at, sequence);
      const hash = hashEntry(prevHash, entry);
      const placed = toRecord(draft, salt, { at, sequence, hash, prevHash });
      const template_text = toTemplate(draft).text;
      assert.ok(isTemplate(template_text), template_text);
      assert.deepEqual(readRecord({ ...row, hash, prev_hash: prevHash, template_text, erased_at: null }), placed);
    }),
    { numRuns: 200 },
  );
});

test('no value that identifies a person is in the stored text, however often a person is recorded', () => {
  const [draft] = fc.sample(drafts, 1) as [RecordDraft];
  const personal = {
    ...draft,
    subjectId: `${needle('jane')}@example.com`,
    ipHash: 'a'.repeat(64),
    uaHash: 'b'.repeat(64),
  };
  const texts = Array.from({ length: 300 }, () => seal(personal, newSalt(), '2026-11-21T12:00:00.000Z', 1).entry);
  assert.equal(new Set(texts).size, texts.length);
  for (const text of texts) assertAbsent(text, personal.subjectId, personal.ipHash, personal.uaHash);
});

test('nothing but the fields of a record is stored or shown, whatever else a draft has', () => {
  fc.assert(
    fc.property(drafts, salts, positions, (draft, salt, { at, sequence }) => {
      const more = { ...draft, deviceId: 'not a field of a record' };
      assert.deepEqual(seal(more, salt, at, sequence), seal(draft, salt, at, sequence));
      const place = { at, sequence, hash: 'f'.repeat(64), prevHash: null };
      assert.deepEqual(toRecord(more, salt, place), toRecord(draft, salt, place));
    }),
    { numRuns: 20 },
  );
});
