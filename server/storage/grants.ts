import { timingSafeEqual } from 'node:crypto';
import type { Queries, RowSeal } from './queries.ts';
import { listColumns, tableNames } from './schema.ts';
import type { Tables } from './tables.ts';

/**
 * The tables whose rows grant access, or decide who gets it: those with a seal. Each row has a seal over its columns, under a
 * key derived from the secret of the installation, so that writing to the database grants nothing.
 */
export type GrantTable = {
  [Name in keyof Tables]: 'seal' extends keyof Tables[Name] ? Name : never;
}[keyof Tables];

export const grantTables = tableNames.filter((table) =>
  listColumns(table).some(({ name }) => name === 'seal'),
) as readonly GrantTable[];

/** A row of a grant, or what a query read of it, by the names of its columns. */
export type GrantRow = Readonly<Record<string, unknown>>;

const readValue = (row: object, column: string): unknown => (row as GrantRow)[column] ?? null;

export function isGrantTable(table: string): table is GrantTable {
  return Object.hasOwn(sealedColumns, table);
}

/** The columns that the seal of a row covers. */
export const sealedColumns = Object.fromEntries(
  grantTables.map((table) => [table, listColumns(table).flatMap(({ name, isInSeal }) => (isInSeal ? name : []))]),
) as unknown as Readonly<Record<GrantTable, readonly string[]>>;

/** A row that a change depends on was written by something other than a server of this installation. */
export class BrokenSeal extends Error {
  override readonly name = 'BrokenSeal';

  constructor(table: GrantTable) {
    super(`The seal of a row of ${table} does not hold: something other than Svc wrote it. Find it with svc verify.`);
  }
}

/**
 * The seal of a row. A column that is null is left out, so that seals hold when a later version adds one.
 * @returns null for a value that Svc does not store in these tables.
 */
export function computeSeal(seal: RowSeal, table: GrantTable, row: object): string | null {
  let text = `svc grant 1\n${table}`;
  for (const column of sealedColumns[table]) {
    const value = readValue(row, column);
    if (typeof value === 'string') text += `\n${column} ${value.length} ${value}`;
    else if (typeof value === 'number') text += `\n${column} # ${value}`;
    else if (value !== null) return null;
  }
  return seal.seal(text);
}

/** Compares the seal of a row with its columns. */
export function isSealed(seal: RowSeal, table: GrantTable, row: object): boolean {
  const [computed, stored] = [computeSeal(seal, table, row), readValue(row, 'seal')];
  if (computed === null || typeof stored !== 'string') return false;
  const [one, other] = [Buffer.from(computed), Buffer.from(stored)];
  return one.length === other.length && timingSafeEqual(one, other);
}

interface Binding {
  readonly seal: RowSeal;
  /** The sealed columns of rows by the seal that was verified, oldest first: comparing them costs less than a hash. */
  readonly verified: Map<string, { readonly table: GrantTable; readonly row: GrantRow }>;
}

/** By the adapter of a database, which is one object inside and outside of transactions. */
const bindings = new WeakMap<object, Binding>();

/** Names the key with which the grants of a database are sealed. Without it, none holds and none can be written. */
export function bindSeal(queries: Queries, seal: RowSeal): void {
  bindings.set(queries.getExecutor().adapter, { seal, verified: new Map() });
}

function bindingOf(queries: Queries): Binding | undefined {
  return bindings.get(queries.getExecutor().adapter);
}

/** Computes the seal of a row that is about to be written. @throws {Error} if the database was opened without the secret. */
export function sealGrant(queries: Queries, table: GrantTable, row: object): string {
  const binding = bindingOf(queries);
  if (binding === undefined) throw new Error('the database was opened without the secret: grants cannot be written');
  const seal = computeSeal(binding.seal, table, row);
  if (seal === null) throw new Error(`a row of ${table} has a value that cannot be sealed`);
  return seal;
}

/** A few megabytes of values. */
const mostVerified = 5000;

/**
 * Verifies the seal of a row; a row whose seal does not hold grants nothing.
 * @param row with all columns of its table.
 */
export function holds(queries: Queries, table: GrantTable, row: object): boolean {
  const binding = bindingOf(queries);
  if (binding === undefined) return false;
  const columns = sealedColumns[table];
  const known = binding.verified.get(readValue(row, 'seal') as string);
  if (known !== undefined) return known.table === table && hasSame(known.row, row as GrantRow, columns);
  if (!isSealed(binding.seal, table, row)) return false;
  remember(binding, table, row);
  return true;
}

function remember({ verified }: Binding, table: GrantTable, row: object): void {
  if (verified.size >= mostVerified) for (const oldest of verified.keys()) if (verified.delete(oldest)) break;
  const sealed = Object.fromEntries(sealedColumns[table].map((column) => [column, readValue(row, column)]));
  verified.set(readValue(row, 'seal') as string, { table, row: sealed });
}

/** Part of every request: a loop without calls. */
function hasSame(known: GrantRow, row: GrantRow, columns: readonly string[]): boolean {
  for (const column of columns) if (known[column] !== (row[column] ?? null)) return false;
  return true;
}

/**
 * Verifies that some columns of a row are those of a row whose seal holds, without reading the others again.
 * @param part its seal and these columns, among them its key.
 * @param find reads the row with all columns, if its seal was not verified before.
 */
export function holdsPart(
  queries: Queries,
  table: GrantTable,
  part: GrantRow,
  find: () => Promise<object | undefined>,
): boolean | Promise<boolean> {
  const binding = bindingOf(queries);
  if (binding === undefined || typeof part.seal !== 'string') return false;
  const known = binding.verified.get(part.seal);
  const columns = Object.keys(part).filter((column) => column !== 'seal');
  if (known !== undefined) return known.table === table && hasSame(known.row, part, columns);
  // Another server may change the row in between: then the next request verifies it.
  return find().then((row) => {
    return row !== undefined && holds(queries, table, row) && hasSame(row as GrantRow, part, ['seal', ...columns]);
  });
}

/** @throws {BrokenSeal} unless the seal of a row holds. */
export function requireHeld(queries: Queries, table: GrantTable, row: object): void {
  if (!holds(queries, table, row)) throw new BrokenSeal(table);
}
