import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { UnitOfWork } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';
import type { AuditSource } from './source.ts';
import { type AuditModule, type NewAuditEvent, recordEvent, recordEvents } from './store.ts';

/** A table whose rows may change: the event of each change contains a hash of the row after it. */
export interface RowKind<Name extends keyof Tables = keyof Tables> {
  readonly table: Name;
  readonly module: AuditModule;
  /** The first part of the actions of its events: `api_key` in `api_key.created`. */
  readonly noun: string;
  /** The column that identifies a row in the audit log. */
  readonly key: 'id' | 'user_id';
  /**
   * The column with the tenant of a row; `members` for rows of a person, whose changes are recorded for every tenant that
   * the person is a member of.
   */
  readonly owner: 'id' | 'tenant_id' | 'members';
  /** Columns that change without an event, and are checked in another way. */
  readonly counters: readonly string[];
}

/** Describes the rows of a table with the key `id` and the owner `tenant_id`, except where `other` differs. */
export function describeRows<Name extends keyof Tables>(
  table: Name,
  module: AuditModule,
  noun: string,
  other: Partial<Pick<RowKind, 'key' | 'owner' | 'counters'>> = {},
): RowKind<Name> {
  return { table, module, noun, key: 'id', owner: 'tenant_id', counters: [], ...other };
}

/**
 * SHA-256, hex, over the canonical text of a whole row without its counters. Columns that are null are left out, so that
 * adding a column does not change the hashes of older rows.
 */
export function hashRow({ counters }: Pick<RowKind, 'counters'>, row: object): string {
  const columns = Object.entries(row).filter(([name, value]) => value !== null && !counters.includes(name));
  return hash('sha256', canonicalize(Object.fromEntries(columns)));
}

/** The parts of an event of a change that do not follow from the row. */
export interface RowChange extends Pick<NewAuditEvent, 'targetRef' | 'reason'> {
  /** In the past: `created`. */
  readonly verb: string;
  readonly diff?: Fields;
  /** Hashes of other rows with the same key after the change, by the noun of their kind. */
  readonly alsoStates?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, Json>>;

/** The fields that differ between two states, for the `diff` of the event of their change. */
export function diffFields(before: Fields, after: Fields): { readonly before: Fields; readonly after: Fields } {
  const write = (value: Json | undefined) => canonicalize(value ?? null);
  const changed = Object.keys(after).filter((name) => write(before[name]) !== write(after[name]));
  const pick = (fields: Fields) => Object.fromEntries(changed.map((name) => [name, fields[name] as Json]));
  return { before: pick(before), after: pick(after) };
}

/**
 * Appends the event of a change to a row, in the unit of work of the change.
 * @param row the whole row after the change.
 */
export function recordChange<Name extends keyof Tables>(
  work: UnitOfWork,
  source: AuditSource,
  kind: RowKind<Name>,
  row: Selectable<Tables[Name]>,
  change: RowChange,
): Promise<void> {
  return recordChanges(work, kind, [{ source, row, change }]);
}

/** Appends the event of the removal of a row: no state of it is left. @param id of the row. */
export function recordRemoval<Name extends keyof Tables>(
  work: UnitOfWork,
  source: AuditSource,
  { module, noun }: RowKind<Name>,
  id: string,
  { diff, ...rest }: Pick<RowChange, 'targetRef' | 'diff'>,
): Promise<void> {
  const action = `${noun}.deleted`;
  return recordEvent(work, source, { ...rest, module, action, targetId: id, diff: { ...diff, stateHash: null } });
}

/** Appends the events of changes to several rows, in order. */
export async function recordChanges<Name extends keyof Tables>(
  work: UnitOfWork,
  kind: RowKind<Name>,
  changes: readonly {
    readonly source: AuditSource;
    readonly row: Selectable<Tables[Name]>;
    readonly change: RowChange;
  }[],
): Promise<void> {
  const events = changes.map(({ source, row, change: { verb, diff, alsoStates, ...rest } }) => ({
    source,
    event: {
      ...rest,
      module: kind.module,
      action: `${kind.noun}.${verb}`,
      targetId: (row as unknown as Readonly<Record<string, string>>)[kind.key] as string,
      diff: { ...diff, stateHash: hashRow(kind, row), ...(alsoStates && { alsoStates }) },
    },
  }));
  await recordEvents(work, events);
}

/** Reads the hashes of rows from the canonical text of an event; null for a row that was removed. */
export function readStates(entry: string): readonly { noun: string; id: string; hash: string | null }[] {
  // Most events contain none, and searching is cheaper than parsing.
  if (!entry.includes('"stateHash":')) return [];
  try {
    const { action, targetId, diff } = JSON.parse(entry);
    if (typeof diff.stateHash !== 'string' && diff.stateHash !== null) return [];
    const noun = action.slice(0, action.indexOf('.'));
    const also = Object.entries<string>(diff.alsoStates ?? {}).map(([noun, hash]) => ({ noun, id: targetId, hash }));
    return [{ noun, id: targetId, hash: diff.stateHash }, ...also];
  } catch {
    // A modified event: verifying the chain reports it.
    return [];
  }
}
