import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Installation } from '../../installation/installation.ts';
import { changingRows } from '../../ledger/audit/rows.ts';
import { describeOnOneDatabase, openTestInstallation } from '../harness.ts';
import { type FilledTenant, fillLedgers, runVerify, type VerifyReport } from '../ledger/fixture.ts';
import { changeRow, type Row, readRows } from '../ledger/tamper.ts';

const svc = fileURLToPath(new URL('../../cli/svc.js', import.meta.url));

const describeReach = (anchors: number, entries: number) =>
  anchors === 0
    ? '0: no roll-back can be detected yet'
    : `${anchors}: a roll-back to fewer than ${entries} entries (2026-11-21T12:00:00.000Z) is detected`;

describeOnOneDatabase('svc verify', (dialect) => {
  let installation: Installation;
  let first: FilledTenant;
  let second: FilledTenant;
  before(async () => {
    installation = await openTestInstallation(dialect);
    [first, second] = (await fillLedgers(installation)) as [FilledTenant, FilledTenant];
  });
  after(() => installation[Symbol.asyncDispose]());

  /** Runs the command as a child process. */
  const run = (...words: readonly string[]) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const { dataDir, databaseUrl } = installation.settings;
      const env = { ...process.env, SVC_DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' };
      execFile(process.execPath, [svc, 'verify', ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  test('exits with 0 and lists what it checked if nothing was changed', async () => {
    const { report } = await runVerify(installation);
    const tables = changingRows.map(({ table }) => table).join(', ');
    const events = await readRows(installation.database, 'audit_events');
    const expected = report.tenants.map(({ tenantId, slug, rows }) => {
      const count = events.filter(({ tenant_id }) => tenant_id === tenantId).length;
      const [records, versions, checkpoints] = slug === 'empty' ? [0, 0, 0] : [12, 3, 2];
      return [
        `✓ ${slug}: consent chain, ${records} entries`,
        `✓ ${slug}: audit chain, ${count} entries`,
        `✓ ${slug}: 0 erased records`,
        `✓ ${slug}: values that identify a person in audit events, missing exactly where they were erased`,
        `✓ ${slug}: consent checkpoints, ${checkpoints}`,
        `✓ ${slug}: audit checkpoints, ${checkpoints}`,
        `✓ ${slug}: consent anchors, ${describeReach(checkpoints, records)}`,
        `✓ ${slug}: audit anchors, ${describeReach(checkpoints, count)}`,
        `✓ ${slug}: ${versions} published notice versions`,
        `✓ ${slug}: ${rows.checked} rows of ${tables}`,
        `✓ ${slug}: 0 evidence files`,
      ];
    });
    assert.deepEqual(
      report.tenants.map(({ slug }) => slug),
      ['first', 'second', 'empty'],
    );
    const { code, stdout, stderr } = await run();
    assert.equal(code, 0);
    assert.equal(stderr, '');
    const seals = `✓ the seals of ${report.grants?.checked} rows that grant access`;
    assert.deepEqual(stdout.split('\n'), [...expected.flat(), seals, 'Everything is as it was written.', '']);
  });

  test('--json prints one document', async () => {
    const { code, stdout } = await run('--json');
    assert.equal(code, 0);
    const report: VerifyReport = JSON.parse(stdout);
    assert.equal(report.intact, true);
    assert.deepEqual(
      report.tenants.map(({ slug }) => slug),
      ['first', 'second', 'empty'],
    );
  });

  test('--tenant checks only one tenant, by slug or id', async () => {
    for (const tenant of [second.slug, second.id]) {
      const { report } = await runVerify(installation, { tenant });
      assert.deepEqual(
        report.tenants.map(({ tenantId }) => tenantId),
        [second.id],
      );
    }
  });

  test('reports a usage error for an unknown tenant', async () => {
    const { code, stderr } = await run('--tenant', 'unknown');
    assert.equal(code, 2);
    assert.equal(stderr, 'svc: There is no tenant unknown.\n');
  });

  test('does not change the database', async () => {
    const { database } = installation;
    const tables = ['consent_records', 'audit_events', 'chain_heads'] as const;
    const read = () => Promise.all(tables.map((table) => readRows(database, table)));
    const before = await read();
    await runVerify(installation);
    assert.deepEqual(await read(), before);
  });

  test('exits with 1 and reports a changed row', async () => {
    const row = (await readRows(installation.database, 'consent_records')).find(
      ({ tenant_id, sequence }) => tenant_id === second.id && sequence === 5,
    ) as Row;
    await changeRow(installation.database, 'consent_records', row, { subject_id: 'another-subject' });
    const plain = await run();
    const json = await run('--json');
    const other = await runVerify(installation, { tenant: first.id });
    await changeRow(installation.database, 'consent_records', row, { subject_id: row.subject_id as string });
    assert.equal(plain.code, 1);
    assert.equal(plain.stderr, '');
    assert.ok(
      plain.stdout.includes(`✗ second: consent chain, row 5 (${row.id}): the column subject_id differs from the entry`),
    );
    assert.ok(plain.stdout.endsWith('Something was changed. Keep this database and compare it with a backup.\n'));
    assert.equal(json.code, 1);
    const report: VerifyReport = JSON.parse(json.stdout);
    assert.equal(report.intact, false);
    assert.deepEqual(report.tenants[1]?.chains[0]?.fault, {
      ledger: 'consent',
      tenantId: second.id,
      sequence: 5,
      id: row.id,
      issue: 'the column subject_id differs from the entry',
    });
    assert.equal(other.code, 0);
  });
});
