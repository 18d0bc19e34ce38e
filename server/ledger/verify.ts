import type { Queries } from '../storage/database.ts';
import { type LedgerName, ledgerTables } from './append.ts';
import { hashEntry } from './chain.ts';

/** The first row of a chain that is not as it was written. */
export interface ChainFault {
  readonly ledger: LedgerName;
  readonly tenantId: string;
  readonly sequence: number;
  /** The row's id; null where the row itself is missing. */
  readonly id: string | null;
  readonly issue: string;
}

export interface ChainReport {
  readonly ledger: LedgerName;
  readonly tenantId: string;
  /** How many entries were found good. */
  readonly entries: number;
  readonly fault: ChainFault | null;
}

/** A column that repeats a value of the entry for look-ups, and how to find that value in the canonical text. */
interface RepeatedColumn {
  readonly column: string;
  readonly key: string;
  /** Canonical keys are sorted: is this one before or after the key whose value may hold anything? */
  readonly side: 'before' | 'after';
}

const repeatedColumns: Readonly<Record<LedgerName, readonly RepeatedColumn[]>> = {
  // before and after `purposes`
  consent: [
    { column: 'id', key: 'id', side: 'before' },
    { column: 'notice_id', key: 'noticeId', side: 'before' },
    { column: 'subject_id', key: 'subjectId', side: 'after' },
    { column: 'tenant_id', key: 'tenantId', side: 'after' },
  ],
  // before and after `diff`
  audit: [
    { column: 'actor_type', key: 'actorType', side: 'before' },
    { column: 'at', key: 'at', side: 'before' },
    { column: 'id', key: 'id', side: 'after' },
    { column: 'module', key: 'module', side: 'after' },
    { column: 'tenant_id', key: 'tenantId', side: 'after' },
  ],
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
 */
export async function verifyChain(
  queries: Queries,
  ledger: LedgerName,
  tenantId: string,
  onProgress: (entries: number) => void = () => undefined,
): Promise<ChainReport> {
  let sequence = 0;
  let hash: string | null = null;
  const fault = (at: number, id: string | null, issue: string): ChainReport => {
    return { ledger, tenantId, entries: at - 1, fault: { ledger, tenantId, sequence: at, id, issue } };
  };
  // The head is read first: entries that are appended during the walk are none of its business.
  const head = await readHead(queries, ledger, tenantId);
  if (head === undefined) return fault(1, null, 'the head of the chain is missing');
  while (sequence < head.sequence) {
    const rows = await readPage(queries, ledger, tenantId, sequence);
    for (const row of rows) {
      const issue = findFault(row, ledger, sequence, hash);
      if (issue !== null) return fault(sequence + 1, row.id, issue);
      ({ sequence, hash } = row);
      if (sequence === head.sequence && hash !== head.hash)
        return fault(sequence, row.id, 'the head of the chain has another hash');
    }
    if (rows.length === 0)
      return fault(sequence + 1, null, `the entries ${sequence + 1} to ${head.sequence} are missing`);
    onProgress(sequence);
  }
  const beyond = await readPage(queries, ledger, tenantId, sequence);
  const last = beyond.at(-1);
  const present = last && (await readHead(queries, ledger, tenantId));
  if (last && present && last.sequence > present.sequence) {
    return fault(present.sequence + 1, last.id, 'the row stands behind the head of the chain');
  }
  return { ledger, tenantId, entries: sequence, fault: null };
}

async function readHead(queries: Queries, ledger: LedgerName, tenantId: string) {
  return queries
    .selectFrom('chain_heads')
    .select(['sequence', 'hash'])
    .where('tenant_id', '=', tenantId)
    .where('ledger', '=', ledger)
    .executeTakeFirst();
}

/** What is wrong with a row that should follow the entry `sequence` with this hash; null when nothing is. */
function findFault(row: StoredEntry, ledger: LedgerName, sequence: number, hash: string | null): string | null {
  if (row.sequence !== sequence + 1) return `the row has number ${row.sequence}, the chain expects ${sequence + 1}`;
  if (row.prev_hash !== hash) return 'the row names another predecessor';
  if (hashEntry(hash, row.entry) !== row.hash) return 'the hash does not fit the entry';
  for (const { column, key, side } of repeatedColumns[ledger]) {
    if (!hasValue(row.entry, key, side, row[column])) return `the column ${column} differs from the entry`;
  }
  return null;
}

/** Looks a top-level value up in canonical text without parsing it. Quotes inside of strings are escaped there. */
function hasValue(entry: string, key: string, side: RepeatedColumn['side'], value: unknown): boolean {
  const name = `"${key}":`;
  const start = side === 'before' ? entry.indexOf(name) : entry.lastIndexOf(name);
  return start !== -1 && entry.startsWith(JSON.stringify(value), start + name.length);
}

async function readPage(
  queries: Queries,
  ledger: LedgerName,
  tenantId: string,
  after: number,
): Promise<readonly StoredEntry[]> {
  const columns = ['sequence', 'entry', 'prev_hash', 'hash', ...repeatedColumns[ledger].map(({ column }) => column)];
  return (await queries
    .selectFrom(ledgerTables[ledger] as 'consent_records')
    .select(columns as 'entry'[])
    .where('tenant_id', '=', tenantId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(pageSize)
    .execute()) as unknown as StoredEntry[];
}

const pageSize = 2000;
