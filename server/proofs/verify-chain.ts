import { type Selectable, sql } from 'kysely';
import type { LedgerOf } from '../ledger/entry.ts';
import {
  type ChainHead,
  commit,
  commitmentColumns,
  emptyHead,
  fillTemplate,
  hashEntry,
  type LedgerName,
  ledgerTables,
  readHead,
  recordValues,
} from '../ledger/entry.ts';
import { findStrayOpening, readOpeningRows } from '../ledger/opening-store.ts';
import { findOrphanedTemplate, RecordTemplates } from '../ledger/template-store.ts';
import { inRange } from '../ledger/tree-store.ts';
import type { Queries } from '../storage/queries.ts';
import { hasInvalidBytes, prepareQuery } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { checkOpenings } from './verify-openings.ts';

export interface ChainReport extends LedgerOf {
  /** How many entries are valid. */
  readonly entries: number;
  /** The first row that differs from what was written; its id is null if the row is missing. */
  readonly fault: (LedgerOf & { readonly sequence: number; readonly id: string | null; readonly issue: string }) | null;
}

/** The columns of a record with the values that its entry has commitments to. */
const committedColumns = ['subject_id', 'ip_hash', 'ua_hash'] as const satisfies (keyof typeof recordValues)[];

/** A row that is verified, with the columns to compare. */
type StoredEvent = Selectable<Tables['audit_events']>;
type StoredRecord = Selectable<Tables['consent_records']>;
type StoredRow = StoredEvent | StoredRecord;

/** A column that has a text from the top level of an event's entry, and the key of this text there: `"actorId":`. */
interface EntryValue {
  readonly column: keyof StoredEvent;
  readonly name: string;
}

/** Before the key `diff`, whose value can be any JSON, each key is the first of its name. In the order of the entry. */
const firstValues: readonly EntryValue[] = [
  { column: 'action', name: '"action":' },
  { column: 'actor_id', name: '"actorId":' },
  { column: 'actor_type', name: '"actorType":' },
  { column: 'at', name: '"at":' },
];

/** After `diff`, each key is the last of its name. From the end of the entry. */
const lastValues: readonly EntryValue[] = [
  { column: 'tenant_id', name: '"tenantId":' },
  { column: 'target_id', name: '"targetId":' },
  { column: 'module', name: '"module":' },
  { column: 'id', name: '"id":' },
];

/** A valid row of a ledger. */
export type ValidRow<Name extends LedgerName = LedgerName> = { audit: StoredEvent; consent: StoredRecord }[Name];

/**
 * Walks one chain from its first entry to its head and recomputes every hash from the stored bytes.
 * @param onProgress called after each page with the number of entries read so far.
 * @param onEntry called with each valid row, in order.
 * @param onMissing called with the number of an entry and the path of each opening that it lacks, before `onEntry`.
 */
