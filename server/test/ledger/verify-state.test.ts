import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import canonicalize from 'canonicalize';
import { sql } from 'kysely';
import { NoticeContent } from '../../consent/notice.ts';
import { archiveNotice, createNotice, deleteNotice, editNotice, publishNotice } from '../../consent/notice-changes.ts';
import type { Installation } from '../../installation/installation.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { RowStates, verifyRows } from '../../proofs/verify-rows.ts';
import { changingRows } from '../../proofs/verify-tenant.ts';
import { runUnitOfWork, type UnitOfWork } from '../../storage/database.ts';
import { migrationTable } from '../../storage/migrate.ts';
import { newId } from '../../storage/rows.ts';
import { describeOnOneDatabase, noticeContent, openTestInstallation } from '../harness.ts';
import { type FilledTenant, fillLedgers, runVerify } from './fixture.ts';
import {
  changeRow,
  deleteRow,
  fileTables,
  insertRow,
  logTables,
  type ProtectedTable,
  protectedTables,
  type Row,
  readRows,
  sealedTables,
  workingState,
} from './tamper.ts';

describeOnOneDatabase('verifyRows', (dialect) => {
  let installation: Installation;
  let tenant: FilledTenant;
  let notice: string;
  before(async () => {
    installation = await openTestInstallation(dialect);
    [tenant] = (await fillLedgers(installation)) as [FilledTenant];
    [notice] = tenant.notices as [string];
  });
  after(() => installation[Symbol.asyncDispose]());

  const change = (step: (work: UnitOfWork) => Promise<unknown>) =>
    runUnitOfWork(installation.database, '2026-11-21T13:00:00.000Z', step);
  const findRow = async (table: ProtectedTable, id: string) =>
    (await readRows(installation.database, table)).find((row) => row.id === id) as Row;
  const findKeys = async () =>
    (await readRows(installation.database, 'api_keys')).filter(({ tenant_id }) => tenant_id === tenant.id);
  /** The faults that `svc verify` reports for the rows of all tenants. */
  const findFaults = async () => {
    const { code, report } = await runVerify(installation);
    const faults = report.tenants.flatMap(({ rows }) => rows.faults);
    assert.equal(code, faults.length + report.database.length === 0 ? 0 : 1);
    return faults;
  };

  test('every table is either checked or working state', async () => {
    const tables = await installation.database.kysely.introspection.getTables();
    const checked = { ...protectedTables, ...fileTables, ...logTables, ...sealedTables };
    const known = [...Object.keys(checked), ...workingState, 'erasures', 'installation'];
    assert.deepEqual(
      tables
        .map(({ name }) => name)
        .filter((name) => name !== migrationTable)
        .sort(),
      known.sort(),
      'a new table needs its check, and its row in the tests of one changed character',
    );
  });

  test('the hash is that of the canonical row, so that other programs can compute it', async () => {
    const { record_count: _, last_seen_at: _seen, ...row } = await findRow('consent_notices', notice);
    const events = await installation.database.kysely
      .selectFrom('audit_events')
      .select('entry')
      .where('tenant_id', '=', tenant.id)
      .orderBy('sequence', 'desc')
      .execute();
    const last = events.map(({ entry }) => JSON.parse(entry)).find(({ targetId }) => targetId === notice);
    assert.deepEqual(last.diff.states, { 'consent_notice/1': hash('sha256', canonicalize(row) as string) });
  });

  test('reports no fault for a notice in any of its states, or during captures', async () => {
    const source = systemSource(tenant.id);
    await change((work) => archiveNotice(work, source, notice));
    assert.deepEqual(await findFaults(), []);
    await change((work) => publishNotice(work, source, notice));
    await change((work) => editNotice(work, source, notice, { name: 'Name \uFFFD' }));
    assert.deepEqual(await findFaults(), []);
  });

  test('reports no fault for a notice that was deleted, and one for its row when it is back', async () => {
    const source = systemSource(tenant.id);
    let draft = '';
    await change(async (work) => {
      draft = (await createNotice(work, source, NoticeContent.parse(noticeContent))).id;
    });
    const row = await findRow('consent_notices', draft);
    await change((work) => deleteNotice(work, source, draft));
    assert.deepEqual(await findFaults(), []);
    await insertRow(installation.database, 'consent_notices', row);
    const faults = await findFaults();
    await deleteRow(installation.database, 'consent_notices', { id: draft });
    assert.deepEqual(faults, [{ table: 'consent_notices', id: draft, issue: 'the audit log has no event of the row' }]);
  });

  test('reports a deleted row', async () => {
    const [key] = (await findKeys()) as [Row];
    await deleteRow(installation.database, 'api_keys', key);
    const faults = await findFaults();
    await insertRow(installation.database, 'api_keys', key);
    assert.deepEqual(faults, [{ table: 'api_keys', id: key.id, issue: 'the row is missing' }]);
  });

  test('reports an inserted row', async () => {
    const [key] = (await findKeys()) as [Row];
    const id = newId();
    await insertRow(installation.database, 'api_keys', { ...key, id, hash: 'f'.repeat(64) });
    const faults = await findFaults();
    await deleteRow(installation.database, 'api_keys', { id });
    assert.deepEqual(faults, [{ table: 'api_keys', id, issue: 'the audit log has no event of the row' }]);
  });

  test('reports an inserted row of a tenant that does not exist', async () => {
    const [key] = (await findKeys()) as [Row];
    const id = newId();
    await insertRow(installation.database, 'api_keys', { ...key, id, hash: 'f'.repeat(64), tenant_id: 'unknown' });
    const faults = await findFaults();
    await deleteRow(installation.database, 'api_keys', { id });
    assert.deepEqual(faults, [{ table: 'api_keys', id, issue: 'the audit log has no event of the row' }]);
  });

  test('reports a key whose expiry was removed, and one that got more scopes', async () => {
    const [endless, ending] = (await findKeys()) as [Row, Row];
    await changeRow(installation.database, 'api_keys', ending, { expires_at: null });
    await changeRow(installation.database, 'api_keys', endless, { scopes: `${endless.scopes} everything` });
    const faults = await findFaults();
    await changeRow(installation.database, 'api_keys', ending, { expires_at: ending.expires_at as string });
    await changeRow(installation.database, 'api_keys', endless, { scopes: endless.scopes as string });
    const issue = 'the row differs from the audit log';
    assert.deepEqual(
      faults,
      [endless, ending].map(({ id }) => ({ table: 'api_keys', id, issue })),
    );
  });

  test('reports a row that was set back to an earlier state', async () => {
    const { record_count: _, ...before } = await findRow('consent_notices', notice);
    await change((work) => editNotice(work, systemSource(tenant.id), notice, { name: 'Another' }));
    const { record_count: __, ...now } = await findRow('consent_notices', notice);
    await changeRow(installation.database, 'consent_notices', { id: notice }, before);
    const faults = await findFaults();
    await changeRow(installation.database, 'consent_notices', { id: notice }, now);
    const issue = 'the row differs from the audit log';
    assert.deepEqual(faults, [{ table: 'consent_notices', id: notice, issue }]);
  });

  test('identifies a tenant by its id, not by its name or slug', async () => {
    const row = await findRow('tenants', tenant.id);
    await changeRow(installation.database, 'tenants', row, { name: 'Renamed', slug: 'renamed' });
    const { report } = await runVerify(installation, { tenant: 'renamed' });
    await changeRow(installation.database, 'tenants', row, { name: row.name as string, slug: row.slug as string });
    const issue = 'the row differs from the audit log';
    assert.deepEqual(report.tenants[0]?.rows.faults, [{ table: 'tenants', id: tenant.id, issue }]);
  });

  test('accepts only what the server changed after the chain was walked', async () => {
    const { kysely } = installation.database;
    const logged = new RowStates();
    await verifyChain(kysely, 'audit', tenant.id, undefined, ({ entry }) => logged.read(entry));
    await change((work) => editNotice(work, systemSource(tenant.id), notice, { name: 'Meanwhile' }));
    const check = async () => (await verifyRows(kysely, changingRows, tenant.id, logged)).faults;
    assert.deepEqual(await check(), []);
    await sql`update consent_notices set search_text = 'x' where id = ${notice}`.execute(kysely);
    assert.deepEqual(
      (await check()).map(({ id }) => id),
      [notice],
    );
    await change((work) => editNotice(work, systemSource(tenant.id), notice, { name: 'Again' }));
    assert.deepEqual(await check(), []);
  });

  test('reports no fault after everything is restored', async () => {
    assert.deepEqual(await findFaults(), []);
  });
});
