import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Dialect } from '../database.ts';

/** Text that sorts by its bytes on both databases, whatever the locale of a PostgreSQL cluster is. */
export function textType(dialect: Dialect) {
  return dialect === 'postgres' ? sql`text collate "C"` : sql`text`;
}

/** Starts a table whose rows SQLite stores in the order of the primary key, without a second key of its own. */
export function createClusteredTable(
  db: Kysely<unknown>,
  dialect: Dialect,
  name: string,
): CreateTableBuilder<string, never> {
  const table = db.schema.createTable(name);
  return dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table;
}

/** Makes the database itself refuse to change or remove rows of a table. */
export async function makeAppendOnly(db: Kysely<unknown>, dialect: Dialect, table: string): Promise<void> {
  if (dialect === 'sqlite') {
    for (const event of ['update', 'delete']) {
      await sql`create trigger ${sql.id(`${table}_refuse_${event}`)} before ${sql.raw(event)} on ${sql.table(table)}
        begin select raise(abort, ${sql.lit(`${table} is append-only`)}); end`.execute(db);
    }
    return;
  }
  await sql`create or replace function refuse_change() returns trigger language plpgsql as
    $$ begin raise exception '% is append-only', tg_table_name; end $$`.execute(db);
  await sql`create trigger ${sql.id(`${table}_refuse_change`)} before update or delete on ${sql.table(table)}
    for each row execute function refuse_change()`.execute(db);
  await sql`create trigger ${sql.id(`${table}_refuse_truncate`)} before truncate on ${sql.table(table)}
    for each statement execute function refuse_change()`.execute(db);
}
