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

/** The columns of a record with the values that its entry has commitments to. */
const committedColumns = Object.keys(recordValues);

/** Where to find a text at the top level of the canonical text of an entry, whose keys are sorted. */
interface EntryValue {
  readonly column: string;
  /** The key as it is in the text: `"noticeId":`. */
  readonly name: string;
  /** Of the commitment that the entry has in place of the value. */
  readonly path: string | null;
}

/** The columns that duplicate values of the entry, or have what its commitments are about, by the order of the entry. */
interface EntryValues {
  /** Before the key whose value can be any JSON: each is the first of its name. */
  readonly first: readonly EntryValue[];
  /** After it, the last key first: each is the last of its name. */
  readonly last: readonly EntryValue[];
}

const entryValues: Readonly<Record<LedgerName, EntryValues>> = {
  consent: sortValues(['id', 'notice_id', 'space', 'tenant_id', ...committedColumns], 'otherPurposes'),
  audit: sortValues(['action', 'actor_id', 'actor_type', 'at', 'id', 'module', 'target_id', 'tenant_id'], 'diff'),
};

/** @param anyJson the first key whose value can be any JSON. */
function sortValues(columns: readonly string[], anyJson: string): EntryValues {
  const readKey = (column: string) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const describe = (column: string): EntryValue => {
    const path = recordValues[column as keyof typeof recordValues] ?? null;
    return { column, name: `"${readKey(column)}":`, path };
  };
  const sorted = columns.toSorted((one, other) => (readKey(one) < readKey(other) ? -1 : 1));
  return {
    first: sorted.filter((column) => readKey(column) < anyJson).map(describe),
    last: sorted
      .filter((column) => readKey(column) > anyJson)
      .map(describe)
      .reverse(),
  };
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
 * @param onMissing called with the number of an entry and the path of each opening that it lacks, before `onEntry`.
 */
export async function verifyChain(
  queries: Queries,
  ledger: LedgerName,
  tenantId: string,
  onProgress: (entries: number) => void = () => undefined,
  onEntry: (row: ValidRow) => void = () => undefined,
  onMissing: (sequence: number, path: string) => void = () => undefined,
): Promise<ChainReport> {
  const of = { ledger, tenantId };
  const { first, last: after } = entryValues[ledger];
  const columns = [...first, ...after].map(({ column }) => column as 'id');
  if (ledger === 'consent') columns.push(...(['salt', 'erased_at'] as readonly string[] as readonly 'id'[]));
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
      if (mayHideBytes(row) && (await hasInvalidBytes(queries, ledgerTables[ledger], row)))
        return fault(sequence, row.id, 'the text is not Unicode');
      // An await for each of millions of rows would take longer than reading them.
      const missing = openings === null ? [] : await openings.check(sequence, row.entry);
      if ('issue' in missing) return fault(sequence, row.id, missing.issue);
      for (const path of missing) onMissing(sequence, path);
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
  const wrong = findWrong(row, ledger);
  if (wrong !== undefined) return `the column ${wrong.column} differs from the entry`;
  return ledger === 'consent' ? findOpeningFault(row) : null;
}

/** The first column that does not have the value, or not that of the commitment, that the entry has. */
function findWrong(row: StoredRow, ledger: LedgerName): EntryValue | undefined {
  const { entry } = row;
  const { first, last } = entryValues[ledger];
  // Each search goes on where the one before ended, so all of them read the entry once. The keys of a leading `basis` are
  // those of purposes, which may have any name; its values have no braces.
  let place = entry.startsWith('{"basis":{') ? entry.indexOf('}') : 0;
  for (const value of first) {
    place = entry.indexOf(value.name, place);
    if (!isIn(row, value, place)) return value;
  }
  place = entry.length;
  for (const value of last) {
    place = entry.lastIndexOf(value.name, place);
    if (!isIn(row, value, place)) return value;
  }
  return undefined;
}

/** Whether the entry of a row has the value of a column behind the key at a place; -1 if it has no such key. */
function isIn(row: StoredRow, value: EntryValue, place: number): boolean {
  // What the entry of an erased record has commitments to is gone.
  if (value.path !== null && row.salt === null) return true;
  return place !== -1 && hasText(row.entry, place + value.name.length, readValue(row, value));
}

/** What the entry has for a column; undefined for a value of a wrong type. */
function readValue(row: StoredRow, { column, path }: EntryValue): unknown {
  const value = row[column];
  if (path === null || value === null) return value;
  return typeof value === 'string' ? commit(String(row.salt), path, value) : undefined;
}

/** What is wrong with the opening of a record: it is there as a whole, or erased as a whole. */
function findOpeningFault(row: StoredRow): string | null {
  const { salt, erased_at: erasedAt } = row;
  if (salt === null) {
    if (committedColumns.some((column) => row[column] !== null)) return 'the salt is missing';
    return typeof erasedAt === 'string' ? null : 'the values that identify a person are missing';
  }
  if (typeof salt !== 'string' || !/^[A-Za-z0-9_-]{22}$/.test(salt)) return 'the salt is invalid';
  return erasedAt === null ? null : 'the column erased_at has a value although nothing was erased';
}

/** Whether canonical text has a value at a place. It is not parsed: quotes inside texts are escaped there. */
function hasText(entry: string, start: number, value: unknown): boolean {
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
  const agrees = last === null ? head.at === emptyHead.at : hasText(last.entry, findTime(ledger, last.entry), head.at);
  return agrees ? null : 'the head of the chain has a different time';
}

/** Where the time of an entry begins: before or after the values that can be any JSON. */
function findTime(ledger: LedgerName, entry: string): number {
  const [key, place] =
    ledger === 'audit' ? ['"at":', entry.indexOf('"at":')] : ['"recordedAt":', entry.lastIndexOf('"recordedAt":')];
  return place + key.length;
}

/**
 * Whether a text of a row can stand for bytes that are not Unicode: each of these decodes to the same character, which no
 * column that repeats a part of the entry has if the entry has none.
 */
function mayHideBytes(row: StoredRow): boolean {
  const hides = (text: unknown) => typeof text === 'string' && text.includes('\uFFFD');
  return hides(row.entry) || committedColumns.some((column) => hides(row[column]));
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
