import type { Queries } from '../storage/database.ts';
import { isStoredSo, mayHideBytes } from '../storage/stored-text.ts';
import { hashRow, type RowKind, readStates, type ToldState } from './row-state.ts';

/** A row that is not as the audit log tells. */
export interface RowFault {
  readonly table: string;
  readonly id: string;
  readonly issue: string;
}

export interface RowReport {
  /** How many rows were looked at. */
  readonly checked: number;
  readonly faults: readonly RowFault[];
}

/** The latest state of each row, as the events of a tenant tell it; give it every event of the chain in order. */
export class ToldStates {
  readonly #latest = new Map<string, ToldState>();
  #events = 0;

  /** How many events were read. */
  get events(): number {
    return this.#events;
  }

  /** Takes the canonical text of the next event. */
  read(entry: string): void {
    this.#events += 1;
    for (const state of readStates(entry)) this.#latest.set(nameRow(state.noun, state.id), state);
  }

  /** The hash of a row after its latest change; undefined when no event tells of the row. */
  find(noun: string, id: string): string | undefined {
    return this.#latest.get(nameRow(noun, id))?.hash;
  }

  /** The ids of the rows of a kind. */
  list(noun: string): readonly string[] {
    return [...this.#latest.values()].filter((state) => state.noun === noun).map(({ id }) => id);
  }
}

type StoredRow = Readonly<Record<string, unknown>>;

/**
 * Compares every row of these kinds that a tenant has with what its audit log tells.
 * @param told what the chain tells, as far as it was found good.
 */
export async function verifyRows(
  queries: Queries,
  kinds: readonly RowKind[],
  tenantId: string,
  told: ToldStates,
): Promise<RowReport> {
  const stored: { readonly kind: RowKind; readonly rows: readonly StoredRow[] }[] = [];
  for (const kind of kinds) stored.push({ kind, rows: await readRows(queries, kind, tenantId) });
  // Rows that the server changed since the chain was walked: what their events tell counts as well.
  const later = await readLater(queries, tenantId, told.events);
  const faults: RowFault[] = [];
  for (const { kind, rows } of stored) {
    for (const row of rows) {
      const id = String(row[kind.key]);
      const expected = [told.find(kind.noun, id), ...(later.get(nameRow(kind.noun, id)) ?? [])];
      const issue = await findFault(
        queries,
        kind,
        row,
        expected.filter((hash) => hash !== undefined),
      );
      if (issue !== null) faults.push({ table: kind.table, id, issue });
    }
    const present = new Set(rows.map((row) => row[kind.key]));
    // Of a person who is no member any more, nothing is told any more.
    const members = kind.owner === 'members' ? new Set(await listMembers(queries, tenantId)) : null;
    for (const id of told.list(kind.noun)) {
      if (!present.has(id) && members?.has(id) !== false)
        faults.push({ table: kind.table, id, issue: 'the row is missing' });
    }
  }
  return { checked: stored.reduce((sum, { rows }) => sum + rows.length, 0), faults };
}

/** Every tenant that rows of these kinds name, whether or not there still is such a tenant. */
export async function listRowOwners(queries: Queries, kinds: readonly RowKind[]): Promise<readonly string[]> {
  const owners = new Set<string>();
  for (const { table, owner } of kinds) {
    if (owner === 'members') continue;
    const rows = await queries
      .selectFrom(table as 'api_keys')
      .select(`${owner as 'tenant_id'} as owner`)
      .distinct()
      .execute();
    for (const row of rows) owners.add(row.owner);
  }
  return [...owners].sort();
}

async function readRows(
  queries: Queries,
  { table, key, owner }: RowKind,
  tenantId: string,
): Promise<readonly StoredRow[]> {
  const rows = queries
    .selectFrom(table as 'api_keys')
    .selectAll()
    .orderBy(key as 'id');
  const owned =
    owner === 'members'
      ? rows.where(key as 'id', 'in', selectMembers(queries, tenantId))
      : rows.where(owner as 'tenant_id', '=', tenantId);
  return owned.execute() as Promise<readonly object[]> as Promise<readonly StoredRow[]>;
}

function selectMembers(queries: Queries, tenantId: string) {
  return queries
    .selectFrom('memberships')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('accepted_at', 'is not', null)
    .where('deleted_at', 'is', null);
}

async function listMembers(queries: Queries, tenantId: string): Promise<readonly string[]> {
  return (await selectMembers(queries, tenantId).execute()).map((row) => row.user_id);
}

/** The hashes that events after a number tell, for each row. */
async function readLater(queries: Queries, tenantId: string, after: number): Promise<Map<string, readonly string[]>> {
  const events = await queries
    .selectFrom('audit_events')
    .select('entry')
    .where('tenant_id', '=', tenantId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .execute();
  const later = new Map<string, readonly string[]>();
  for (const { entry } of events) {
    for (const state of readStates(entry)) {
      const name = nameRow(state.noun, state.id);
      later.set(name, [...(later.get(name) ?? []), state.hash]);
    }
  }
  return later;
}

async function findFault(
  queries: Queries,
  kind: RowKind,
  row: StoredRow,
  expected: readonly string[],
): Promise<string | null> {
  if (expected.length === 0) return 'the audit log does not tell of the row';
  if (!expected.includes(hashStored(kind, row))) return 'the row is not as the audit log tells';
  if (!Object.values(row).some(mayHideBytes)) return null;
  return (await isStoredSo(queries, kind.table, row)) ? null : 'the text is not Unicode';
}

/** The hash of a row; empty for one that holds what no row of ours can hold, such as an infinite number. */
function hashStored(kind: RowKind, row: StoredRow): string {
  try {
    return hashRow(kind, row);
  } catch {
    return '';
  }
}

function nameRow(noun: string, id: string): string {
  return `${noun} ${id}`;
}
