import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { changingRows } from '../../cli/verify-tenant.ts';
import type { Installation } from '../../installation/installation.ts';
import { describeOnOneDatabase, openTestInstallation } from '../harness.ts';
import { fillLedgers, runVerify, type VerifyReport } from './fixture.ts';
import { changeRow, type ProtectedTable, protectedTables, type Row, readRows } from './tamper.ts';

/** Columns that only record the last use. */
const uses = [
  'api_keys.last_used_at',
  'memberships.last_signed_in_at',
  'scim_tokens.last_used_at',
  'second_factors.last_step',
];

/** One character of one column of one row, and its replacement. */
interface Change {
  readonly row: Row;
  readonly column: string;
  readonly value: string | number;
}

describeOnOneDatabase('one changed character is found', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
    await fillLedgers(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  test('before any change there are no faults', async () => {
    const { code, report } = await runVerify(installation);
    assert.equal(code, 0, JSON.stringify(report));
  });

  test('except in a column that records uses, which no event covers', () => {
    const counters = changingRows.flatMap(({ table, counters }) => counters.map((column) => `${table}.${column}`));
    assert.deepEqual(counters.sort(), [...uses, 'consent_notices.record_count'].sort());
  });

  for (const table of Object.keys(protectedTables) as ProtectedTable[]) {
    test(`in any column of ${table}, and the row is reported`, async () => {
      const { database } = installation;
      const rows = await readRows(database, table);
      for (const column of Object.keys(rows[0] as Row).filter((name) => !uses.includes(`${table}.${name}`))) {
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
          { numRuns: runsOf(table) },
        );
      }
      assert.equal((await runVerify(installation)).code, 0);
    });
  }
});

/** A row that is hashed as a whole needs few tries; if columns duplicate values of a text, the position matters. */
function runsOf(table: ProtectedTable): number {
  return changingRows.some((one) => one.table === table) ? 1 : 4;
}

/** Whether a change would give a row the key of another row, which the database rejects. */
function isTaken(rows: readonly Row[], table: ProtectedTable, changed: Row, row: Row): boolean {
  return rows.some((other) => other !== row && protectedTables[table].every((key) => other[key] === changed[key]));
}

/** A different character at a random position of the column; for a number a different digit; for null a valid value. */
function anyChange(rows: readonly Row[], column: string): fc.Arbitrary<Change> {
  // If every row with a value has a number, the database accepts no other type.
  const isNumber = rows.some((row) => typeof row[column] === 'number');
  return fc.constantFrom(...rows).chain((row) => {
    const old = row[column] as string | number | null;
    const characters = [...(String(old ?? '') || ' ')];
    const replacement = isNumber ? fc.constantFrom(...'0123456789') : fc.constantFrom(...'0aZ" \u{1F600}\uFFFD');
    return fc
      .tuple(fc.nat(characters.length - 1), replacement)
      .filter(([position, character]) => characters[position] !== character)
      .map(([position, character]) => {
        const text = characters.with(position, character).join('');
        return { row, column, value: isNumber ? Number(text) : text };
      })
      .filter(({ value }) => value !== old);
  });
}

function assertNamed(report: VerifyReport, table: ProtectedTable, { row, column, value }: Change): void {
  const kind = changingRows.find((one) => one.table === table);
  // Rows about a person are reported in each of the person's tenants.
  const owner = kind?.owner === 'members' ? undefined : row[kind?.owner ?? 'tenant_id'];
  const tenant = report.tenants.find(({ tenantId }) => tenantId === owner);
  const printed = JSON.stringify(report.tenants, null, 1);
  if (column === 'record_count') {
    assert.ok(
      tenant?.notices.faults.some(({ noticeId }) => noticeId === row.id),
      printed,
    );
    return;
  }
  if (kind !== undefined) {
    const looked = owner === undefined ? report.tenants : [tenant];
    const faults = looked.flatMap((one) => one?.rows.faults ?? []);
    assert.ok(
      faults.some((fault) => fault.table === table && fault.id === row[kind.key]),
      printed,
    );
    return;
  }
  if (table === 'consent_notice_versions') {
    const named = tenant?.notices.faults.some(
      ({ noticeId, version }) => noticeId === row.notice_id && version === row.version,
    );
    assert.ok(named, printed);
    return;
  }
  if (table === 'checkpoints' || table === 'merkle_tiles') {
    const proof = tenant?.proofs.find((one) => one.ledger === row.ledger);
    // Under the name of another tenant or ledger, the row is reported there, or among rows that belong to none.
    const moved = column === 'tenant_id' || column === 'ledger';
    const strays = report.database.filter((issue) => issue.startsWith(table));
    const everywhere = report.tenants.flatMap(({ proofs }) => proofs.flatMap(({ faults }) => faults));
    assert.ok(moved ? everywhere.length + strays.length > 0 : (proof?.faults.length ?? 0) > 0, printed);
    const sizes = [row.size, column === 'size' ? value : row.size];
    if (table === 'checkpoints' && !moved)
      assert.ok(
        proof?.faults.some(({ size }) => sizes.includes(size)),
        printed,
      );
    return;
  }
  const ledger = table === 'chain_heads' ? row.ledger : table === 'audit_events' ? 'audit' : 'consent';
  const fault = tenant?.chains.find((chain) => chain.ledger === ledger)?.fault;
  assert.ok(fault, printed);
  assert.equal(fault.tenantId, row.tenant_id);
  if (table === 'chain_heads') return;
  assert.equal(fault.sequence, row.sequence);
  // Under another number or tenant, the original row is reported as missing.
  const gone = column === 'sequence' || column === 'tenant_id';
  assert.equal(fault.id, gone ? null : column === 'id' ? value : row.id);
}
