import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { archiveNotice, editNotice, publishNotice } from '../../consent/notice-changes.ts';
import { findVersion } from '../../consent/notice-store.ts';
import type { RecordDraft } from '../../consent/record.ts';
import { appendRecords } from '../../consent/record-store.ts';
import type { Installation } from '../../installation/installation.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { type VersionFault, verifyVersions } from '../../proofs/verify-notices.ts';
import { runUnitOfWork } from '../../storage/database.ts';
import { describeOnOneDatabase, openTestInstallation, TestClock } from '../harness.ts';
import { draftRecord, type FilledTenant, fillLedgers, runVerify } from './fixture.ts';
import { changeRow, deleteRow, insertRow, type Row, readRows, tamper } from './tamper.ts';

const table = 'consent_notice_versions';

describeOnOneDatabase('verifyVersions', (dialect) => {
  const clock = new TestClock();
  let installation: Installation;
  let tenant: FilledTenant;
  let notice: string;
  before(async () => {
    installation = await openTestInstallation(dialect, {}, clock);
    [tenant] = (await fillLedgers(installation)) as [FilledTenant];
    [notice] = tenant.notices as [string];
  });
  after(() => installation[Symbol.asyncDispose]());

  const check = () => verifyVersions(installation.database.kysely, tenant.id);
  const findVersion = async (version: number) => {
    const rows = await readRows(installation.database, table);
    return rows.find((row) => row.notice_id === notice && row.version === version) as Row;
  };
  const setNotice = (values: { version?: number; record_count?: number }) =>
    installation.database.kysely.updateTable('consent_notices').set(values).where('id', '=', notice).execute();

  test('counts the versions of a tenant and reports no fault', async () => {
    assert.deepEqual(await check(), { versions: 3, faults: [] });
  });

  test('reports no fault for a notice that was archived and restored', async () => {
    const source = systemSource(tenant.id);
    const run = (step: typeof publishNotice) =>
      runUnitOfWork(installation.database, clock.now(), (work) => step(work, source, notice));
    clock.advance(60_000);
    await run(archiveNotice);
    clock.advance(60_000);
    await run(publishNotice);
    assert.deepEqual(await check(), { versions: 3, faults: [] });
  });

  test('reports no fault for a version that was published with the clock set back', async () => {
    await using other = await openTestInstallation(dialect, {}, new TestClock());
    const [filled] = (await fillLedgers(other)) as [FilledTenant];
    await runUnitOfWork(other.database, '2020-01-01T00:00:00.000Z', async (work) => {
      const source = systemSource(filled.id);
      await editNotice(work, source, filled.notices[1] as string, { name: 'Edited in the past' });
      await publishNotice(work, source, filled.notices[1] as string);
    });
    assert.deepEqual(await verifyVersions(other.database.kysely, filled.id), { versions: 4, faults: [] });
  });

  test('reports a version that was deleted together with the head of the audit log', async () => {
    const row = await findVersion(2);
    const { kysely } = installation.database;
    const tenantId = row.tenant_id as string;
    const head = await kysely
      .selectFrom('chain_heads')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('ledger', '=', 'audit')
      .executeTakeFirstOrThrow();
    await deleteRow(installation.database, table, row);
    await kysely.deleteFrom('chain_heads').where('tenant_id', '=', tenantId).where('ledger', '=', 'audit').execute();
    const { faults } = await check();
    await kysely.insertInto('chain_heads').values(head).execute();
    await insertRow(installation.database, table, row);
    assert.deepEqual(faults[0], { noticeId: notice, version: 2, issue: 'the version is missing' });
  });

  for (const version of [1, 2]) {
    test(`reports version ${version} of 2 if it was deleted`, async () => {
      const row = await findVersion(version);
      await deleteRow(installation.database, table, row);
      const { faults } = await check();
      await insertRow(installation.database, table, row);
      assert.deepEqual(faults[0], { noticeId: notice, version, issue: 'the version is missing' });
    });
  }

  test('reports a version whose content and hash were both changed', async () => {
    const row = await findVersion(1);
    const content = (row.content as string).replace('Example', 'Changed');
    await changeRow(installation.database, table, row, { content, content_hash: hash('sha256', content) });
    const { faults } = await check();
    await changeRow(installation.database, table, row, {
      content: row.content as string,
      content_hash: row.content_hash as string,
    });
    assert.deepEqual(faults, [{ noticeId: notice, version: 1, issue: 'the audit log has another hash' }]);
  });

  for (const [change, issue] of [
    [{ asks_since: 1 }, 'the audit log has another version since which it asks'],
    [{ shown: '{}' }, 'the audit log has other hashes of its texts'],
  ] as const)
    test(`reports a version whose ${Object.keys(change)} was changed`, async () => {
      const row = await findVersion(2);
      await changeRow(installation.database, table, row, change);
      const { faults } = await check();
      await changeRow(installation.database, table, row, {
        asks_since: row.asks_since ?? null,
        shown: row.shown ?? null,
      });
      assert.deepEqual(faults, [{ noticeId: notice, version: 2, issue }]);
    });

  test('reports a text that was changed, deleted or inserted', async () => {
    const { database } = installation;
    const texts = 'consent_notice_texts';
    const { shown } = await findVersion(1);
    const { en: shownHash } = JSON.parse(shown as string);
    const row = (await readRows(database, texts)).find((one) => one.hash === shownHash) as Row;
    const fault = (issue: string, version = 1) => [{ noticeId: notice, version, issue }];
    await changeRow(database, texts, row, { body: '{}' });
    assert.deepEqual((await check()).faults, fault('the text in the language en does not fit its hash'));
    await changeRow(database, texts, row, { body: row.body as string });
    await deleteRow(database, texts, row);
    assert.deepEqual((await check()).faults, fault('the text in the language en is missing'));
    await insertRow(database, texts, row);
    const stray = { ...row, hash: hash('sha256', '{}'), body: '{}' };
    await insertRow(database, texts, stray);
    assert.deepEqual((await check()).faults, fault('a text belongs to no version', 0));
    await deleteRow(database, texts, stray);
  });

  test('reports an inserted version', async () => {
    const row = { ...(await findVersion(2)), version: 3 };
    await insertRow(installation.database, table, row);
    await setNotice({ version: 3 });
    const { faults } = await check();
    await deleteRow(installation.database, table, row);
    await setNotice({ version: 2 });
    const issue = 'the audit log does not have its publication';
    assert.deepEqual(faults, [{ noticeId: notice, version: 3, issue }]);
  });

  test('reports both versions if two were swapped', async () => {
    const [first, second] = [await findVersion(1), await findVersion(2)];
    const swap = async (one: Row, other: Row) => {
      await changeRow(installation.database, table, one, {
        content: other.content as string,
        content_hash: other.content_hash as string,
      });
      await changeRow(installation.database, table, other, {
        content: one.content as string,
        content_hash: one.content_hash as string,
      });
    };
    await swap(first, second);
    const { faults } = await check();
    await swap(await findVersion(1), await findVersion(2));
    assert.deepEqual(
      faults.map(({ version }) => version),
      [1, 2],
    );
  });

  test('reports a notice whose latest version is not the one in its row', async () => {
    await setNotice({ version: 1 });
    const { faults } = await check();
    await setNotice({ version: 2 });
    assert.deepEqual(faults, [{ noticeId: notice, version: 1, issue: 'the latest version is 2' }]);
  });

  test('reports a notice whose counter does not match the ledger', async () => {
    await setNotice({ record_count: 7 });
    const { faults } = await check();
    await setNotice({ record_count: 6 });
    assert.deepEqual(faults, [
      { noticeId: notice, version: 2, issue: 'the notice counts 7 records, the ledger has 6' },
    ]);
  });

  test('reports the versions of a deleted notice', async () => {
    const { database } = installation;
    const row = await database.kysely
      .selectFrom('consent_notices')
      .selectAll()
      .where('id', '=', notice)
      .executeTakeFirstOrThrow();
    await tamper(database, (queries) => queries.deleteFrom('consent_notices').where('id', '=', notice).execute());
    const { faults } = await check();
    const { report } = await runVerify(installation);
    await tamper(database, (queries) => queries.insertInto('consent_notices').values(row).execute());
    const issue = 'its notice is missing';
    assert.deepEqual(
      faults,
      [1, 2].map((version) => ({ noticeId: notice, version, issue })),
    );
    if (dialect === 'sqlite') {
      assert.deepEqual(report.database.toSorted(), [
        'a row of consent_notice_texts refers to a row of consent_notices that is missing',
        'a row of consent_notice_versions refers to a row of consent_notices that is missing',
        'a row of consent_records refers to a row of consent_notices that is missing',
      ]);
    }
  });

  test('reports no fault after everything is restored', async () => {
    assert.deepEqual((await check()).faults, []);
  });
});

