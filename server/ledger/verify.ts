import { type Selectable, sql } from 'kysely';
import type { Queries } from '../storage/database.ts';
import { hasInvalidBytes } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { type ChainHead, emptyHead, hashEntry, type LedgerName, ledgerTables, readHead } from './append.ts';
import { commit, recordValues } from './commitment.ts';
import { findStrayOpening } from './opening-store.ts';
import { inRange, type LedgerOf } from './tree-store.ts';
import { EventOpenings } from './verify-openings.ts';

export interface ChainReport extends LedgerOf {
  /** How many entries are valid. */
  readonly entries: number;
  /** The first row that differs from what was written; its id is null if the row is missing. */
  readonly fault: (LedgerOf & { readonly sequence: number; readonly id: string | null; readonly issue: string }) | null;
}

/** Where to find a text at the top level of the canonical text of an entry. */
interface EntryValue {
  readonly column: string;
  /** The key as it is in the text: `"noticeId":`. */
  readonly name: string;
  /** Whether the key is sorted before the one whose value can be any JSON, so that it is the first of its name. */
  readonly isFirst: boolean;
}

/** The columns that duplicate values of the entry for queries, and the time of the entry, which the head repeats. */
const entryValues: Readonly<
  Record<LedgerName, { readonly columns: readonly EntryValue[]; readonly time: EntryValue }>
> = {
  consent: findValues('purposes', ['id', 'notice_id', 'space', 'tenant_id'], 'recorded_at'),
  audit: findValues('diff', ['action', 'actor_id', 'actor_type', 'at', 'id', 'module', 'target_id', 'tenant_id'], 'at'),
};

/** The columns of a record with the values that the entry has commitments to. */
const committedValues = findValues('purposes', Object.keys(recordValues), 'recorded_at').columns;

/** @param anyJson the key whose value can be any JSON. */
function findValues(anyJson: string, columns: readonly string[], time: string) {
  const find = (column: string): EntryValue => {
    const key = column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return { column, name: `"${key}":`, isFirst: key < anyJson };
  };
  return { columns: columns.map(find), time: find(time) };
}

/** A row as it is stored, with the columns to compare. */
type StoredRow = Pick<Selectable<Tables['consent_records']>, 'sequence' | 'id' | 'entry' | 'prev_hash' | 'hash'> & {
  readonly [column: string]: unknown;
};

/** A valid row. An erased record has no salt, and when it was erased. */
export type ValidRow = Pick<StoredRow, 'sequence' | 'id' | 'entry' | 'hash'> & {
  readonly salt?: unknown;
  readonly erased_at?: unknown;
};

/**
 * Walks one chain from its first entry to its head and recomputes every hash from the stored bytes.
 * @param onProgress called after each page with the number of entries read so far.
 * @param onEntry called with each valid row, in order.
 * @param onMissing called with the number of each entry without all of its openings, before `onEntry`.
 */
export async function verifyChain(
  queries: Queries,
  ledger: LedgerName,
  tenantId: string,
  onProgress: (entries: number) => void = () => undefined,
  onEntry: (row: ValidRow) => void = () => undefined,
  onMissing: (sequence: number) => void = () => undefined,
): Promise<ChainReport> {
  const of = { ledger, tenantId };
  const columns = [
    ...entryValues[ledger].columns.map(({ column }) => column as 'id'),
    ...(ledger === 'consent' ? openingColumns : []),
  ];
  let last: StoredRow | null = null;
  const fault = (sequence: number, id: string | null, issue: string): ChainReport => {
    return { ...of, entries: last?.sequence ?? 0, fault: { ...of, sequence, id, issue } };
  };
  // The head is read first, so that entries appended during the walk are ignored.
  const head = await readHead(queries, of);
  if (head === undefined) return fault(1, null, 'the head of the chain is missing');
  for (let sequence = 0; sequence < head.sequence; ) {
    const rows: readonly StoredRow[] = await inRange(queries, of, { start: sequence, end: head.sequence })
      .select(['sequence', 'entry', 'prev_hash', 'hash', ...columns])
      .limit(sql.lit(pageSize))
      .execute();
    if (rows.length === 0) return fault(sequence + 1, null, `the rows ${sequence + 1} to ${head.sequence} are missing`);
    const end = rows.at(-1)?.sequence ?? sequence;
    const openings = ledger === 'audit' ? await EventOpenings.read(queries, tenantId, sequence, end) : null;
    for (const row of rows) {
      sequence += 1;
      if (row.sequence > sequence) return fault(sequence, null, 'the row is missing');
      const issue = findFault(row, ledger, sequence, last?.hash ?? null);
      if (issue !== null) return fault(sequence, row.id, issue);
      if (await hasInvalidBytes(queries, ledgerTables[ledger], row))
        return fault(sequence, row.id, 'the text is not Unicode');
      const opened = await openings?.check(sequence, row.entry);
      if (opened === 'missing') onMissing(sequence);
      else if (opened) return fault(sequence, row.id, opened.issue);
      last = row;
      onEntry(row);
    }
    onProgress(sequence);
  }
  const issue = compareHead(ledger, head, last);
  if (issue !== null) return fault(last?.sequence ?? 0, last?.id ?? null, issue);
  const stray = await findStray(queries, ledger, tenantId);
  if (stray !== undefined) return fault(stray.sequence, stray.id, 'the row is outside the chain');
  const opening = ledger === 'audit' ? await findStrayOpening(queries, tenantId) : undefined;
  if (opening !== undefined) return fault(opening.sequence, null, 'an opening belongs to no event');
  return { ...of, entries: head.sequence, fault: null };
}

