import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { NoticeContent } from '../../consent/notice.ts';
import { createNotice } from '../../consent/notice-changes.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { lockChain } from '../../ledger/entry.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { runUnitOfWork, type UnitOfWork } from '../../storage/database.ts';
import { describeOnEachDatabase, noticeContent, openTestInstallation, TestClock } from '../harness.ts';
import { draftRecord } from './fixture.ts';
import { readRows } from './tamper.ts';

describeOnEachDatabase('servers that meet a new frame at the same moment', (dialect) => {
  test('append records that verify, and later ones use a frame that is there', async () => {
    await using installation = await openTestInstallation(dialect);
    const { database } = installation;
    const clock = new TestClock();
    const run = <Result>(step: (work: UnitOfWork) => Promise<Result>) => runUnitOfWork(database, clock.now(), step);
    const { id: tenantId } = await run((work) => createTenant(work, { slug: 'busy', name: 'Busy' }));
    const content = noticeContent as unknown as NoticeContent;
    const notice = await run((work) => createNotice(work, systemSource(tenantId), content));
    const append = (subject: string) => run((work) => appendRecords(work, [draftRecord(tenantId, notice.id, subject)]));
    const waiting: Promise<unknown>[] = [];
    await run(async (work) => {
      await lockChain(work, { tenantId, ledger: 'consent' });
      waiting.push(append('one'), append('two'));
      // On SQLite a unit of work begins when the one before has ended.
      while (dialect === 'postgres' && (await countWaiting(database.kysely)) < 2);
    });
    await Promise.all(waiting);
    await append('three');
    const frames = await readRows(database, 'consent_frames');
    assert.deepEqual(
      frames.map(({ number }) => number),
      dialect === 'postgres' ? [1, 2] : [1],
    );
    const report = await verifyChain(database.kysely, 'consent', tenantId);
    assert.deepEqual(report, { ledger: 'consent', tenantId, entries: 3, fault: null });
  });
});

/** How many connections wait for the lock of a row. */
async function countWaiting(queries: Parameters<typeof verifyChain>[0]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(queries);
  return rows[0]?.count ?? 0;
}
