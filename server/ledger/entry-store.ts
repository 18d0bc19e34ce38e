import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/rows.ts';
import { type LedgerName, ledgerTables } from './append.ts';
import type { Range } from './merkle.ts';
import type { LedgerOf } from './tree-store.ts';

/** The key in an entry of the time when it was appended. */
const timeKeys = { consent: 'recordedAt', audit: 'at' } as const satisfies Record<LedgerName, string>;

/** An entry in its chain. */
export interface StoredEntry {
  readonly sequence: number;
  readonly prevHash: string | null;
  readonly hash: string;
  /** The canonical text that was hashed. */
  readonly entry: string;
}

/** Identifies an entry: by its number, or an event by its id. */
export type EntryName = { readonly sequence: number } | { readonly id: string };

/** Finds the number and the hash of an entry. */
export async function findEntry(
  queries: Queries,
  { tenantId, ledger }: LedgerOf,
  name: EntryName,
): Promise<Pick<StoredEntry, 'sequence' | 'hash'> | undefined> {
  const [entry] =
    'id' in name
      ? await selectEvent(queries, { tenantId, key: name.id })
      : await selectEntry[ledger](queries, { tenantId, key: name.sequence });
  return entry;
}

/** When an entry was appended: RFC 3339, UTC. */
export async function findTime(queries: Queries, { tenantId, ledger }: LedgerOf, sequence: number): Promise<string> {
  const [row] = await selectEntry[ledger](queries, { tenantId, key: sequence });
  if (row === undefined) throw new Error(`entry ${sequence} of the ${ledger} ledger is missing`);
  return JSON.parse(row.entry)[timeKeys[ledger]];
}

const selectEntry = { audit: prepareSelect('audit', 'sequence'), consent: prepareSelect('consent', 'sequence') };
const selectEvent = prepareSelect('audit', 'id');

function prepareSelect<Column extends 'sequence' | 'id'>(ledger: LedgerName, column: Column) {
  return prepareQuery<{ tenantId: string; key: string | number }, Pick<StoredEntry, 'sequence' | 'hash' | 'entry'>>(
    (queries, parameter) =>
      entries(queries, { tenantId: parameter('tenantId'), ledger })
        .select(['sequence', 'hash', 'entry'])
        .where(column, '=', parameter('key') as never),
  );
}

/** Reads the entries of a range, in order; the first of a ledger is the one after 0. */
export function readEntries(queries: Queries, of: LedgerOf, range: Range): Promise<readonly StoredEntry[]> {
  return inRange(queries, of, range).select(['sequence', 'prev_hash as prevHash', 'hash', 'entry']).execute();
}

/** Reads the numbers and hashes of a range, in order. */
export function readHashes(
  queries: Queries,
  of: LedgerOf,
  range: Range,
): Promise<readonly Pick<StoredEntry, 'sequence' | 'hash'>[]> {
  return inRange(queries, of, range).select(['sequence', 'hash']).execute();
}

function inRange(queries: Queries, of: LedgerOf, { start, end }: Range) {
  return entries(queries, of).where('sequence', '>', start).where('sequence', '<=', end).orderBy('sequence');
}

function entries(queries: Queries, { tenantId, ledger }: LedgerOf) {
  return queries.selectFrom(ledgerTables[ledger] as 'consent_records').where('tenant_id', '=', tenantId);
}
