import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import canonicalize from 'canonicalize';
import { sql } from 'kysely';
import { NoticeContent } from '../../consent/notice.ts';
import { archiveNotice, createNotice, deleteNotice, editNotice, publishNotice } from '../../consent/notice-changes.ts';
import { appendRecords } from '../../consent/record-store.ts';
import type { Installation } from '../../installation/installation.ts';
import { changingRows } from '../../ledger/audit/rows.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { signCheckpoint } from '../../ledger/checkpoint-store.ts';
import { growTree } from '../../ledger/tree-store.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { ProofCheck } from '../../proofs/verify-checkpoints.ts';
import { RowStates, verifyRows } from '../../proofs/verify-rows.ts';
import { inTransaction, runTransaction, type Transaction } from '../../storage/database.ts';
import { migrationTable } from '../../storage/migrate.ts';
import { accept, invite } from '../accounts/members/invitation-helpers.ts';
import { addPerson, watch } from '../accounts/members/membership-helpers.ts';
import { payload } from '../consent/helpers.ts';
import {
  describeOnEachDatabase,
  describeOnOneDatabase,
  noticeContent,
  openTestInstallation,
  startTestServer,
  TestClock,
} from '../harness.ts';
import { signNow } from '../ledger/exported.ts';
import { draftRecord, type FilledTenant, fillLedgers, runVerify } from '../ledger/fixture.ts';
import {
  changeRow,
  fileTables,
  logTables,
  protectedTables,
  type Row,
  readRows,
  sealedTables,
  workingState,
} from '../ledger/tamper.ts';
import { appendManyRecords } from './ledger-requests.ts';

describeOnOneDatabase('svc verify of what the server wrote', (dialect) => {
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

  const change = (step: (tx: Transaction) => Promise<unknown>, at = '2026-11-21T13:00:00.000Z') =>
    runTransaction(installation.database, at, step);
  const assertIntact = async () => {
    const { code, lines } = await runVerify(installation);
    assert.equal(code, 0, lines.join('\n'));
  };

  test('every table is either checked or working state', async () => {
    const tables = await installation.database.kysely.introspection.getTables();
    const checked = { ...protectedTables, ...fileTables, ...logTables, ...sealedTables };
    const known = [...Object.keys(checked), ...workingState, 'erasures', 'installation', 'key_rotations'];
    assert.deepEqual(
      tables
        .map(({ name }) => name)
        .filter((name) => name !== migrationTable)
        .sort(),
      known.sort(),
      'a new table needs its check, and its row in the tests of one changed character',
    );
  });

  test('the hash of a state is that of the canonical row, so that other programs can compute it', async () => {
    const notices = await readRows(installation.database, 'consent_notices');
    const { record_count: _, last_seen_at: _seen, ...row } = notices.find(({ id }) => id === notice) as Row;
    const events = (await readRows(installation.database, 'audit_events')).map(({ entry }) =>
      JSON.parse(String(entry)),
    );
    const { diff } = events.findLast(({ targetId }) => targetId === notice);
    assert.deepEqual(diff.states, { 'consent_notice/1': hash('sha256', canonicalize(row) as string) });
  });

  test('reports no fault for a notice in any of its states, and after it was deleted', async () => {
    const source = systemSource(tenant.id);
    await change((tx) => archiveNotice(tx, source, notice));
    await assertIntact();
    await change((tx) => publishNotice(tx, source, notice));
    await change((tx) => editNotice(tx, source, notice, { name: 'Name \uFFFD' }));
    await change(async (tx) => {
      const { id } = await createNotice(tx, source, NoticeContent.parse(noticeContent));
      await deleteNotice(tx, source, id);
    });
    await assertIntact();
  });

  test('reports no fault for a version that was published with the clock set back', async () => {
    const source = systemSource(tenant.id);
    await change(async (tx) => {
      await editNotice(tx, source, tenant.notices[1] as string, { name: 'Edited in the past' });
      await publishNotice(tx, source, tenant.notices[1] as string);
    }, '2020-01-01T00:00:00.000Z');
    await assertIntact();
  });

  test('accepts only what the server changed after the chain was walked', async () => {
    const { kysely } = installation.database;
    const logged = new RowStates();
    await verifyChain(kysely, 'audit', tenant.id, undefined, ({ entry }) => logged.read(entry));
    const edit = (name: string) => change((tx) => editNotice(tx, systemSource(tenant.id), notice, { name }));
    const check = async () => (await verifyRows(kysely, changingRows, tenant.id, logged)).faults.map(({ id }) => id);
    await edit('Meanwhile');
    assert.deepEqual(await check(), []);
    await sql`update consent_notices set search_text = 'x' where id = ${notice}`.execute(kysely);
    assert.deepEqual(await check(), [notice]);
    await edit('Again');
    assert.deepEqual(await check(), []);
  });

  test('reports no false fault while the server appends, grows its trees and signs', async () => {
    const { database } = installation;
    const of = { tenantId: tenant.id, ledger: 'consent' } as const;
    await appendManyRecords({ installation, clock }, of.tenantId, 800);
    await signNow(installation, of, clock.now());
    // The tree may grow in any steps during the check: to a size before its start, up to it, and beyond its end.
    for (const [before, grown, during] of [
      [0, 0, 100],
      [700, 300, 40],
      [700, 256, 600],
      [1, 1, 1],
    ] as const) {
      await appendManyRecords({ installation, clock }, of.tenantId, before + 1);
      const check = await ProofCheck.open(database.kysely, of);
      await verifyChain(database.kysely, 'consent', of.tenantId, undefined, ({ hash }) => check.take(hash));
      await inTransaction(database, (transaction) => growTree(transaction, of, grown));
      await appendManyRecords({ installation, clock }, of.tenantId, during + 1);
      if (during > 40) await signNow(installation, of, clock.now());
      const { faults } = await check.finish(installation.signer.verifier, true);
      assert.deepEqual(faults, [], `${before} ${grown} ${during}`);
    }
    await assertIntact();
  });
});

