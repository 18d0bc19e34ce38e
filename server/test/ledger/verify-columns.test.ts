import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Installation } from '../../installation.ts';
import { describeOnEachDatabase, openTestInstallation } from '../harness.ts';
import { fillLedgers, runVerify, type VerifyReport } from './fixture.ts';
import { changeRow, liftProtection, type ProtectedTable, protectedTables, type Row, readRows } from './tamper.ts';

/** One character of one column of one row, and what stands there instead. */
interface Change {
  readonly row: Row;
  readonly column: string;
  readonly value: string | number;
}

describeOnEachDatabase('one changed character is found', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
    await fillLedgers(installation);
    await liftProtection(installation.database);
  });
  after(() => installation[Symbol.asyncDispose]());

  test('nothing is found before anything is changed', async () => {
    const { code, report } = await runVerify(installation);
    assert.equal(code, 0, JSON.stringify(report));
  });

  for (const table of Object.keys(protectedTables) as ProtectedTable[]) {
    test(`in any column of ${table}, and the row is named`, async () => {
      const { database } = installation;
      const rows = await readRows(database, table);
      for (const column of Object.keys(rows[0] as Row)) {
        await fc.assert(
          fc.asyncProperty(anyChange(rows, column), async ({ row, value }) => {
            fc.pre(!isTaken(rows, table, { ...row, [column]: value }, row));
            await changeRow(database, table, row, { [column]: value });
            try {
              const { code, report } = await runVerify(installation);
              assert.equal(code, 1);
              assertNamed(report, table, { row, column, value });
            } finally {
              await changeRow(database, table, { ...row, [column]: value }, { [column]: row[column] as string });
            }
          }),
          { numRuns: dialect === 'sqlite' ? 15 : 5 },
        );
      }
      assert.equal((await runVerify(installation)).code, 0);
    });
  }
});

/** Whether a change would give a row the key of another one, which the database refuses. */
function isTaken(rows: readonly Row[], table: ProtectedTable, changed: Row, row: Row): boolean {
  return rows.some((other) => other !== row && protectedTables[table].every((key) => other[key] === changed[key]));
}

/** Another character at any position of the column in any row; in a number, another digit; for null, any text. */
function anyChange(rows: readonly Row[], column: string): fc.Arbitrary<Change> {
  return fc.constantFrom(...rows).chain((row) => {
    const old = row[column] as string | number | null;
    const characters = [...(String(old ?? '') || ' ')];
    const replacement =
      typeof old === 'number' ? fc.constantFrom(...'0123456789') : fc.constantFrom(...'0aZ" \u{1F600}\uFFFD');
    return fc
      .tuple(fc.nat(characters.length - 1), replacement)
      .filter(([position, character]) => characters[position] !== character)
      .map(([position, character]) => {
        const text = characters.with(position, character).join('');
        return { row, column, value: typeof old === 'number' ? Number(text) : text };
      })
      .filter(({ value }) => value !== old);
  });
}

function assertNamed(report: VerifyReport, table: ProtectedTable, { row, column, value }: Change): void {
  const tenant = report.tenants.find(({ tenantId }) => tenantId === (table === 'tenants' ? row.id : row.tenant_id));
  const told = JSON.stringify(report.tenants, null, 1);
  if (column === 'record_count') {
    assert.ok(
      tenant?.notices.faults.some(({ noticeId }) => noticeId === row.id),
      told,
    );
    return;
  }
  if (table === 'tenants' || table === 'api_keys' || table === 'consent_notices') {
    assert.ok(
      tenant?.rows.faults.some((fault) => fault.table === table && fault.id === row.id),
      told,
    );
    return;
  }
  if (table === 'consent_notice_versions') {
    const named = tenant?.notices.faults.some(
      ({ noticeId, version }) => noticeId === row.notice_id && version === row.version,
    );
    assert.ok(named, told);
    return;
  }
  const ledger = table === 'chain_heads' ? row.ledger : table === 'audit_events' ? 'audit' : 'consent';
  const fault = tenant?.chains.find((chain) => chain.ledger === ledger)?.fault;
  assert.ok(fault, told);
  assert.equal(fault.tenantId, row.tenant_id);
  if (table === 'chain_heads') return;
  assert.equal(fault.sequence, row.sequence);
  // Under another number or tenant the row is missing where it was.
  const gone = column === 'sequence' || column === 'tenant_id';
  assert.equal(fault.id, gone ? null : column === 'id' ? value : row.id);
}
