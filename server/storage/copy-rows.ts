import { sql } from 'kysely';
import { type Database, inTransaction } from './database.ts';
import { ExplainedError } from './explained-error.ts';
import type { Queries } from './queries.ts';
import { hasInvalidBytes, insertRows } from './rows.ts';
import type { ColumnType, TableLayout } from './table-layout.ts';
import type { Tables } from './tables.ts';

/** Data that cannot be moved as it is, or a copy that differs; the message says where. */
export class UnmovableData extends ExplainedError {
  override readonly name = 'UnmovableData';
}

type Value = string | number | Buffer | null;
/** The columns of a row. */
export type Row = Readonly<Record<string, Value>>;

/**
 * Copies the rows of a table to a table without rows, in the order of the key, one transaction for each batch.
 * @param onProgress is called with the number of rows that are committed.
 * @returns how many there are.
 * @throws {UnmovableData} if a value is not of the type of its column: only SQLite stores such values.
 */
export async function copyTable(
  source: Queries,
  target: Database,
  table: TableLayout,
  onProgress: (rows: number) => void = () => undefined,
): Promise<number> {
  let copied = 0;
  for await (const [rows] of readBatches([source], table)) {
    for (const row of rows) await requireValues(source, table, row);
    await inTransaction(target, (transaction) => writeRows(transaction, target, table, rows));
    copied += rows.length;
    onProgress(copied);
  }
  // The planner of PostgreSQL would otherwise take the table for an empty one until autovacuum reads it.
  if (target.dialect === 'postgres') await sql`analyze ${sql.table(table.name)}`.execute(target.kysely);
  return copied;
}

/**
 * Compares the rows of a table in two databases, value by value.
 * @throws {UnmovableData} for the first row that differs.
 */
export async function compareTable(
  source: Queries,
  target: Queries,
  table: TableLayout,
  onProgress: (rows: number) => void = () => undefined,
): Promise<void> {
  let compared = 0;
  for await (const [wanted, found = []] of readBatches([source, target], table)) {
    if (writeText(table, wanted) !== writeText(table, found)) {
      const isEqual = (row: Row, index: number) =>
        writeText(table, [row]) === writeText(table, found.slice(index, index + 1));
      const at = wanted.findIndex((row, index) => !isEqual(row, index));
      const row = wanted[at] ?? found[wanted.length];
      throw new UnmovableData(`${nameRow(table, row as Row)} in the copy differs from the one that was copied.`);
    }
    compared += wanted.length;
    onProgress(compared);
  }
}

/**
 * Changes rows of a table, in the order of the key. The columns of the key stay as they are.
 * @param change returns the new values of a row; those that it has already are not written.
 * @param onProgress is called with the number of rows that were looked at.
 * @returns how many rows changed.
 */
export async function changeTable(
  queries: Queries,
  table: TableLayout,
  change: (row: Row) => Row,
  onProgress: (rows: number) => void,
): Promise<number> {
  let read = 0;
  let changed = 0;
  for await (const [rows] of readBatches([queries], table)) {
    for (const row of rows) {
      const values = Object.entries(change(row)).filter(([column, value]) => row[column] !== value);
      if (values.length === 0) continue;
      const set = sql.join(values.map(([column, value]) => sql`${sql.id(column)} = ${value}`));
      const keys = table.key.map((column) => sql`${sql.id(column)} = ${row[column]}`);
      await sql`update ${sql.table(table.name)} set ${set} where ${sql.join(keys, sql` and `)}`.execute(queries);
      changed += 1;
    }
    read += rows.length;
    onProgress(read);
  }
  return changed;
}

/** Reads the same batches from each database: after the same key, and at most as many rows. */
async function* readBatches(
  sources: readonly Queries[],
  table: TableLayout,
): AsyncGenerator<[readonly Row[], ...(readonly Row[])[]]> {
  let limit = firstBatch;
  let after: Row | null = null;
  for (;;) {
    const batches: (readonly Row[])[] = [];
    for (const queries of sources) batches.push(await readRows(queries, table, after, limit));
    const [first = [], ...others] = batches;
    if (batches.every(({ length }) => length === 0)) return;
    yield [first, ...others];
    after = first.at(-1) ?? null;
    if (after === null || first.length < limit) return;
    limit = Math.min(largestBatch, Math.max(1, Math.floor((batchBytes * first.length) / sizeOf(first))));
  }
}

/** Rows of a batch: as many as have about so many bytes, as far as the previous batch shows. */
const batchBytes = 4 * 1024 * 1024;
const firstBatch = 16;
const largestBatch = 2000;

function sizeOf(rows: readonly Row[]): number {
  let size = 1;
  for (const row of rows)
    for (const value of Object.values(row))
      size += typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 1) : 8;
  return size;
}

async function readRows(queries: Queries, { name, columns, key }: TableLayout, after: Row | null, limit: number) {
  const keyColumns = sql.join(key.map((column) => sql.id(column)));
  const following =
    after === null ? sql`` : sql`where (${keyColumns}) > (${sql.join(key.map((column) => after[column]))})`;
  const { rows } = await sql<Row>`
    select ${sql.join(columns.map((column) => sql.id(column.name)))} from ${sql.table(name)} ${following}
    order by ${keyColumns} limit ${sql.lit(limit)}`.execute(queries);
  return rows;
}

async function writeRows(
  queries: Queries,
  { dialect }: Database,
  table: TableLayout,
  rows: readonly Row[],
): Promise<void> {
  const { name, columns } = table;
  if (dialect === 'sqlite') return insertRows(queries, name as keyof Tables, rows as never);
  // PostgreSQL converts the values to the types of the columns.
  const list = sql.join(columns.map((column) => sql.id(column.name)));
  const text = writeText(table, rows);
  const into = sql.table(name);
  await sql`
    insert into ${into} (${list}) select ${list} from json_populate_recordset(null::${into}, ${text})`.execute(queries);
}

/** Rows as JSON, with bytes in the hex format of PostgreSQL. */
function writeText({ columns }: TableLayout, rows: readonly Row[]): string {
  const blobs = columns.filter(({ type }) => type === 'blob').map(({ name }) => name);
  if (blobs.length === 0) return JSON.stringify(rows);
  const write = (value: Value | undefined) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value);
  const written = rows.map((row) => ({ ...row, ...Object.fromEntries(blobs.map((name) => [name, write(row[name])])) }));
  return JSON.stringify(written);
}

/** SQLite stores values of other types than that of their column, and texts that PostgreSQL rejects. */
async function requireValues(queries: Queries, table: TableLayout, row: Row): Promise<void> {
  for (const { name, type } of table.columns) {
    const value = row[name] as Value;
    if (value !== null && !fits[type](value))
      throw new UnmovableData(`${nameRow(table, row)} has a value in ${name} that is not of the type ${type}.`);
  }
  if (await hasInvalidBytes(queries, table.name as keyof Tables, row as never))
    throw new UnmovableData(`${nameRow(table, row)} has bytes that are not UTF-8.`);
}

const fits: Readonly<Record<ColumnType, (value: string | number | Buffer) => boolean>> = {
  text: (value) => typeof value === 'string' && !value.includes('\0'),
  integer: (value) => typeof value === 'number' && value === (value | 0),
  bigint: (value) => Number.isSafeInteger(value),
  blob: (value) => Buffer.isBuffer(value),
};

function nameRow({ name, key }: TableLayout, row: Row): string {
  return `The row ${key.map((column) => row[column]).join(', ')} of ${name}`;
}
