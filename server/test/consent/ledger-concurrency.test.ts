import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { verifyChain } from '../../proofs/verify-chain.ts';
import type { TestServer } from '../harness.ts';
import {
  assertProblem,
  capture,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
  visit,
  withdraw,
} from './helpers.ts';

// Changes of one notice wait for each other, on a busy machine longer than the usual limit.
const environment = { SVC_DATABASE_SECONDS: '60' };

describeServerOnEachDatabase('the ledger under captures at once', define, environment);

function define(server: TestServer): void {
  const assertChainsVerify = async (tenantId: string, records: number) => {
    const { kysely } = server.installation.database;
    const ledger = await verifyChain(kysely, 'consent', tenantId);
    assert.deepEqual([ledger.fault, ledger.entries], [null, records]);
    assert.equal((await verifyChain(kysely, 'audit', tenantId)).fault, null);
  };

  test('has every acknowledged record once, numbered without gaps, in a chain that verifies', async () => {
    const { id: tenantId, key } = await createFreshTenant(server);
    const notices = [await server.createNotice({ key }), await server.createNotice({ key })];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const notice = notices[index % 2] as string;
        const body = { subjectId: `visitor-${index % 50}` };
        return index % 4 === 0 ? capture(server, notice, body, { key }) : visit(server, notice, body);
      }),
    );
    const acknowledged = new Map(answers.map((answer) => [payload(answer).id, payload(answer).ledgerHash]));
    assert.equal(acknowledged.size, 200);
    const lists = await Promise.all(
      notices.map((notice) => server.request('GET', `/v1/consent/${notice}/records?limit=200`, { key })),
    );
    const records = lists
      .flatMap((list) => payload(list, 200).data)
      .sort((one, other) => one.sequence - other.sequence);
    assert.deepEqual(
      records.map(({ sequence }) => sequence),
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
    let prevLedgerHash: string | null = null;
    for (const record of records) {
      assert.equal(record.ledgerHash, acknowledged.get(record.id));
      assert.equal(record.prevLedgerHash, prevLedgerHash);
      prevLedgerHash = record.ledgerHash;
    }
    await assertChainsVerify(tenantId, 200);
  });

  test('numbers the records of each tenant for itself', async () => {
    const tenants = [await createFreshTenant(server), await createFreshTenant(server)];
    const notices = await Promise.all(tenants.map(({ key }) => server.createNotice({ key })));
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        visit(server, notices[index % 2] as string, { subjectId: `v-${index}` }),
      ),
    );
    for (const { id } of tenants) await assertChainsVerify(id, 30);
  });

  test('takes captures, withdrawals, refusals and changes of the notice side by side', async () => {
    const { id: tenantId, key } = await createFreshTenant(server);
    const notice = await server.createNotice({ key });
    const granted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => capture(server, notice, { subjectId: `s-${index}` }, { key })),
    );
    const answers = await Promise.all([
      ...granted.map((answer) => withdraw(server, notice, payload(answer).id, {}, { key })),
      ...Array.from({ length: 20 }, (_, index) => visit(server, notice, { subjectId: `v-${index}` })),
      ...Array.from({ length: 10 }, () => capture(server, notice, { purposes: { telemetry: true } }, { key })),
      ...['One', 'Two'].map((name) => server.request('PATCH', `/v1/consent/${notice}`, { key, body: { name } })),
      server.request('POST', `/v1/consent/${notice}/publish`, { key }),
    ]);
    const statuses = Object.groupBy(answers, ({ status }) => status);
    assert.deepEqual(
      Object.entries(statuses).map(([status, list]) => [status, list?.length]),
      [
        ['200', 3],
        ['201', 40],
        ['422', 10],
      ],
    );
    await assertChainsVerify(tenantId, 60);
  });

  for (const [name, send] of [
    ['a caller', (notice: string, key: string) => capture(server, notice, {}, { key })],
    ['a visitor', (notice: string) => visit(server, notice)],
  ] as const)
    test(`rejects a record of ${name} for a notice that is archived at this moment`, async (context) => {
      const { kysely, dialect } = server.installation.database;
      if (dialect === 'sqlite') return context.skip('SQLite has one writer at a time');
      const { key } = await createFreshTenant(server);
      const notice = await server.createNotice({ key });
      payload(await capture(server, notice, {}, { key }));
      const { sent } = await kysely.transaction().execute(async (transaction) => {
        await transaction.updateTable('consent_notices').set({ status: 'archived' }).where('id', '=', notice).execute();
        const sent = send(notice, key);
        const waiting = sql<{ count: number }>`
          select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        while ((await waiting.execute(kysely)).rows[0]?.count === 0);
        return { sent };
      });
      assertProblem(await sent, '409 consent_notice_not_published');
    });
}
