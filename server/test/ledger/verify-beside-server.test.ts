import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoticeContent } from '../../consent/notice.ts';
import { createNotice, deleteNotice, editNotice, publishNotice } from '../../consent/notice-changes.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { signCheckpoint } from '../../ledger/checkpoint-store.ts';
import { runUnitOfWork } from '../../storage/database.ts';
import { describeOnEachDatabase, noticeContent, openTestInstallation } from '../harness.ts';
import { draftRecord, type FilledTenant, fillLedgers, runVerify } from './fixture.ts';

describeOnEachDatabase('svc verify while a server writes', (dialect) => {
  test('reports no false fault', async () => {
    await using installation = await openTestInstallation(dialect);
    const { database, clock } = installation;
    const [{ id, notices }] = (await fillLedgers(installation)) as [FilledTenant];
    const notice = notices[0] as string;
    let verifying = true;
    let written = 0;
    let draft: string | null = null;
    // SQLite runs synchronously, so the two take turns at every query.
    const writeOnAndOn = async () => {
      while (verifying) {
        written += 1;
        await runUnitOfWork(database, clock(), async (work) => {
          const source = systemSource(id);
          await editNotice(work, source, notice, { name: `Edition ${written}` });
          await publishNotice(work, source, notice);
        });
        await runUnitOfWork(database, clock(), async (work) => {
          const source = systemSource(id);
          if (draft !== null) await deleteNotice(work, source, draft);
          draft = (await createNotice(work, source, NoticeContent.parse(noticeContent))).id;
        });
        const record = draftRecord(id, notice, `subject ${written}`);
        await runUnitOfWork(database, clock(), (work) => appendRecords(work, [record]));
        if (written % 3 !== 0) continue;
        for (const ledger of ['consent', 'audit'] as const)
          await runUnitOfWork(database, clock(), (work) =>
            signCheckpoint(work, installation, { tenantId: id, ledger }),
          );
      }
    };
    const writing = writeOnAndOn();
    for (let round = 0; round < 15; round += 1) {
      const { code, lines } = await runVerify(installation);
      if (code !== 0) verifying = false;
      assert.equal(code, 0, lines.join('\n'));
    }
    verifying = false;
    await writing;
    assert.ok(written > 15, `only ${written} writes ran beside`);
  });
});
