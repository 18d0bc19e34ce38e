import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { NoticeContent } from '../../consent/notice.ts';
import { createNotice } from '../../consent/notice-changes.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { runUnitOfWork, type UnitOfWork } from '../../storage/database.ts';
import { noticeContent, openTestInstallation, TestClock } from '../harness.ts';
import { draftRecord } from './fixture.ts';

describe('verification of a ledger with more frames than are kept in memory', () => {
  test('finds a frame again that an earlier record has', async () => {
    await using installation = await openTestInstallation('sqlite');
    const { database } = installation;
    const clock = new TestClock();
    const run = <Result>(step: (work: UnitOfWork) => Promise<Result>) => runUnitOfWork(database, clock.now(), step);
    const { id } = await run((work) => createTenant(work, { slug: 'many', name: 'Many' }));
    const content = noticeContent as unknown as NoticeContent;
    const notice = await run((work) => createNotice(work, systemSource(id), content));
    // Pages of 500 rows: a page begins with the frame of the first record after 10,500 others were read.
    const methods = Array.from({ length: 10_502 }, (_, number) => `method ${number === 10_500 ? 0 : number}`);
    const drafts = methods.map((method) => ({ ...draftRecord(id, notice.id, 'subject'), method }));
    await run((work) => appendRecords(work, drafts));
    const report = await verifyChain(database.kysely, 'consent', id);
    assert.deepEqual(report, { ledger: 'consent', tenantId: id, entries: 10_502, fault: null });
  });
});
