import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { AuditModule, NewAuditEvent } from './event.ts';
import type { AuditSource } from './source.ts';
import { recordEvent } from './store.ts';

/** A table whose rows may change: the event of each change tells a hash of the row as it is afterwards. */
export interface RowKind<Name extends keyof Tables = keyof Tables> {
  readonly table: Name;
  readonly module: AuditModule;
  /** What the actions of its events begin with: `api_key` in `api_key.created`. */
  readonly noun: string;
  /** The column that names the tenant of a row. */
  readonly owner: 'id' | 'tenant_id';
  /** Columns that change without an event; who keeps such a column checks it by counting. */
  readonly counters: readonly string[];
}

/**
 * SHA-256, hex, over the canonical text of a whole row without its counters. Columns that are null are left out, so
 * that a column that is added later leaves the hashes of older rows as they are.
 */
export function hashRow({ counters }: Pick<RowKind, 'counters'>, row: object): string {
  const columns = Object.entries(row).filter(([name, value]) => value !== null && !counters.includes(name));
  return hash('sha256', canonicalize(Object.fromEntries(columns) as Json));
}

/** What an event tells of a change, besides the row. */
export interface RowChange extends Pick<NewAuditEvent, 'targetRef'> {
  /** In the past: `created`. */
  readonly verb: string;
  readonly diff?: Readonly<Record<string, Json>>;
}

/**
 * Appends the event of a change to a row, in the unit of work of the change.
 * @param row the whole row as it is after the change.
 */
export async function recordChange<Name extends keyof Tables>(
  work: UnitOfWork,
  source: AuditSource,
  kind: RowKind<Name>,
  row: Selectable<Tables[Name]> & { readonly id: string },
  { verb, targetRef, diff }: RowChange,
): Promise<void> {
  await recordEvent(work, source, {
    module: kind.module,
    action: `${kind.noun}.${verb}`,
    targetId: row.id,
    targetRef,
    diff: { ...diff, stateHash: hashRow(kind, row) },
  });
}

/** What an event tells of a row. */
export interface ToldState {
  readonly noun: string;
  readonly id: string;
  readonly hash: string;
}

/** Reads what the canonical text of an event tells of a row; null when it tells of none. */
export function readState(entry: string): ToldState | null {
  // Most events tell of no row, and looking is cheaper than parsing.
  if (!entry.includes('"stateHash":"')) return null;
  try {
    const { action, targetId, diff } = JSON.parse(entry);
    if (typeof diff.stateHash !== 'string') return null;
    return { noun: action.slice(0, action.indexOf('.')), id: targetId, hash: diff.stateHash };
  } catch {
    // An event that was changed: its chain tells of that.
    return null;
  }
}
