import type { Queries } from '../storage/database.ts';
import { findRow, prepareQuery } from '../storage/rows.ts';
import { type LedgerName, ledgerTables } from './append.ts';
import type { Range } from './merkle.ts';
import type { LedgerOf } from './tree-store.ts';

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

/** Finds an entry. */
export async function findEntry(
  queries: Queries,
  { tenantId, ledger }: LedgerOf,
  name: EntryName,
): Promise<Omit<StoredEntry, 'prevHash'> | undefined> {
  if ('id' in name) return findRow(queries, 'audit_events', { tenant_id: tenantId, id: name.id });
  const [entry] = await selectEntry[ledger](queries, { tenantId, sequence: name.sequence });
  return entry;
}

const selectEntry = { audit: prepareSelect('audit'), consent: prepareSelect('consent') };

function prepareSelect(ledger: LedgerName) {
  return prepareQuery<{ tenantId: string; sequence: number }, Omit<StoredEntry, 'prevHash'>>((queries, parameter) =>
    entries(queries, { tenantId: parameter('tenantId'), ledger })
      .select(['sequence', 'hash', 'entry'])
      .where('sequence', '=', parameter('sequence')),
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
