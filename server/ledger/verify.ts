import { sql } from 'kysely';
import type { Queries } from '../storage/database.ts';
import { findRow, mayHideBytes } from '../storage/rows.ts';
import { type LedgerName, ledgerTables, readHead } from './append.ts';
import { type ChainHead, emptyHead, hashEntry } from './chain.ts';

/** The first row of a chain that differs from what was written. */
export interface ChainFault {
  readonly ledger: LedgerName;
  readonly tenantId: string;
  readonly sequence: number;
  /** The row's id; null if the row is missing. */
  readonly id: string | null;
  readonly issue: string;
}

export interface ChainReport {
  readonly ledger: LedgerName;
  readonly tenantId: string;
  /** How many entries are valid. */
  readonly entries: number;
  readonly fault: ChainFault | null;
}

/** The position of a value in the canonical text of an entry. */
interface EntryValue {
  /** The key as it is in the text: `"id":`. */
  readonly name: string;
  /** Whether the key is sorted before or after the key whose value can be any JSON. */
  readonly side: 'before' | 'after';
}

/** A column that duplicates a value of the entry for queries. */
interface RepeatedColumn extends EntryValue {
  readonly column: string;
}

const repeatedColumns: Readonly<Record<LedgerName, readonly RepeatedColumn[]>> = {
  // before and after `purposes`
  consent: [
    { column: 'id', name: '"id":', side: 'before' },
    { column: 'notice_id', name: '"noticeId":', side: 'before' },
    { column: 'space', name: '"space":', side: 'after' },
    { column: 'subject_id', name: '"subjectId":', side: 'after' },
    { column: 'tenant_id', name: '"tenantId":', side: 'after' },
  ],
  // before and after `diff`
  audit: [
    { column: 'actor_type', name: '"actorType":', side: 'before' },
    { column: 'at', name: '"at":', side: 'before' },
    { column: 'id', name: '"id":', side: 'after' },
    { column: 'module', name: '"module":', side: 'after' },
    { column: 'tenant_id', name: '"tenantId":', side: 'after' },
  ],
};

/** The time of an entry, which the head repeats. */
const times: Readonly<Record<LedgerName, EntryValue>> = {
  consent: { name: '"recordedAt":', side: 'after' },
  audit: { name: '"at":', side: 'before' },
};

interface StoredEntry {
  readonly sequence: number;
  readonly id: string;
  readonly entry: string;
  readonly prev_hash: string | null;
  readonly hash: string;
  readonly [column: string]: unknown;
}

/**
 * Walks one chain from its first entry to its head and recomputes every hash from the stored bytes.
 * @param onProgress called after each page with the number of entries read so far.
 * @param onEntry called with each valid row, in order.
 */
export async function verifyChain(
  queries: Queries,
  ledger: LedgerName,
  tenantId: string,
  onProgress: (entries: number) => void = () => undefined,
  onEntry: (row: { readonly entry: string; readonly hash: string }) => void = () => undefined,
): Promise<ChainReport> {
  let last: Pick<StoredEntry, 'sequence' | 'id' | 'entry' | 'hash'> | null = null;
  const fault = (sequence: number, id: string | null, issue: string): ChainReport => {
    return { ledger, tenantId, entries: last?.sequence ?? 0, fault: { ledger, tenantId, sequence, id, issue } };
  };
  // The head is read first, so that entries appended during the walk are ignored.
  const head = await readHead(queries, tenantId, ledger);
  if (head === undefined) return fault(1, null, 'the head of the chain is missing');
  for (let sequence = 0; sequence < head.sequence; ) {
    const rows = await readPage(queries, ledger, tenantId, sequence, head.sequence);
    if (rows.length === 0) return fault(sequence + 1, null, `the rows ${sequence + 1} to ${head.sequence} are missing`);
    for (const row of rows) {
      sequence += 1;
      if (row.sequence > sequence) return fault(sequence, null, 'the row is missing');
      const issue = findFault(row, ledger, sequence, last?.hash ?? null);
      if (issue !== null) return fault(sequence, row.id, issue);
      if (mayHideBytes(row.entry) && (await findRow(queries, ledgerTables[ledger], row)) === undefined)
        return fault(sequence, row.id, 'the text is not Unicode');
      last = row;
      onEntry(row);
    }
    onProgress(sequence);
  }
  const issue = compareHead(ledger, head, last);
  if (issue !== null) return fault(last?.sequence ?? 0, last?.id ?? null, issue);
  const stray = await findStray(queries, ledger, tenantId);
  if (stray !== undefined) return fault(stray.sequence, stray.id, 'the row is outside the chain');
  return { ledger, tenantId, entries: head.sequence, fault: null };
}

