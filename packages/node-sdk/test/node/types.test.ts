import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generated, readDocument } from '../../../../tools/types/write.ts';
import type { ConsentNotices } from '../../src/resources/consent.ts';
import type { Ledgers } from '../../src/resources/ledgers.ts';
import type { ConsentRecords } from '../../src/resources/methods.ts';

test('has types generated from the current OpenAPI document', () => {
  const document = readDocument();
  for (const [path, write] of Object.entries(generated))
    assert.equal(
      readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'),
      write(document),
      `${path} is stale. Run: npm run types`,
    );
});

test('rejects unsupported arguments at compile time', () => {
  const refused = (notices: ConsentNotices, records: ConsentRecords, ledgers: Ledgers) => [
    // @ts-expect-error: no such filter
    notices.list({ state: 'draft' }),
    // @ts-expect-error: no such status
    notices.list({ status: 'deleted' }),
    // @ts-expect-error: no such field
    notices.update('id', { title: 'Website' }),
    // @ts-expect-error: purposes are missing
    records.capture('id', { subjectId: 'subject-1' }),
    // @ts-expect-error: granted is true or false
    records.capture('id', { subjectId: 'subject-1', purposes: { analytics: 'yes' } }),
    // @ts-expect-error: no such option
    records.list('id', {}, { retry: 3 }),
    // @ts-expect-error: records of the consent ledger are named by their number
    ledgers.consent.proveInclusion({ id: 'id' }),
    // @ts-expect-error: answers do not change
    notices.retrieve('id').then((notice) => (notice.name = 'Another')),
  ];
  assert.equal(typeof refused, 'function');
});
