import { sql } from 'kysely';
import { openDatabase } from './database.ts';
import { migrate, migrationTable } from './migrate.ts';

/** A table that the migrations create. */
export interface TableLayout {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** The columns of its primary key. */
  readonly key: readonly string[];
}

const columnTypes = ['text', 'integer', 'bigint', 'blob'] as const;
export type ColumnType = (typeof columnTypes)[number];

/**
 * Reads every table from the schema that the migrations create, so that no list of tables has to be kept. A table follows
 * those that it refers to.
 */
export async function readLayout(): Promise<readonly TableLayout[]> {
  await using made = openDatabase({ url: null, file: ':memory:' });
  await migrate(made);
  const { rows: names } = await sql<{ name: string }>`
    select name from sqlite_schema
    where type = 'table' and name <> ${migrationTable} and name not like 'sqlite%' order by rowid`.execute(made.kysely);
  const waiting = new Map<string, { readonly layout: TableLayout; readonly parents: readonly string[] }>();
  for (const { name } of names) {
    const { rows: columns } = await sql<{ name: string; type: string; pk: number }>`
      select name, lower(type) as type, pk from pragma_table_info(${name})`.execute(made.kysely);
    const { rows: references } = await sql<{ parent: string }>`
      select "table" as parent from pragma_foreign_key_list(${name})`.execute(made.kysely);
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    const typed = columns.map((column) => ({ name: column.name, type: readType(name, column) }));
    if (key.length === 0) throw new Error(`the table ${name} has no primary key`);
    const parents = references.map(({ parent }) => parent).filter((parent) => parent !== name);
    waiting.set(name, { layout: { name, columns: typed, key: key.map((column) => column.name) }, parents });
  }
  const ordered: TableLayout[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ parents }) => !parents.some((parent) => waiting.has(parent)));
    if (ready.length === 0) throw new Error(`the tables ${[...waiting.keys()]} refer to each other`);
    for (const { layout } of ready) {
      ordered.push(layout);
      waiting.delete(layout.name);
    }
  }
  return ordered;
}

function readType(table: string, { name, type }: { readonly name: string; readonly type: string }): ColumnType {
  const known = columnTypes.find((one) => one === type);
  if (known === undefined) throw new Error(`${table}.${name} has the type ${type}`);
  return known;
}
