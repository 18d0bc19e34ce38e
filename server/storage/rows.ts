import type { ExpressionBuilder, Insertable, Selectable } from 'kysely';
import type { Queries } from './database.ts';
import type { Tables } from './tables.ts';

type TableName = keyof Tables & string;
type Row<Name extends TableName> = Selectable<Tables[Name]>;

/** The values that columns have; null matches `is null`. */
type Match<Name extends TableName> = Readonly<Partial<Row<Name>>>;

/** Finds a row of a table by the values of its columns. */
export async function findRow<Name extends TableName>(
  queries: Queries,
  table: Name,
  match: Match<Name>,
): Promise<Row<Name> | undefined> {
  const row = await queries
    .selectFrom(table as 'tenants')
    .selectAll()
    .where(matches(match))
    .executeTakeFirst();
  return row as Row<Name> | undefined;
}

/** Inserts a row; columns without a value are null. @returns the whole row, for the event of the change. */
export async function insertRow<Name extends TableName>(
  queries: Queries,
  table: Name,
  row: Readonly<Insertable<Tables[Name]>>,
): Promise<Row<Name>> {
  const inserted = await queries
    .insertInto(table as 'tenants')
    .values(row as never)
    .returningAll()
    .executeTakeFirstOrThrow();
  return inserted as Row<Name>;
}

/** Updates one row. @returns it as it is now, for the event of the change. @throws unless exactly one row matches. */
export async function updateRow<Name extends TableName>(
  queries: Queries,
  table: Name,
  match: Match<Name>,
  columns: Readonly<Partial<Row<Name>>>,
): Promise<Row<Name>> {
  const rows = await queries
    .updateTable(table as 'tenants')
    .set(columns as Partial<Row<'tenants'>>)
    .where(matches(match))
    .returningAll()
    .execute();
  if (rows.length !== 1) throw new Error(`${rows.length} rows of ${table} match in place of one.`);
  return rows[0] as Row<Name>;
}

// A table name of a type parameter is too deep for Kysely's types, so the queries name an arbitrary table.
function matches(match: object) {
  return (row: ExpressionBuilder<Tables, 'tenants'>) => {
    const columns = Object.entries(match) as [keyof Row<'tenants'>, string][];
    return row.and(columns.map(([column, value]) => row(column, value === null ? 'is' : '=', value)));
  };
}

/** Whether a text may have been decoded from other bytes, which `findRow` by the text decides: the database compares bytes. */
export function mayHideBytes(text: unknown): boolean {
  // Every invalid byte of UTF-8 decodes to this character, which could hide a changed byte.
  return typeof text === 'string' && text.includes('\uFFFD');
}
