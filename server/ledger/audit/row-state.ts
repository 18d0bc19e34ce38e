import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { UnitOfWork } from '../../storage/database.ts';
import { listColumns } from '../../storage/schema.ts';
import type { Tables } from '../../storage/tables.ts';
import { canonicalize, type Json } from '../canonical.ts';
import { commit } from '../entry.ts';
import { type MaybePersonal, personal } from './personal.ts';
import type { AuditSource } from './source.ts';
import { type AuditModule, type NewAuditEvent, recordEvent, recordEvents } from './store.ts';

/** A table whose rows may change: the event of each change has a hash of the row's projection after it. */
export interface RowKind<Name extends keyof Tables = keyof Tables> extends Projection {
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
}

/** The values of a row that are hashed. Columns that it does not name are checked in another way, or only note uses. */
interface Projection<Column extends string = string> {
  /** The columns of version 1, which are also the names of the values. */
  readonly columns: readonly Column[];
  /**
   * The columns that versions 2, 3, … add, each with the value that verification expects of it in a row that was recorded
   * under an earlier version.
   */
  readonly added: readonly Readonly<Partial<Record<Column, string | number | null>>>[];
  /** The names of renamed columns in the projection: `{ title: 'name' }` once `name` is called `title`. */
  readonly renamed: Readonly<Partial<Record<Column, string>>>;
  /** The columns that can identify a person: of these, the projection has commitments under the `salt` of the row. */
  readonly personal: readonly Column[];
}

type ColumnOf<Name extends keyof Tables> = keyof Tables[Name] & string;

/**
 * Describes the rows of a table with the key `id` and the owner `tenant_id`, except where `other` differs. The migration marks
 * which of its columns are audited and personal.
 */
export function describeRows<Name extends keyof Tables>(
  table: Name,
  module: AuditModule,
  noun: string,
  other: Partial<Pick<Projection<ColumnOf<Name>>, 'added' | 'renamed'> & Pick<RowKind, 'key' | 'owner'>> = {},
): RowKind<Name> {
  const audited = listColumns(table).filter(({ isAudited }) => isAudited);
  const columns = audited.map(({ name }) => name);
  const personal = audited.filter(({ isPersonal }) => isPersonal).map(({ name }) => name);
  return { table, module, noun, key: 'id', owner: 'tenant_id', columns, added: [], renamed: {}, personal, ...other };
}

type AnyRow = Readonly<Record<string, unknown>>;

/** The current version of a projection. */
const versionOf = ({ added }: Projection) => added.length + 1;

/** SHA-256, hex, over the canonical text of a version of the projection of a row. */
export function hashRow(kind: Projection, row: object, version = versionOf(kind)): string {
  const { columns, added, renamed, personal } = kind;
  const names = [...columns, ...added.slice(0, version - 1).flatMap((values) => Object.keys(values))];
  const values = names.map((column) => {
    const name = renamed[column] ?? column;
    const value = (row as AnyRow)[column];
    if (value === null || !personal.includes(column)) return [name, value];
    return [name, commit((row as AnyRow).salt as string, name, value as string)];
  });
  return hash('sha256', canonicalize(Object.fromEntries(values)));
}

/** Version and hash of a row as last audited; null after deletion. */
export interface RowState {
  readonly version: number;
  readonly hash: string | null;
}

/** True if a stored row is as it was recorded, and has the expected values in columns that were added since. */
export function isRecorded(kind: Projection, row: object, { version, hash }: RowState): boolean {
  if (version > versionOf(kind) || hash === null) return false;
  const expected = kind.added.slice(version - 1).flatMap((values) => Object.entries(values));
  return expected.every(([column, value]) => (row as AnyRow)[column] === value) && hashRow(kind, row, version) === hash;
}

/** The state of a row as its event has it: `{ "api_key/1": hash }`. @param row null once it was removed. */
export function describeState(kind: RowKind, row: object | null): States {
  return { [`${kind.noun}/${versionOf(kind)}`]: row && hashRow(kind, row) };
}

type States = Readonly<Record<string, string | null>>;

/** The parts of an event of a change that do not follow from the row. */
export interface RowChange extends Pick<NewAuditEvent, 'targetRef' | 'reason'> {
  /** In the past: `created`. */
  readonly verb: string;
  readonly diff?: Fields;
  /** The states of other rows with the same key after the change. */
  readonly alsoStates?: States;
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
  kind: RowKind<Name>,
  id: string,
  { diff, ...rest }: Pick<RowChange, 'targetRef' | 'diff'>,
): Promise<void> {
  const { module, noun } = kind;
  const states = describeState(kind, null);
  return recordEvent(work, source, {
    ...rest,
    module,
    action: `${noun}.deleted`,
    targetId: id,
    diff: { ...diff, states },
  });
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
      diff: { ...markPersonal(kind, diff), states: { ...describeState(kind, row), ...alsoStates } },
    },
  }));
  await recordEvents(work, events);
}

/** Marks what a diff says before and after of the personal columns. */
function markPersonal({ personal: columns }: Projection, diff: Fields = {}): Readonly<Record<string, MaybePersonal>> {
  const names = columns.map((column) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  const mark = (fields: Json | undefined) =>
    Object.entries((fields ?? {}) as Fields).map(([name, value]) => {
      return [name, names.includes(name) && typeof value === 'string' ? personal(value) : value];
    });
  const parts = (['before', 'after'] as const).filter((part) => names.length > 0 && diff[part] !== undefined);
  return { ...diff, ...Object.fromEntries(parts.map((part) => [part, Object.fromEntries(mark(diff[part]))])) };
}

/** Reads the states of rows from the canonical text of an event. */
export function readStates(entry: string): readonly (RowState & { readonly noun: string; readonly id: string })[] {
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