describeOnOneDatabase('svc verify, of what visitors were shown', (dialect) => {
  test('reports records that name a text which their version of the notice does not have', async () => {
    await using installation = await openTestInstallation(dialect);
    const { database, clock } = installation;
    const [{ id: tenantId, notices }] = (await fillLedgers(installation)) as [FilledTenant];
    const [noticeId, otherNotice] = notices as [string, string];
    const [first, second, other] = await Promise.all(
      [
        [noticeId, 1],
        [noticeId, 2],
        [otherNotice, 1],
      ].map(async ([id, version]) => {
        const found = await findVersion(database.kysely, tenantId, id as string, version as number);
        return found?.shown.en as string;
      }),
    );
    const append = (shown: Partial<RecordDraft>, notice = noticeId) => {
      const draft = { ...draftRecord(tenantId, notice, 'visitor'), source: 'public', space: 'public', language: 'en' };
      return runUnitOfWork(database, clock(), (work) => appendRecords(work, [{ ...draft, ...shown } as RecordDraft]));
    };
    await append({ shownHash: first as string });
    await append({ shownHash: second as string, noticeVersion: 2 });
    await append({ shownHash: other as string }, otherNotice);
    await append({ shownHash: 'unverified' });
    const read = async () => {
      const { report } = await runVerify(installation);
      return report.tenants.find((tenant) => tenant.tenantId === tenantId)?.notices.faults;
    };
    assert.deepEqual(await read(), []);
    const wrong = [
      await append({ shownHash: 'f'.repeat(64) }),
      await append({ shownHash: second as string }),
      // The frame of this record is that of the record of the other notice, where it is right.
      await append({ shownHash: other as string }),
      await append({ shownHash: first as string, language: 'de' }),
      await append({ shownHash: first as string, language: 'toString' }),
      await append({ shownHash: first as string, noticeVersion: 3 }),
    ];
    const expected = wrong.flat().map(({ sequence, noticeVersion }) => {
      const issue = `row ${sequence} of the consent chain names a text that this version does not have`;
      return { noticeId, version: noticeVersion, issue };
    });
    const byIssue = (one: VersionFault, other: VersionFault) =>
      one.issue.localeCompare(other.issue, 'en', { numeric: true });
    assert.deepEqual((await read())?.toSorted(byIssue), expected);
  });
});

