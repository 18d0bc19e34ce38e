import { CompiledQuery, type Insertable, sql } from 'kysely';
import type { Queries } from './database.ts';
import { rememberText } from './prepared-query.ts';
import type { Tables } from './tables.ts';

/**
 * Inserts many rows with few statements. The text of a statement depends only on its number of rows, which is a power of
 * two, so that each text is built once and stays prepared.
 * @param skipsPresent skips rows whose key already exists, instead of failing.
 */
export async function insertRows<Table extends keyof Tables & string>(
  queries: Queries,
  table: Table,
  rows: readonly Readonly<Insertable<Tables[Table]>>[],
  { skipsPresent = false }: { readonly skipsPresent?: boolean } = {},
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  for (let start = 0; start < rows.length; ) {
    const size = Math.min(maximumRows, 2 ** Math.floor(Math.log2(rows.length - start)));
    const parameters: unknown[] = [];
    for (const row of rows.slice(start, start + size)) {
      for (const column of columns) parameters.push((row as Readonly<Record<string, unknown>>)[column]);
    }
    await queries.executeQuery(CompiledQuery.raw(insertText(queries, table, columns, size, skipsPresent), parameters));
    start += size;
  }
}

const maximumRows = 128;

function insertText(
  queries: Queries,
  table: string,
  columns: readonly string[],
  size: number,
  skipsPresent: boolean,
): string {
  return rememberText(queries, `insert ${table} ${columns} ${size} ${skipsPresent}`, () => {
    const row = sql`(${sql.join(columns.map(() => sql.val('')))})`;
    const rows = sql.join(Array.from({ length: size }, () => row));
    return sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.id(column)))}) values ${rows}
      ${skipsPresent ? sql`on conflict do nothing` : sql``}`;
  });
}
