import type { Queries } from '../storage/database.ts';
import { findRow, mayHideBytes } from '../storage/rows.ts';
import { hashRow, type RowKind, type RowState, readStates } from './row-state.ts';

/** A row that differs from the audit log. */
export interface RowFault {
  readonly table: string;
  readonly id: string;
  readonly issue: string;
}

export interface RowReport {
  /** The number of rows that were checked. */
  readonly checked: number;
  readonly faults: readonly RowFault[];
}

/** The latest state of each row, collected from the events of a tenant: pass every event of the chain in order. */
export class RowStates {
  readonly #latest = new Map<string, RowState>();
  #events = 0;

  /** The number of events that were read. */
  get events(): number {
    return this.#events;
  }

  /** Reads the canonical text of the next event. */
  read(entry: string): void {
    this.#events += 1;
    for (const state of readStates(entry)) this.#latest.set(nameRow(state.noun, state.id), state);
  }

  /** The hash of a row after its latest change; undefined for a row without an event. */
  find(noun: string, id: string): string | undefined {
    return this.#latest.get(nameRow(noun, id))?.hash;
  }

  /** The ids of the rows of a kind. */
  list(noun: string): readonly string[] {
    return [...this.#latest.values()].filter((state) => state.noun === noun).map(({ id }) => id);
  }
}

function nameRow(noun: string, id: string): string {
  return `${noun} ${id}`;
}

type StoredRow = Readonly<Record<string, unknown>>;

/**
 * Compares every row of these kinds that a tenant has with its audit log.
 * @param states from the chain, as far as it is intact.
 */
export async function verifyRows(
  queries: Queries,
  kinds: readonly RowKind[],
  tenantId: string,
  states: RowStates,
): Promise<RowReport> {
  const stored: { readonly kind: RowKind; readonly rows: readonly StoredRow[] }[] = [];
  for (const kind of kinds) stored.push({ kind, rows: await readRows(queries, kind, tenantId) });
  // Rows that the server changed after the chain was read: the hashes of their events are accepted as well.
  const later = await readLaterHashes(queries, tenantId, states.events);
  const faults: RowFault[] = [];
  let checked = 0;
  for (const { kind, rows } of stored) {
    const { table, noun, key } = kind;
    for (const row of rows) {
      const id = String(row[key]);
      const earlier = states.find(noun, id);
      const expected = [...(earlier === undefined ? [] : [earlier]), ...(later.get(nameRow(noun, id)) ?? [])];
      const issue = await findFault(queries, kind, row, expected);
      if (issue !== null) faults.push({ table, id, issue });
    }
    const present = new Set(rows.map((row) => row[key]));
    // The log has no further events of a person who is no longer a member.
    const members = kind.owner === 'members' ? await selectMembers(queries, tenantId).execute() : null;
    for (const id of states.list(noun))
      if (!present.has(id) && members?.some((member) => member.user_id === id) !== false)
        faults.push({ table, id, issue: 'the row is missing' });
    checked += rows.length;
  }
  return { checked, faults };
}

/** The tenants of all rows of these kinds, including tenants that do not exist. */
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

/** The hashes in the events after a sequence number, for each row. */
async function readLaterHashes(
  queries: Queries,
  tenantId: string,
  after: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const events = await queries
    .selectFrom('audit_events')
    .select('entry')
    .where('tenant_id', '=', tenantId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .execute();
  const states = events.flatMap(({ entry }) => readStates(entry));
  const byRow = Map.groupBy(states, ({ noun, id }) => nameRow(noun, id));
  return new Map([...byRow].map(([name, ofRow]) => [name, ofRow.map(({ hash }) => hash)]));
}

async function findFault(
  queries: Queries,
  kind: RowKind,
  row: StoredRow,
  expected: readonly string[],
): Promise<string | null> {
  if (expected.length === 0) return 'the audit log has no event of the row';
  if (!expected.includes(hashStored(kind, row))) return 'the row differs from the audit log';
  if (!Object.values(row).some(mayHideBytes)) return null;
  return (await findRow(queries, kind.table, row)) === undefined ? 'the text is not Unicode' : null;
}

/** The hash of a row; empty for a row with a value that Svc cannot store, such as an infinite number. */
function hashStored(kind: RowKind, row: StoredRow): string {
  try {
    return hashRow(kind, row);
  } catch {
    return '';
  }
}
