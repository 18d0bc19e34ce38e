import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Installation } from '../../installation/installation.ts';
import { changingRows } from '../../ledger/audit/rows.ts';
import { describeOnOneDatabase, openTestInstallation } from '../harness.ts';
import { fillLedgers, runVerify, type VerifyReport } from '../ledger/fixture.ts';
import { changeRow, type ProtectedTable, protectedTables, type Row, readRows } from '../ledger/tamper.ts';

/** Columns that only record the last use. */
const uses = [
  'consent_notices.last_seen_at',
  'api_keys.last_used_at',
  'memberships.last_signed_in_at',
  'scim_tokens.last_used_at',
  'second_factors.last_step',
];

/** One character of one column of one row, and its replacement. */
interface Change {
  readonly table: ProtectedTable;
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

  test('except in a column that records uses, which no event covers', async () => {
    const tables = await installation.database.kysely.introspection.getTables();
    const others = changingRows.flatMap(({ table, columns, personal }) => {
      const hashed: readonly string[] = [...columns, ...(personal.length > 0 ? ['salt'] : [])];
      const found = tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
      return found.filter((name) => name !== 'seal' && !hashed.includes(name)).map((name) => `${table}.${name}`);
    });
    assert.deepEqual(others.sort(), [...uses, 'consent_notices.record_count'].sort());
  });

  /** Makes changes, expects that each is reported, and takes them back. */
  async function expectFound(changes: readonly Change[]): Promise<void> {
    const { database } = installation;
    for (const { table, row, column, value } of changes) await changeRow(database, table, row, { [column]: value });
    try {
      const { code, report } = await runVerify(installation);
      assert.equal(code, 1);
      for (const change of changes) assertNamed(report, change);
    } finally {
      for (const { table, row, column, value } of changes)
        await changeRow(database, table, { ...row, [column]: value }, { [column]: row[column] as string });
    }
  }

  for (const table of Object.keys(protectedTables) as ProtectedTable[]) {
    test(`in any column of ${table} that is not checked below, and the row is reported`, async () => {
      const rows = await readRows(installation.database, table);
      for (const column of readColumns(table, rows).filter((name) => !isWhole(table) || isId(name)))
        await fc.assert(
          fc.asyncProperty(anyChange(table, rows, column), (change) => expectFound([change])),
          // A row that is hashed as a whole needs few tries; if columns duplicate values of a text, the position matters.
          { numRuns: isWhole(table) ? 1 : 2 },
        );
      assert.equal((await runVerify(installation)).code, 0);
    });
  }

  test('in any value of a row that is hashed as a whole, one of each table at a time, and each row is reported', async () => {
    const tables = changingRows.map(({ table }) => table as ProtectedTable);
    const columns = new Map<ProtectedTable, readonly fc.Arbitrary<Change>[]>();
    for (const table of tables) {
      const rows = await readRows(installation.database, table);
      const values = readColumns(table, rows).filter((name) => !isId(name));
      columns.set(
        table,
        values.map((column) => anyChange(table, rows, column)),
      );
    }
    const most = Math.max(...[...columns.values()].map(({ length }) => length));
    for (let index = 0; index < most; index += 1) {
      const changes = [...columns.values()].flatMap((ofTable) => ofTable[index] ?? []);
      await fc.assert(fc.asyncProperty(fc.tuple(...changes), expectFound), { numRuns: 1 });
    }
    assert.equal((await runVerify(installation)).code, 0);
  });
});

/** True if the state of a row is hashed as a whole: a change is then reported whatever else is. */
function isWhole(table: ProtectedTable): boolean {
  return changingRows.some((one) => one.table === table);
}

/** Under another id, other rows of the same object would be reported too. */
function isId(column: string): boolean {
  return /(?:^|_)id$/.test(column);
}

function readColumns(table: ProtectedTable, rows: readonly Row[]): readonly string[] {
  // accounts/keys/sealed-grants.test.ts covers the seals.
  return Object.keys(rows[0] as Row).filter((name) => name !== 'seal' && !uses.includes(`${table}.${name}`));
}

/** True if a change would give a row the key of another row, which the database rejects. */
function isTaken(rows: readonly Row[], table: ProtectedTable, changed: Row, row: Row): boolean {
  return rows.some((other) => other !== row && protectedTables[table].every((key) => other[key] === changed[key]));
}

/** A different character at a random position of the column; for a number a different digit; for null a valid value. */
function anyChange(table: ProtectedTable, rows: readonly Row[], column: string): fc.Arbitrary<Change> {
  // If every row with a value has a number, the database accepts no other type.
  const isNumber = rows.some((row) => typeof row[column] === 'number');
  // A digit is a valid value of any type, where no row shows which one the column has.
  const isDigit = isNumber || rows.every((row) => row[column] === null);
  return fc.constantFrom(...rows).chain((row) => {
    const old = row[column] as string | number | null;
    const characters = [...(String(old ?? '') || ' ')];
    const replacement = isDigit ? fc.constantFrom(...'0123456789') : fc.constantFrom(...'0aZ" \u{1F600}\uFFFD');
    return fc
      .tuple(fc.nat(characters.length - 1), replacement)
      .filter(([position, character]) => characters[position] !== character)
      .map(([position, character]) => {
        const text = characters.with(position, character).join('');
        return { table, row, column, value: isNumber ? Number(text) : text };
      })
      .filter(({ value }) => value !== old && !isTaken(rows, table, { ...row, [column]: value }, row));
  });
}

function assertNamed(report: VerifyReport, { table, row, column, value }: Change): void {
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
  if (table === 'consent_notice_texts') {
    assert.ok(
      tenant?.notices.faults.some(({ noticeId }) => noticeId === row.notice_id),
      printed,
    );
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
  if (table === 'audit_openings') {
    const chain = tenant?.chains.find(({ ledger }) => ledger === 'audit');
    const missing = tenant?.openings.some(({ sequence }) => sequence === row.sequence) ?? false;
    assert.ok(missing || [row.sequence, value].includes(chain?.fault?.sequence ?? null), printed);
    return;
  }
  const ledger = table === 'chain_heads' ? row.ledger : table === 'audit_events' ? 'audit' : 'consent';
  const fault = tenant?.chains.find((chain) => chain.ledger === ledger)?.fault;
  assert.ok(fault, printed);
  assert.equal(fault.tenantId, row.tenant_id);
  if (table === 'chain_heads') return;
  if (table === 'record_templates') {
    // The first record that has it.
    assert.equal(fault.sequence, row.number);
    return;
  }
  assert.equal(fault.sequence, row.sequence);
  // Under another number or tenant, the original row is reported as missing.
  const gone = column === 'sequence' || column === 'tenant_id';
  assert.equal(fault.id, gone ? null : column === 'id' ? value : row.id);
}
