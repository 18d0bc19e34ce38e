import { sql } from 'kysely';
import type { Queries } from './database.ts';
import type { Tables } from './tables.ts';

/** Every invalid byte of UTF-8 decodes to this character, which could hide a changed byte. */
const replacement = '\uFFFD';

/** Whether a text may have been decoded from other bytes; then `isStoredSo` decides. */
export function mayHideBytes(text: unknown): boolean {
  return typeof text === 'string' && text.includes(replacement);
}

/** Whether a row with exactly these values is stored: the database compares the bytes that decoding may hide. */
export async function isStoredSo(queries: Queries, table: keyof Tables, row: object): Promise<boolean> {
  let query = queries.selectFrom(table as 'api_keys').select(sql.lit(1).as('found'));
  for (const [column, value] of Object.entries(row)) {
    if (value !== null) query = query.where(column as 'id', '=', value as string);
  }
  return (await query.executeTakeFirst()) !== undefined;
}