export async function verifyChain<Name extends LedgerName>(
  queries: Queries,
  ledger: Name,
  tenantId: string,
  onProgress: (entries: number) => void = () => undefined,
  onEntry: (row: ValidRow<Name>) => void = () => undefined,
  onMissing: (sequence: number, path: string) => void = () => undefined,
): Promise<ChainReport> {
  const of = { ledger, tenantId };
  let last: StoredRow | null = null;
  const fault = (sequence: number, id: string | null, issue: string): ChainReport => {
    return { ...of, entries: last?.sequence ?? 0, fault: { ...of, sequence, id, issue } };
  };
  // The head is read first, so that entries appended during the walk are ignored.
  const head = await readHead(queries, of);
  if (head === undefined) return fault(1, null, 'the head of the chain is missing');
  const templates = new RecordTemplates(queries, tenantId);
  for (let sequence = 0; sequence < head.sequence; ) {
    const rows = await listRows[ledger](queries, { tenantId, start: sequence, end: head.sequence });
    if (rows.length === 0) return fault(sequence + 1, null, `the rows ${sequence + 1} to ${head.sequence} are missing`);
    const end = rows.at(-1)?.sequence ?? sequence;
    const openings = ledger === 'audit' ? await readOpeningRows(queries, tenantId, sequence, end) : null;
    if (ledger === 'consent') await templates.load(rows as readonly StoredRecord[]);
    for (const row of rows) {
      sequence += 1;
      if (row.sequence > sequence) return fault(sequence, null, 'the row is missing');
      const issue: string | null =
        row.sequence !== sequence
          ? `the row has number ${row.sequence}, the chain expects ${sequence}`
          : 'entry' in row
            ? findEventFault(row, last?.hash ?? null)
            : findRecordFault(row, templates, last?.hash ?? null);
      if (issue !== null) return fault(sequence, row.id, issue);
      if (
        mayHideBytes(row) &&
        (await hasInvalidBytes(queries, ledgerTables[ledger] as 'audit_events', row as StoredEvent))
      )
        return fault(sequence, row.id, 'the text is not Unicode');
      if (openings !== null) {
        const missing = await checkOpenings(queries, (row as StoredEvent).entry, openings.get(sequence) ?? []);
        if ('issue' in missing) return fault(sequence, row.id, missing.issue);
        for (const path of missing) onMissing(sequence, path);
      }
      last = row;
      onEntry(row as ValidRow<Name>);
    }
    onProgress(sequence);
  }
  const issue = compareHead(head, last);
  if (issue !== null) return fault(last?.sequence ?? 0, last?.id ?? null, issue);
  const stray = await findStray(queries, ledger, tenantId);
  if (stray !== undefined) return fault(stray.sequence, stray.id, 'the row is outside the chain');
  if (ledger === 'audit') {
    const opening = await findStrayOpening(queries, tenantId);
    if (opening !== undefined) return fault(opening.sequence, null, 'an opening belongs to no event');
  } else {
    const template = await findOrphanedTemplate(queries, tenantId);
    if (template !== undefined) return fault(template, null, 'a template belongs to no record');
  }
  return { ...of, entries: head.sequence, fault: null };
}

/** Every tenant that has rows in the ledgers or published something, including tenants that no longer exist. */
export async function listOwners(queries: Queries): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('chain_heads')
    .select('tenant_id')
    .union(queries.selectFrom('consent_records').select('tenant_id').distinct())
    .union(queries.selectFrom('record_templates').select('tenant_id').distinct())
    .union(queries.selectFrom('consent_notice_versions').select('tenant_id').distinct())
    .union(queries.selectFrom('consent_notice_texts').select('tenant_id').distinct())
    .union(queries.selectFrom('audit_events').select('tenant_id').distinct())
    .union(queries.selectFrom('audit_openings').select('tenant_id').distinct())
    .orderBy('tenant_id')
    .execute();
  return rows.map((row) => row.tenant_id);
}

/** The fault of an event that should follow the entry with this hash; null if it is valid. */
function findEventFault(row: StoredEvent, previousHash: string | null): string | null {
  // A modified file can contain bytes where the schema requires text.
  if (typeof row.entry !== 'string') return 'the entry is not text';
  if (hashEntry(previousHash, row.entry) !== row.hash) return 'the hash does not match the entry';
  const wrong = findWrong(row);
  return wrong === undefined ? null : `the column ${wrong.column} differs from the entry`;
}

/**
 * The fault of a record that should follow the entry with this hash; null if it is valid. Its entry is made of the columns
 * that queries use, so it fits the hash only if they have the values that were written.
 */