describe('verifyVersions, of a file with bytes that are not UTF-8', () => {
  for (const [changed, column, issue] of [
    [table, 'content', 'the text is not Unicode'],
    ['consent_notice_texts', 'body', 'the text in the language en does not fit its hash'],
  ] as const)
    test(`reports those in ${changed} that are read as the character that was there`, async () => {
      const clock = new TestClock();
      await using installation = await openTestInstallation('sqlite', {}, clock);
      const { database } = installation;
      const [{ id, notices }] = (await fillLedgers(installation)) as [FilledTenant];
      const noticeId = notices[1] as string;
      await runUnitOfWork(database, clock.now(), async (work) => {
        await editNotice(work, systemSource(id), noticeId, { name: 'Shop \uFFFD' });
        await publishNotice(work, systemSource(id), noticeId);
      });
      assert.deepEqual((await verifyVersions(database.kysely, id)).faults, []);
      // EF BF BD is U+FFFD; F0 BF BD is not UTF-8 and is read as one U+FFFD too.
      await tamper(database, (queries) =>
        sql`update ${sql.table(changed)} set ${sql.id(column)} = replace(${sql.id(column)}, ${'\uFFFD'}, cast(x'f0bfbd' as text))`.execute(
          queries,
        ),
      );
      const { faults } = await verifyVersions(database.kysely, id);
      assert.deepEqual(faults, [{ noticeId, version: 2, issue }]);
    });
});