describeOnOneDatabase('svc verify of people', (dialect) => {
  test('reports changes of a person in the tenants that they have joined, and none by the people themselves', async () => {
    await using server = await startTestServer(dialect);
    const { database } = server.installation;
    const other = await server.createTenant('other');
    const lists = await server.createTenant('lists');
    const person = await server.createMember({ tenantId: other.id });
    const verify = async () => {
      const { report } = await runVerify(server.installation);
      return report.tenants.flatMap(({ slug, rows }) =>
        rows.faults.map(({ table, issue }) => `${slug} ${table}: ${issue}`),
      );
    };
    /** The faults while the database has another password. */
    const findChange = async () => {
      const row = (await readRows(database, 'users')).find(({ id }) => id === person.userId) as Row;
      await changeRow(database, 'users', row, {
        password_hash: '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0$dGFndGFndGFn',
      });
      const faults = await verify();
      await changeRow(database, 'users', row, { password_hash: row.password_hash ?? null });
      return faults;
    };
    await addPerson(server, lists.id, { email: person.email });
    const newPassword = 'seven grey geese at dusk';
    const body = { currentPassword: person.password, newPassword };
    const { result, events, webhooks } = await watch(server, lists.id, () =>
      server.request('POST', '/v1/auth/password', { headers: person.session, body }),
    );
    assert.ok(result.status < 300, result.text);
    assert.deepEqual([events, webhooks, await verify()], [[], [], []]);
    const changed = 'users: the row differs from the audit log';
    assert.deepEqual(await findChange(), [`other ${changed}`]);
    const invited = await invite(server, server.tenant, 'invited@example.com');
    payload(await server.request('DELETE', `/v1/users/invitations/${invited.id}`), 200);
    const { token } = await invite(server, lists, person.email);
    payload(await accept(server, token, newPassword), 200);
    payload(
      await server.request('PATCH', `/v1/users/${person.userId}`, { key: lists.key, body: { role: 'dpo' } }),
      200,
    );
    assert.deepEqual(await verify(), []);
    assert.deepEqual((await findChange()).sort(), [`lists ${changed}`, `other ${changed}`]);
  });
});

describeOnEachDatabase('svc verify while a server writes', (dialect) => {
  test('reports no false fault', async () => {
    await using installation = await openTestInstallation(dialect);
    const { database, clock } = installation;
    const [{ id, notices }] = (await fillLedgers(installation)) as [FilledTenant];
    const [source, notice] = [systemSource(id), notices[0] as string];
    const change = (step: (tx: Transaction) => Promise<unknown>) => runTransaction(database, clock(), step);
    let verifying = true;
    let written = 0;
    let draft: string | null = null;
    // SQLite runs synchronously, so the two take turns at every query.
    const writeRepeatedly = async () => {
      while (verifying) {
        written += 1;
        await change(async (tx) => {
          await editNotice(tx, source, notice, { name: `Edition ${written}` });
          await publishNotice(tx, source, notice);
        });
        await change(async (tx) => {
          if (draft !== null) await deleteNotice(tx, source, draft);
          draft = (await createNotice(tx, source, NoticeContent.parse(noticeContent))).id;
        });
        await change((tx) => appendRecords(tx, [draftRecord(id, notice, `subject ${written}`)]));
        if (written % 3 !== 0) continue;
        for (const ledger of ['consent', 'audit'] as const)
          await change((tx) => signCheckpoint(tx, installation, { tenantId: id, ledger }));
      }
    };
    const writing = writeRepeatedly();
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