function findRecordFault(row: StoredRecord, templates: RecordTemplates, previousHash: string | null): string | null {
  const template = templates.get(row.template);
  if (template === undefined) return 'the template of the entry is missing';
  if (!template.isSound) return 'the template of the entry was modified';
  // Anything but the whole value could be completed by a modified template.
  if (row.other_purposes !== null && !/^\{".*\}$/.test(row.other_purposes))
    return 'the column other_purposes is not an object';
  const pieces = fillTemplate(template.parts, row);
  // A modified file can contain bytes where the schema requires text. Every second piece is a value.
  for (let index = 1; index < pieces.length; index += 2)
    if (typeof pieces[index] !== 'string') return 'a value is not text';
  if (hashEntry(previousHash, pieces) !== row.hash) return 'the hash does not match the entry';
  return findOpeningFault(row);
}

/** The first column that does not have the value that the entry of an event has. */
function findWrong(row: StoredEvent): EntryValue | undefined {
  const { entry } = row;
  const has = (value: EntryValue, place: number) =>
    place !== -1 && hasText(entry, place + value.name.length, row[value.column]);
  // Each search goes on where the one before ended, so all of them read the entry once.
  let place = 0;
  for (const value of firstValues) {
    place = entry.indexOf(value.name, place);
    if (!has(value, place)) return value;
  }
  place = entry.length;
  for (const value of lastValues) {
    place = entry.lastIndexOf(value.name, place);
    if (!has(value, place)) return value;
  }
  return undefined;
}

/**
 * The fault of a record's opening, which must fit the commitments and be complete, or be erased as a whole; null if it
 * has none.
 */
function findOpeningFault(row: StoredRecord): string | null {
  const { salt, erased_at: erasedAt } = row;
  if (salt === null) {
    if (committedColumns.some((column) => row[column] !== null)) return 'the salt is missing';
    return typeof erasedAt === 'string' ? null : 'the values that identify a person are missing';
  }
  if (typeof salt !== 'string' || !/^[A-Za-z0-9_-]{22}$/.test(salt)) return 'the salt is invalid';
  for (const column of committedColumns) {
    const value = row[column];
    const commitment = row[commitmentColumns[column]];
    const fits =
      value === null
        ? commitment === null
        : typeof value === 'string' && commitment === commit(salt, recordValues[column], value);
    if (!fits) return `the column ${column} differs from the entry`;
  }
  return erasedAt === null ? null : 'the column erased_at has a value although nothing was erased';
}

/** True if canonical text has a value at a place. It is not parsed: quotes inside texts are escaped there. */
function hasText(entry: string, start: number, value: unknown): boolean {
  if (typeof value !== 'string' || value.includes(quote)) return entry.startsWith(JSON.stringify(value), start);
  const end = start + 1 + value.length;
  const plain = entry[start] === quote && entry.startsWith(value, start + 1) && entry[end] === quote;
  // A value with characters that JSON escapes is different in the text.
  return plain || entry.startsWith(JSON.stringify(value), start);
}

const quote = '"';

/** How a head differs from the last entry; null if it does not. */
function compareHead(head: ChainHead, last: StoredRow | null): string | null {
  const at = last === null ? emptyHead.at : 'entry' in last ? last.at : last.recorded_at;
  if (head.sequence !== (last?.sequence ?? emptyHead.sequence)) return 'the head of the chain has a different number';
  if (head.hash !== (last?.hash ?? emptyHead.hash)) return 'the head of the chain has a different hash';
  return head.at === at ? null : 'the head of the chain has a different time';
}

/**
 * True if a text of a row can stand for bytes that are not Unicode: each of these decodes to the same character. If the
 * entry lacks this character, so do the columns whose values are in the entry.
 */
function mayHideBytes(row: StoredRow): boolean {
  const hides = (text: unknown) => typeof text === 'string' && text.includes('\uFFFD');
  return 'entry' in row ? hides(row.entry) : committedColumns.some((column) => hides(row[column]));
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

const listRows = { audit: prepareList('audit'), consent: prepareList('consent') };

function prepareList(ledger: LedgerName) {
  return prepareQuery<{ tenantId: string; start: number; end: number }, StoredRow>((queries, parameter) => {
    const range = { start: parameter('start'), end: parameter('end') };
    return inRange(queries, { tenantId: parameter('tenantId'), ledger }, range)
      .selectAll()
      .limit(sql.lit(pageSize));
  });
}

/** Rows per read. */
const pageSize = 500;