/** Every tenant that has rows in the ledgers, including tenants that no longer exist. */
export async function listOwners(queries: Queries): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('chain_heads')
    .select('tenant_id')
    .union(queries.selectFrom('consent_records').select('tenant_id').distinct())
    .union(queries.selectFrom('audit_events').select('tenant_id').distinct())
    .orderBy('tenant_id')
    .execute();
  return rows.map((row) => row.tenant_id);
}

/** The fault of a row that should have number `sequence` and follow the entry with this hash; null if it is valid. */
function findFault(row: StoredEntry, ledger: LedgerName, sequence: number, hash: string | null): string | null {
  if (row.sequence !== sequence) return `the row has number ${row.sequence}, the chain expects ${sequence}`;
  if (row.prev_hash !== hash) return 'the row names another predecessor';
  // A modified file can contain bytes where the schema requires text.
  if (typeof row.entry !== 'string') return 'the entry is not text';
  if (hashEntry(hash, row.entry) !== row.hash) return 'the hash does not match the entry';
  for (const repeated of repeatedColumns[ledger]) {
    if (!hasValue(row.entry, repeated, row[repeated.column]))
      return `the column ${repeated.column} differs from the entry`;
  }
  return null;
}

/** Finds a top-level text in canonical text without parsing it, because quotes inside strings are escaped there. */
function hasValue(entry: string, { name, side }: EntryValue, value: unknown): boolean {
  const found = side === 'before' ? entry.indexOf(name) : entry.lastIndexOf(name);
  if (found === -1) return false;
  const start = found + name.length;
  if (typeof value !== 'string' || value.includes(quote)) return entry.startsWith(JSON.stringify(value), start);
  const end = start + 1 + value.length;
  const plain = entry[start] === quote && entry.startsWith(value, start + 1) && entry[end] === quote;
  // A value with characters that JSON escapes is different in the text.
  return plain || entry.startsWith(JSON.stringify(value), start);
}

const quote = '"';

/** How a head differs from the last entry; null if it does not. */
function compareHead(
  ledger: LedgerName,
  head: ChainHead,
  last: Pick<StoredEntry, 'sequence' | 'hash' | 'entry'> | null,
): string | null {
  if (head.sequence !== (last?.sequence ?? emptyHead.sequence)) return 'the head of the chain has a different number';
  if (head.hash !== (last?.hash ?? emptyHead.hash)) return 'the head of the chain has a different hash';
  const agrees = last === null ? head.at === emptyHead.at : hasValue(last.entry, times[ledger], head.at);
  return agrees ? null : 'the head of the chain has a different time';
}

/** The first row that is not part of the chain: before number 1, or after the head. */
async function findStray(queries: Queries, ledger: LedgerName, tenantId: string) {
  const rows = queries
    .selectFrom(ledgerTables[ledger] as 'consent_records')
    .select(['sequence', 'id'])
    .where('tenant_id', '=', tenantId);
  const before = await rows.where('sequence', '<', 1).orderBy('sequence').limit(1).executeTakeFirst();
  if (before !== undefined) return before;
  // The row is read before the head: if the server appends meanwhile, the head can only be further.
  const furthest = await rows.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
  const head = await readHead(queries, tenantId, ledger);
  if (furthest === undefined || head === undefined || furthest.sequence <= head.sequence) return undefined;
  return rows.where('sequence', '>', head.sequence).orderBy('sequence').limit(1).executeTakeFirst();
}

async function readPage(
  queries: Queries,
  ledger: LedgerName,
  tenantId: string,
  after: number,
  upTo: number,
): Promise<readonly StoredEntry[]> {
  return (await queries
    .selectFrom(ledgerTables[ledger] as 'consent_records')
    .select(columnsOf(ledger) as 'entry'[])
    .where('tenant_id', '=', tenantId)
    .where('sequence', '>', after)
    .where('sequence', '<=', upTo)
    .orderBy('sequence')
    .limit(sql.lit(pageSize))
    .execute()) as unknown as StoredEntry[];
}

function columnsOf(ledger: LedgerName): readonly string[] {
  return ['sequence', 'entry', 'prev_hash', 'hash', ...repeatedColumns[ledger].map(({ column }) => column)];
}

const pageSize = 500;
