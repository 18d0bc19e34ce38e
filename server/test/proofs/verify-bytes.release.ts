import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { sql } from 'kysely';
import { UsageError } from '../../cli/command.ts';
import { openInstallation } from '../../installation/installation.ts';
import { readSettings, type Settings } from '../../settings.ts';
import { createLocation, TestClock, type TestLocation } from '../harness.ts';
import { fillLedgers, runVerify } from '../ledger/fixture.ts';
import { protectedTables } from '../ledger/tamper.ts';

const name = 'svc.sqlite';

describe('a changed byte in the file of a stopped server', () => {
  let location: TestLocation;
  let folder: string;
  let bytes: Buffer;
  let content: string;
  let secret: string;
  before(async () => {
    location = await createLocation('sqlite');
    const settings = readSettings(location.environment);
    await using installation = await openInstallation(settings, new TestClock().now);
    await fillLedgers(installation);
    // Removes remains of deleted rows from most pages; some stay in the first page of a table.
    await sql`vacuum`.execute(installation.database.kysely);
    await installation.database.close();
    folder = settings.dataDir;
    secret = readFileSync(join(folder, 'secret.key'), 'utf8').trim();
    bytes = readFileSync(join(folder, name));
    content = readContent(join(folder, name));
  });
  after(() => location[Symbol.asyncDispose]());

  /** A new folder with a modified copy of the database. */
  const copy = (change: (copied: Buffer) => void): Settings => {
    const dataDir = mkdtempSync(join(folder, 'copy-'));
    const copied = Buffer.from(bytes);
    change(copied);
    writeFileSync(join(dataDir, name), copied);
    return { ...readSettings(location.environment), dataDir, secret };
  };
  /** The exit code; a failure that would end the command with a stack trace fails the test. */
  const verifyCopy = async (settings: Settings): Promise<number> => {
    try {
      return (await runVerify({ settings })).code;
    } catch (error) {
      if (error instanceof UsageError) return 2;
      throw error;
    }
  };

  test('is found wherever it touches append-only rows', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (position, difference) => {
        const settings = copy((copied) => {
          copied[position] = (copied[position] as number) ^ difference;
        });
        const code = await verifyCopy(settings);
        if (code !== 0) found += 1;
        else assert.equal(readContent(join(settings.dataDir, name)), content);
        rmSync(settings.dataDir, { recursive: true });
      }),
      { numRuns: 60 },
    );
    assert.ok(found > 5, `only ${found} of 60 changes were found`);
  });

  test('is found at every byte of an entry, for every replacement', async () => {
    const start = bytes.lastIndexOf('"subjectChannel":null,"subjectId":"');
    assert.ok(start > 0);
    const entry = bytes.subarray(start, bytes.indexOf('"tenantId"', start));
    await fc.assert(
      fc.asyncProperty(fc.nat(entry.length - 1), fc.integer({ min: 1, max: 255 }), async (offset, difference) => {
        const settings = copy((copied) => {
          copied[start + offset] = (entry[offset] as number) ^ difference;
        });
        assert.equal(await verifyCopy(settings), 1);
        rmSync(settings.dataDir, { recursive: true });
      }),
      { numRuns: 25 },
    );
  });

  for (const [what, change] of Object.entries({
    'not a SQLite file': (copied: Buffer) => copied.fill('x', 0, 100),
    'a first page of zeroes': (copied: Buffer) => copied.fill(0, 0, 4096),
    'a middle of zeroes': (copied: Buffer) => copied.fill(0, 8192, copied.length / 2),
    'an unknown format version': (copied: Buffer) => copied.fill(9, 18, 20),
  })) {
    test(`${what} prints a message and exits with 1`, async () => {
      const { code, lines, report } = await runVerify({ settings: copy(change) });
      assert.equal(code, 1);
      assert.equal(report.intact, false);
      assert.ok(lines[0]?.startsWith('✗ database: '), lines.join('\n'));
    });
  }

  test('prints a message and exits with 1 for a truncated file', async () => {
    const settings = copy(() => undefined);
    writeFileSync(join(settings.dataDir, name), bytes.subarray(0, bytes.length / 2));
    const { code, report } = await runVerify({ settings });
    assert.equal(code, 1);
    assert.ok(report.database.length > 0);
  });

  test('reports a missing file, and creates none', async () => {
    const dataDir = mkdtempSync(join(folder, 'empty-'));
    const settings = { ...readSettings(location.environment), dataDir };
    await assert.rejects(runVerify({ settings }), /There is no database in/);
    assert.deepEqual(readdirSync(dataDir), []);
  });
});

/** Every value of the ledgers with its type, read without the code under test. */
function readContent(file: string): string {
  const database = new SQLite(file, { readonly: true });
  try {
    const tables = Object.entries(protectedTables).map(([table, keys]) => {
      const columns = (database.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
      // The changed byte may be in the name of a column.
      const names = columns.map((column) => `"${column.replaceAll('"', '""')}"`);
      const values = names.map((column) => `typeof(${column}) || hex(cast(${column} as blob))`);
      return database
        .prepare(`select ${values.join(', ')} from ${table} order by ${keys.join(', ')}`)
        .raw()
        .all();
    });
    return JSON.stringify(tables);
  } finally {
    database.close();
  }
}
