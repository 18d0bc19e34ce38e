import { sql } from 'kysely';
import type { Queries } from './database.ts';
import type { Tables } from './tables.ts';

/** What every wrong byte of UTF-8 is read as, so that a wrong byte in its place would go unseen. */
const replacement = '\uFFFD';

/** Whether a text was read as one that may represent other bytes; `isStoredSo` then decides. */
export function mayHideBytes(text: unknown): boolean {
  return typeof text === 'string' && text.includes(replacement);
}

/** Whether a row with exactly these values is stored: the database compares the bytes that reading may hide. */
export async function isStoredSo(queries: Queries, table: keyof Tables, row: object): Promise<boolean> {
  let query = queries.selectFrom(table as 'api_keys').select(sql.lit(1).as('found'));
  for (const [column, value] of Object.entries(row)) {
    if (value !== null) query = query.where(column as 'id', '=', value as string);
  }
  return (await query.executeTakeFirst()) !== undefined;
}
