import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Installation } from '../../installation/installation.ts';
import { newId } from '../../storage/rows.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';

describeOnEachDatabase('stored values', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
  });
  after(() => installation[Symbol.asyncDispose]());

  const store = async (name: string): Promise<string> => {
    const { kysely } = installation.database;
    const id = newId();
    await kysely
      .insertInto('tenants')
      .values({ id, slug: id, name, api_version: 'v', created_at: '2026-11-21T12:00:00.000Z' })
      .execute();
    const row = await kysely.selectFrom('tenants').select('name').where('id', '=', id).executeTakeFirstOrThrow();
    return row.name;
  };

  const texts: Readonly<Record<string, string>> = {
    'the empty text': '',
    'an emoji of several code points': '\u{1F469}\u200D\u{1F4BB}',
    'the last code point': '\u{10FFFF}',
    'combining characters, not normalised': 'e\u0301 \u00e9',
    'right-to-left text': '\u0645\u0648\u0627\u0641\u0642\u0629',
    'quotes and backslashes': `'"\\\\'; drop table tenants; --`,
    'line ends of every kind': 'a\r\nb\nc\rd\u2028e',
    'control characters': '\u0001\u001f\u007f',
    'the replacement character': '\uFFFD',
    'a byte order mark': '\uFEFFtext',
    'trailing blanks': 'text  ',
    'a million characters': '\u{1F600}a'.repeat(333_334),
  };
  for (const [name, text] of Object.entries(texts)) {
    test(`returns ${name} unchanged`, async () => {
      assert.equal(await store(text), text);
    });
  }

  test('returns any text without NUL unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => !text.includes('\0')),
        async (text) => assert.equal(await store(text), text),
      ),
    );
  });

  test('returns integers up to 2^53 - 1 as numbers', async () => {
    const { kysely } = installation.database;
    for (const requests of [0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      await kysely.insertInto('rate_limits').values({ bucket: 'b', minute: 1, requests }).execute();
      const row = await kysely.selectFrom('rate_limits').select('requests').executeTakeFirstOrThrow();
      assert.equal(row.requests, requests);
      await kysely.deleteFrom('rate_limits').execute();
    }
  });

  test('sorts text by its bytes in every locale', async () => {
    const { kysely } = installation.database;
    const buckets = ['\u{1F600}', 'b', 'B', 'a', 'Z', '_', '-', 'é', '\uFF5E', ''];
    for (const bucket of buckets)
      await kysely.insertInto('rate_limits').values({ bucket, minute: 2, requests: 1 }).execute();
    const rows = await kysely
      .selectFrom('rate_limits')
      .select('bucket')
      .where('minute', '=', 2)
      .orderBy('bucket')
      .execute();
    assert.deepEqual(
      rows.map(({ bucket }) => bucket),
      buckets.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
  });
});