/** Every tenant that has rows in the ledgers, including tenants that no longer exist. */
export async function listOwners(queries: Queries): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('chain_heads')
    .select('tenant_id')
    .union(queries.selectFrom('consent_records').select('tenant_id').distinct())
    .union(queries.selectFrom('audit_events').select('tenant_id').distinct())
    .union(queries.selectFrom('audit_openings').select('tenant_id').distinct())
    .orderBy('tenant_id')
    .execute();
  return rows.map((row) => row.tenant_id);
}

/** The fault of a row that should have number `sequence` and follow the entry with this hash; null if it is valid. */
function findFault(row: StoredRow, ledger: LedgerName, sequence: number, hash: string | null): string | null {
  if (row.sequence !== sequence) return `the row has number ${row.sequence}, the chain expects ${sequence}`;
  if (row.prev_hash !== hash) return 'the row names another predecessor';
  // A modified file can contain bytes where the schema requires text.
  if (typeof row.entry !== 'string') return 'the entry is not text';
  if (hashEntry(hash, row.entry) !== row.hash) return 'the hash does not match the entry';
  const wrong =
    entryValues[ledger].columns.find((value) => !hasValue(row.entry, value, row[value.column])) ??
    (ledger === 'consent' && row.salt !== null ? findUncommitted(row) : undefined);
  if (wrong !== undefined) return `the column ${wrong.column} differs from the entry`;
  return ledger === 'consent' ? findOpeningFault(row) : null;
}

const openingColumns = [...committedValues.map(({ column }) => column), 'salt', 'erased_at'] as readonly 'id'[];

/** The value of a record that is not the one that its entry has a commitment to. */
function findUncommitted({ entry, salt, ...row }: StoredRow): EntryValue | undefined {
  return committedValues.find((place) => {
    const { [place.column]: value } = row;
    if (value === null) return !hasValue(entry, place, null);
    const path = recordValues[place.column as keyof typeof recordValues];
    return typeof value !== 'string' || !hasValue(entry, place, commit(String(salt), path, value));
  });
}

/** What is wrong with the opening of a record: it is there as a whole, or erased as a whole. */
function findOpeningFault({ salt, erased_at: erasedAt, ...row }: StoredRow): string | null {
  if (salt === null) {
    if (committedValues.some(({ column }) => row[column] !== null)) return 'the salt is missing';
    return typeof erasedAt === 'string' ? null : 'the values that identify a person are missing';
  }
  if (typeof salt !== 'string' || !/^[A-Za-z0-9_-]{22}$/.test(salt)) return 'the salt is invalid';
  return erasedAt === null ? null : 'the column erased_at has a value although nothing was erased';
}

/** Finds a top-level text in canonical text without parsing it, because quotes inside strings are escaped there. */
function hasValue(entry: string, { name, isFirst }: EntryValue, value: unknown): boolean {
  const found = isFirst ? entry.indexOf(name) : entry.lastIndexOf(name);
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
function compareHead(ledger: LedgerName, head: ChainHead, last: StoredRow | null): string | null {
  if (head.sequence !== (last?.sequence ?? emptyHead.sequence)) return 'the head of the chain has a different number';
  if (head.hash !== (last?.hash ?? emptyHead.hash)) return 'the head of the chain has a different hash';
  const agrees = last === null ? head.at === emptyHead.at : hasValue(last.entry, entryValues[ledger].time, head.at);
  return agrees ? null : 'the head of the chain has a different time';
}

/** The first row that is not part of the chain: before number 1, or after the head. One statement sees one state of both. */
async function findStray(queries: Queries, ledger: LedgerName, tenantId: string) {
  const { rows } = await sql<{ readonly sequence: number; readonly id: string }>`
    select sequence, id from ${sql.table(ledgerTables[ledger])}
    where tenant_id = ${tenantId} and (sequence < 1 or sequence > (
      select sequence from chain_heads where tenant_id = ${tenantId} and ledger = ${ledger}
    ))
    order by sequence limit 1`.execute(queries);
  return rows[0];
}

/** Rows per read. */
const pageSize = 500;
