import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Installation } from '../../installation/installation.ts';
import { nameOrigin, writeCheckpoint } from '../../ledger/checkpoint.ts';
import { findCheckpoint } from '../../ledger/checkpoint-store.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';
import { growTree } from '../../ledger/tree-store.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { ProofCheck } from '../../proofs/verify-checkpoints.ts';
import { inTransaction } from '../../storage/database.ts';
import { describeOnOneDatabase, openTestInstallation, TestClock } from '../harness.ts';
import { appendManyRecords } from '../proofs/ledger-requests.ts';
import { signNow } from './exported.ts';
import { type FilledTenant, fillLedgers, runVerify } from './fixture.ts';
import { changeRow, deleteRow, insertRow, type ProtectedTable, type Row, readRows } from './tamper.ts';

describeOnOneDatabase('svc verify of checkpoints', (dialect) => {
  const clock = new TestClock();
  let installation: Installation;
  let tenant: FilledTenant;
  before(async () => {
    installation = await openTestInstallation(dialect, {}, clock);
    [tenant] = (await fillLedgers(installation)) as [FilledTenant];
    for (const count of [300, 500]) {
      await appendManyRecords({ installation, clock }, tenant.id, count);
      await signNow(installation, { tenantId: tenant.id, ledger: 'consent' }, clock.now());
    }
  });
  after(() => installation[Symbol.asyncDispose]());

  const find = async (table: ProtectedTable, fits: (row: Row) => boolean) => {
    const rows = await readRows(installation.database, table);
    const found = rows.find((row) => row.tenant_id === tenant.id && row.ledger !== 'audit' && fits(row));
    assert.ok(found, table);
    return found;
  };
  /** The faults of the proofs of the consent ledger, and of rows that belong to no ledger. */
  const verify = async (settings = installation.settings) => {
    const { code, report, lines } = await runVerify({ settings });
    const { proofs = [], chains = [] } = report.tenants.find(({ tenantId }) => tenantId === tenant.id) ?? {};
    const consent = proofs.find(({ ledger }) => ledger === 'consent');
    assert.ok(consent);
    return { ...consent, code, lines, database: report.database, chain: chains[0]?.fault };
  };
  const issuesOf = async () => {
    const { code, faults, claimFaults, chain } = await verify();
    assert.equal(code === 1, faults.length > 0 || claimFaults.length > 0 || chain !== null);
    return faults.map(({ size, issue }) => `${size}: ${issue}`);
  };
  /** The faults while a row is missing. */
  const findRemoval = async (table: ProtectedTable, row: Row) => {
    await deleteRow(installation.database, table, row);
    const issues = await issuesOf();
    await insertRow(installation.database, table, row);
    return issues;
  };
  /** The faults while columns of a row are changed. */
  const findChange = async (table: ProtectedTable, row: Row, values: Row) => {
    await changeRow(installation.database, table, row, values);
    const issues = await issuesOf();
    await changeRow(installation.database, table, { ...row, ...values }, row);
    return issues;
  };

  test('counts them, and reports no fault in what the server wrote', async () => {
    const { code, checkpoints, signatures, faults, lines } = await verify();
    assert.deepEqual([code, checkpoints, signatures, faults], [0, 4, true, []]);
    assert.ok(lines.includes('✓ first: consent checkpoints, 4'), lines.join('\n'));
  });

  test('reports that signatures are not checked if the secret is missing, and checks the rest', async () => {
    const file = join(installation.settings.dataDir, 'secret.key');
    const row = await find('checkpoints', ({ size }) => size === 812);
    const note = String(row.note).replace(/.\n$/, '~\n');
    const root_hash = String(row.root_hash).replace(/^./, '~');
    renameSync(file, `${file}.kept`);
    try {
      const { code, signatures, lines } = await verify();
      assert.deepEqual([code, signatures], [3, false]);
      assert.ok(lines.includes('✓ first: consent checkpoints, 4 (signatures not checked)'), lines.join('\n'));
      assert.match(
        lines.join('\n'),
        /\? The secret of this installation is missing: the signatures .* are not checked/,
      );
      assert.deepEqual(await findChange('checkpoints', row, { note }), []);
      const differs = '812: the entries are not those that it was signed for';
      assert.deepEqual(await findChange('checkpoints', row, { root_hash }), [differs]);
      assert.equal(existsSync(file), false, 'looking makes no secret');
    } finally {
      renameSync(`${file}.kept`, file);
    }
    assert.deepEqual(await findChange('checkpoints', row, { note }), [
      '812: the signature is not of this installation',
    ]);
  });

  test('reports every checkpoint that another key signed', async () => {
    const stranger = new NoteSigner('the secret of another installation');
    const row = await find('checkpoints', ({ size }) => size === 312);
    const { name } = stranger.verifier;
    const rootHash = row.root_hash as string;
    const origin = nameOrigin(name, tenant.id, 'consent');
    const note = stranger.sign(writeCheckpoint({ origin, size: 312, rootHash, at: row.at as string }));
    assert.deepEqual(await findChange('checkpoints', row, { note }), [
      '312: the signature is not of this installation',
    ]);
  });

  test('checks no signatures with a secret that is not that of the installation', async () => {
    const secret = 'the secret of another installation';
    const { faults, signatures } = await verify({ ...installation.settings, secret });
    assert.deepEqual([faults, signatures], [[], false]);
  });

  test('reports a checkpoint with the note of another', async () => {
    const [row, other] = [
      await find('checkpoints', ({ size }) => size === 312),
      await find('checkpoints', ({ size }) => size === 812),
    ];
    const issues = await findChange('checkpoints', row, { note: other.note as string });
    assert.deepEqual(issues, ['312: the row differs from the signed note']);
  });

  test('reports checkpoints of entries that were removed together with the head', async () => {
    const { database } = installation;
    const rows = (await readRows(database, 'consent_records')).filter(
      ({ tenant_id, sequence }) => tenant_id === tenant.id && Number(sequence) > 700,
    );
    const head = await find('chain_heads', () => true);
    const last = await find('consent_records', ({ sequence }) => sequence === 700);
    for (const row of rows) await deleteRow(database, 'consent_records', row);
    const at = last.recorded_at as string;
    await changeRow(database, 'chain_heads', head, { sequence: 700, hash: last.hash as string, at });
    const { code, chain, faults } = await verify();
    for (const row of rows) await insertRow(database, 'consent_records', row);
    await changeRow(database, 'chain_heads', head, head);
    assert.equal(code, 1);
    assert.match(chain?.issue ?? '', /the seal of the head does not fit/);
    assert.ok(faults.some(({ size, issue }) => size === 812 && issue === 'covers 812 entries, the ledger has 700'));
  });

  test('reports a tile that is missing, too short, or not of the ledger', async () => {
    const rows = (await readRows(installation.database, 'merkle_tiles')).filter(
      ({ tenant_id, ledger }) => tenant_id === tenant.id && ledger === 'consent',
    );
    assert.deepEqual(
      rows.map(({ level, number }) => `${level}/${number}`),
      ['0/0', '0/1', '0/2', '0/3', '1/0'],
    );
    for (const row of rows) {
      const name = `${row.level}/${row.number}`;
      const bytes = Buffer.from(row.hashes as string, 'base64');
      const encode = (change: Buffer) => ({ hashes: change.toString('base64') });
      assert.deepEqual(await findRemoval('merkle_tiles', row), [`null: tile ${name} is missing`]);
      const differs = [`null: tile ${name} differs from the entries, so proofs would not verify`];
      const swapped = Buffer.concat([bytes.subarray(32, 64), bytes.subarray(0, 32), bytes.subarray(64)]);
      for (const wrong of [
        swapped,
        bytes.subarray(0, -32),
        bytes.subarray(0, -1),
        Buffer.alloc(0),
        Buffer.concat([bytes, Buffer.alloc(5)]),
      ])
        assert.deepEqual(await findChange('merkle_tiles', row, encode(wrong)), differs);
      for (const text of ['x', `${row.hashes}\n`, ` ${row.hashes}`])
        assert.deepEqual(await findChange('merkle_tiles', row, { hashes: text }), differs);
    }
  });

  test('reports a tree that claims more entries than its ledger', async () => {
    const trees = installation.database.kysely
      .updateTable('merkle_trees')
      .where('tenant_id', '=', tenant.id)
      .where('ledger', '=', 'consent');
    await trees.set({ size: 813 }).execute();
    const issues = await issuesOf();
    await trees.set({ size: 812 }).execute();
    assert.deepEqual(issues[0], 'null: the tree has 813 entries, the ledger 812');
  });

  test('reports rows of ledgers that do not exist', async () => {
    const row = await find('checkpoints', ({ size }) => size === 812);
    await insertRow(installation.database, 'checkpoints', { ...row, tenant_id: 'unknown' });
    const { code, database } = await verify();
    await deleteRow(installation.database, 'checkpoints', { ...row, tenant_id: 'unknown' });
    assert.equal(code, 1);
    assert.deepEqual(database, ['checkpoints has rows of the ledger consent of unknown, which does not exist']);
  });

  test('reports no fault after everything is restored', async () => {
    assert.deepEqual(await issuesOf(), []);
  });

  test('reports no false fault while the server appends, grows its trees and signs', async () => {
    const { database } = installation;
    const of = { tenantId: tenant.id, ledger: 'consent' } as const;
    // The tree may grow in any steps during the check: to a size before its start, up to it, and beyond its end.
    for (const [before, grown, during] of [
      [0, 0, 100],
      [700, 300, 40],
      [700, 256, 600],
      [1, 1, 1],
    ] as const) {
      await appendManyRecords({ installation, clock }, of.tenantId, before + 1);
      const check = await ProofCheck.open(database.kysely, of);
      const { entries } = await verifyChain(database.kysely, 'consent', of.tenantId, undefined, ({ hash }) =>
        check.take(hash),
      );
      await inTransaction(database, (transaction) => growTree(transaction, of, grown));
      await appendManyRecords({ installation, clock }, of.tenantId, during + 1);
      if (during > 40) await signNow(installation, of, clock.now());
      const { faults } = await check.finish(installation.signer.verifier, true);
      assert.deepEqual(faults, [], `${before} ${grown} ${during}`);
      assert.ok(((await findCheckpoint(database.kysely, of))?.size ?? 0) > 0 && entries > 0);
    }
    assert.equal((await verify()).code, 0);
  });
});
