import { endpointRows, type RowKind } from '../ledger/audit/rows.ts';
import { hashRow, versionOf } from '../ledger/audit/store.ts';
import type { Queries } from '../storage/queries.ts';
import { hasInvalidBytes } from '../storage/rows.ts';
import type { SecretBox } from '../storage/secrets.ts';
import { type Endpoint, mapSecrets } from '../webhooks/endpoints/store.ts';

export interface RowReport {
  /** The number of rows that were checked. */
  readonly checked: number;
  /** The rows that differ from the audit log. */
  readonly faults: readonly { readonly table: string; readonly id: string; readonly issue: string }[];
}

/** Version and hash of a row as last audited; null after deletion. */
interface RowState {
  readonly version: number;
  readonly hash: string | null;
}

/** The latest state of each row, collected from the events of a tenant: pass every event of the chain in order. */
export class RowStates {
  /** By the noun of the kind and the id of the row. */
  readonly #latest = new Map<string, Map<string, RowState>>();
  #events = 0;

  /** The number of events that were read. */
  get events(): number {
    return this.#events;
  }

  /** Reads the canonical text of the next event. */
  read(entry: string): void {
    this.#events += 1;
    for (const { noun, id, ...state } of readStates(entry)) {
      const ofKind = this.#latest.get(noun) ?? new Map<string, RowState>();
      if (state.hash === null) ofKind.delete(id);
      else this.#latest.set(noun, ofKind.set(id, state));
    }
  }

  /** The states of the rows of a kind after their latest changes, by their ids. */
  of(noun: string): ReadonlyMap<string, RowState> {
    return this.#latest.get(noun) ?? new Map();
  }
}

/** Reads the states of rows from the canonical text of an event. */
function readStates(entry: string): readonly (RowState & { readonly noun: string; readonly id: string })[] {
  // Most events contain none, and searching is cheaper than parsing.
  if (!entry.includes('"states":{')) return [];
  try {
    const { targetId: id, diff } = JSON.parse(entry);
    return Object.entries<string | null>(diff.states ?? {}).map(([name, hash]) => {
      const [noun = '', version] = name.split('/');
      return { noun, id, version: Number(version), hash };
    });
  } catch {
    // A modified event: verifying the chain reports it.
    return [];
  }
}

type StoredRow = Readonly<Record<string, unknown>>;

/** True if a stored row is as it was recorded, and has the expected values in columns that were added since. */
function isRecorded(kind: RowKind, row: object, { version, hash }: RowState): boolean {
  if (version > versionOf(kind) || hash === null) return false;
  const expected = kind.added.slice(version - 1).flatMap((values) => Object.entries(values));
  return (
    expected.every(([column, value]) => (row as StoredRow)[column] === value) && hashRow(kind, row, version) === hash
  );
}

/**
 * Compares every row of these kinds that a tenant has with its audit log.
 * @param states from the chain, as far as it is intact.
 * @param box opens encrypted texts that no seal of their row covers; null without the secret.
 */
export async function verifyRows(
  queries: Queries,
  kinds: readonly RowKind[],
  tenantId: string,
  states: RowStates,
  box: SecretBox | null = null,
): Promise<RowReport> {
  const stored = new Map<RowKind, readonly StoredRow[]>();
  for (const kind of kinds) stored.set(kind, await readRows(queries, kind, tenantId));
  // Rows that the server changed after the chain was read: the states in their events are accepted as well.
  const laterEvents = await queries
    .selectFrom('audit_events')
    .select('entry')
    .where('tenant_id', '=', tenantId)
    .where('sequence', '>', states.events)
    .execute();
  const nameRow = (noun: string, id: string) => `${noun} ${id}`;
  const laterStates = laterEvents.flatMap(({ entry }) => readStates(entry));
  const later = Map.groupBy(laterStates, (state) => nameRow(state.noun, state.id));
  const faults: RowReport['faults'][number][] = [];
  let checked = 0;
  for (const [kind, rows] of stored) {
    const { table, noun, key } = kind;
    const known = states.of(noun);
    for (const row of rows) {
      const id = String(row[key]);
      const expected: RowState[] = (later.get(nameRow(noun, id)) ?? []).filter(({ hash }) => hash !== null);
      const latest = known.get(id);
      if (latest !== undefined) expected.push(latest);
      const issue = await findFault(queries, kind, row, expected, box);
      if (issue !== null) faults.push({ table, id, issue });
    }
    const present = new Set(rows.map((row) => row[key]));
    // The log has no further events of a person who is no longer a member.
    const members = kind.owner === 'members' ? await selectMembers(queries, tenantId).execute() : null;
    for (const id of known.keys()) {
      const isRemoved = later.get(nameRow(noun, id))?.at(-1)?.hash === null;
      if (!present.has(id) && !isRemoved && members?.some((member) => member.user_id === id) !== false)
        faults.push({ table, id, issue: 'the row is missing' });
    }
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

function opens(box: SecretBox, endpoint: Endpoint): boolean {
  try {
    mapSecrets(endpoint, (sealed, purpose) => box.open(sealed, purpose));
    return true;
  } catch {
    return false;
  }
}

async function findFault(
  queries: Queries,
  kind: RowKind,
  row: StoredRow,
  expected: readonly RowState[],
  box: SecretBox | null,
): Promise<string | null> {
  if (expected.length === 0) return 'the audit log has no event of the row';
  if (!expected.some((state) => isAsRecorded(kind, row, state))) return 'the row differs from the audit log';
  if (kind.table === endpointRows.table && box !== null && !opens(box, row as unknown as Endpoint))
    return 'an encrypted text does not open';
  return (await hasInvalidBytes(queries, kind.table, row)) ? 'the text is not Unicode' : null;
}

/**
 * True if a row is as it was recorded; false for a row with a value that Svc cannot store, such as an infinite number.
 */
function isAsRecorded(kind: RowKind, row: StoredRow, state: RowState): boolean {
  try {
    return isRecorded(kind, row, state);
  } catch {
    return false;
  }
}
