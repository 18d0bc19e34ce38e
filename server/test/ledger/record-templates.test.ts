import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { NoticeContent } from '../../consent/notice.ts';
import { createNotice } from '../../consent/notice-changes.ts';
import type { RecordDraft } from '../../consent/record.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { lockChain } from '../../ledger/entry.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { type Dialect, runTransaction, type Transaction } from '../../storage/database.ts';
import { describeOnEachDatabase, noticeContent, openTestInstallation, TestClock } from '../harness.ts';
import { draftRecord } from './fixture.ts';
import { readRows } from './tamper.ts';

/** A tenant with a notice, on which records are appended. */
async function open(dialect: Dialect) {
  const installation = await openTestInstallation(dialect);
  const { database } = installation;
  const now = new TestClock().now();
  const run = <Result>(step: (tx: Transaction) => Promise<Result>) => runTransaction(database, now, step);
  const { id: tenantId } = await run((tx) => createTenant(tx, { slug: 'busy', name: 'Busy' }));
  const content = noticeContent as unknown as NoticeContent;
  const notice = await run((tx) => createNotice(tx, systemSource(tenantId), content));
  const draft = (subject: string) => draftRecord(tenantId, notice.id, subject);
  const append = (...drafts: readonly RecordDraft[]) => run((tx) => appendRecords(tx, drafts));
  const verify = () => verifyChain(database.kysely, 'consent', tenantId);
  return { ...installation, tenantId, run, draft, append, verify };
}

describeOnEachDatabase('servers that meet a new template at the same moment', (dialect) => {
  test('append records that verify, and later ones use a template that is there', async () => {
    await using scene = await open(dialect);
    const { database, tenantId, run, draft, append, verify } = scene;
    const waiting: Promise<unknown>[] = [];
    await run(async (tx) => {
      await lockChain(tx, { tenantId, ledger: 'consent' });
      waiting.push(append(draft('one')), append(draft('two')));
      // On SQLite a transaction begins when the one before has ended.
      while (dialect === 'postgres' && (await countWaiting(database.kysely)) < 2);
    });
    await Promise.all(waiting);
    await append(draft('three'));
    const templates = await readRows(database, 'record_templates');
    assert.deepEqual(
      templates.map(({ number }) => number),
      dialect === 'postgres' ? [1, 2] : [1],
    );
    assert.deepEqual(await verify(), { ledger: 'consent', tenantId, entries: 3, fault: null });
  });
});

describe('verification of a ledger with more templates than are kept in memory', () => {
  test('finds a template again that an earlier record has', async () => {
    await using scene = await open('sqlite');
    const { tenantId, draft, append, verify } = scene;
    // Pages of 500 rows: a page begins with the template of the first record after 10,500 others were read.
    const methods = Array.from({ length: 10_502 }, (_, number) => `method ${number === 10_500 ? 0 : number}`);
    await append(...methods.map((method) => ({ ...draft('subject'), method })));
    assert.deepEqual(await verify(), { ledger: 'consent', tenantId, entries: 10_502, fault: null });
  });
});

/** How many connections wait for the lock of a row. */
async function countWaiting(queries: Parameters<typeof verifyChain>[0]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(queries);
  return rows[0]?.count ?? 0;
}
