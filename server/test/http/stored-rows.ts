import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { TestServer } from '../harness.ts';

const watchers = new WeakMap<Database, SQLite.Database>();

/**
 * A text that stays equal as long as nothing is written. On SQLite it is the `data_version` that another connection sees,
 * because reading every row takes longer with each tenant that a test adds; on PostgreSQL it is the sum of the hashes of the rows
 * of each table.
 * Waits for a verification that an earlier request began, because it writes how far it is.
 */
export async function readStoredState({ app, installation: { database } }: TestServer): Promise<string> {
  await app.verifier.idle();
  const { kysely, dialect } = database;
  if (dialect === 'postgres') return hashRows(database);
  let watcher = watchers.get(database);
  if (watcher === undefined) {
    const { rows } = await sql<{ readonly file: string }>`pragma database_list`.execute(kysely);
    watcher = new SQLite(rows[0]?.file, { readonly: true });
    watchers.set(database, watcher);
  }
  return `data_version ${watcher.pragma('data_version', { simple: true })}`;
}

async function hashRows({ kysely }: Database): Promise<string> {
  const tables = await kysely.introspection.getTables();
  const sums = tables.map(
    ({ name }) =>
      sql`select ${name} as name, sum(hashtextextended(row::text, 0)) as sum from ${sql.table(name)} as row`,
  );
  const { rows } = await sql`${sql.join(sums, sql` union all `)} order by name`.execute(kysely);
  return JSON.stringify(rows);
}

/** Every row of every table as text: two equal texts mean that nothing was written in between. */
export async function readAllRows({ kysely }: Database): Promise<string> {
  const tables = await kysely.introspection.getTables();
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const result = await sql`select * from ${sql.table(name)}`.execute(kysely);
      return `${name}\n${result.rows
        .map((row) => JSON.stringify(row))
        .sort()
        .join('\n')}`;
    }),
  );
  return rows.sort().join('\n\n');
}
