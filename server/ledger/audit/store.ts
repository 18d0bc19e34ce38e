import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { type Actor, type AuditSource, systemActor } from '../../http/principal.ts';
import type { Client } from '../../http/request.ts';
import type { Transaction } from '../../storage/database.ts';
import { noteErasure } from '../../storage/erased-remains.ts';
import { compileInserts, newId } from '../../storage/rows.ts';
import { committedText, type PrivateHasher } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { canonicalize, type Json } from '../canonical.ts';
import { appendEntries, commit, type LockedHeads, newSalt, type Opening } from '../entry.ts';
import { describeErasure, type ErasedEntries } from '../erasures.ts';
import type { AuditEventDetail, AuditModule } from './events.ts';
import type { Projection, RowKind } from './rows.ts';

/** The actor of a change, for each tenant that records it: hashes use the key of the tenant. */
export type SourceOf = (tenantId: string) => AuditSource;

/** An actor at a client, for any tenant. */
export function clientSource(actor: Actor, client: Client, hasher: PrivateHasher): SourceOf {
  return (tenantId) => ({
    tenantId,
    actor,
    ipHash: hasher.hash(tenantId, client.address),
    userAgentHash: hasher.hash(tenantId, client.userAgent),
  });
}

/** The server itself, for a tenant. */
export function systemSource(tenantId: string): AuditSource {
  return { tenantId, actor: systemActor, ipHash: null, userAgentHash: null };
}

/** A text in an audit event that identifies a person: the entry has a commitment to it, and an erasure clears it. */
export class Personal {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

/** A part of an event that may contain personal texts. */
export type MaybePersonal = Json | Personal | readonly MaybePersonal[] | { readonly [key: string]: MaybePersonal };

/** Marks a text that identifies a person, wherever it is in an event; null stays null. */
export function personal<Text extends string | null>(text: Text): Text extends string ? Personal : null;
export function personal(text: string | null): Personal | null {
  return text === null ? null : new Personal(text);
}

/**
 * Replaces the personal texts of an event by null. What contains none is not copied: most events name no person.
 * @returns `found` with the path of each text, the names of the fields with dots between: `diff.after.userName`.
 */
export function takePersonal(event: Readonly<Record<string, MaybePersonal>>) {
  const found: Pick<Opening, 'path' | 'value'>[] = [];
  const take = (value: unknown, path: string): unknown => {
    if (value instanceof Personal) {
      found.push({ path, value: value.value });
      return null;
    }
    if (typeof value !== 'object' || value === null) return value;
    let taken: Record<string, unknown> | null = null;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field !== 'object' || field === null) continue;
      const rest = take(field, path === '' ? name : `${path}.${name}`);
      if (rest === field) continue;
      taken ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      taken[name] = rest;
    }
    return taken ?? value;
  };
  return { rest: take(event, '') as Readonly<Record<string, Json>>, found };
}

/** An event to append to the audit log of a tenant. */
export interface NewAuditEvent {
  readonly module: AuditModule;
  /** `noun.verb_past`. */
  readonly action: string;
  readonly targetId: string | null;
  /** The readable name of the target: a name, a slug, the notice of a record. */
  readonly targetRef: string | Personal | null;
  readonly diff?: MaybePersonal;
  readonly reason?: string | Personal;
}

/** Appends an event to the audit log, in the transaction of its change. */
export async function recordEvent(tx: Transaction, source: AuditSource, event: NewAuditEvent): Promise<void> {
  await recordEvents(tx, [{ source, event }]);
}

/** Appends several events in order. @param heads of the audit logs, if they are locked already. */
export async function recordEvents(
  tx: Transaction,
  events: readonly { readonly source: AuditSource; readonly event: NewAuditEvent }[],
  heads?: LockedHeads,
): Promise<void> {
  const opened: (Opening & { readonly tenant_id: string; readonly sequence: number })[] = [];
  const drafts = events.map(({ source: { tenantId, actor, ipHash, userAgentHash }, event }) => ({
    tenantId,
    seal: ({ sequence, at }: { readonly sequence: number; readonly at: string }) => {
      const { action, module, targetId, targetRef, diff, reason = null } = event;
      const row = { id: newId(), at, module, action };
      const { rest, found } = takePersonal({
        ...row,
        actorId: actor.id,
        actorEmail: personal(actor.email),
        actorType: actor.type,
        targetId,
        targetRef,
        ip: ipHash,
        userAgent: userAgentHash,
        ...(diff !== undefined && { diff }),
        reason,
        tenantId,
      } satisfies Record<Exclude<keyof AuditEventDetail, 'hash' | 'prevHash' | 'diff'> | 'tenantId', MaybePersonal> & {
        diff?: MaybePersonal;
      });
      const commitments: Record<string, string> = {};
      for (const text of found) {
        const opening = { ...text, salt: newSalt() };
        commitments[text.path] = commit(opening.salt, text.path, text.value);
        opened.push({ tenant_id: tenantId, sequence, ...opening });
      }
      const entry = canonicalize(found.length === 0 ? rest : { ...rest, commitments });
      return { entry, row: { ...row, actor_type: actor.type, actor_id: actor.id, target_id: targetId, entry } };
    },
  }));
  await appendEntries(tx, 'audit', drafts, heads);
  await tx.send(compileInserts(tx.queries, 'audit_openings', opened));
}

/**
 * Appends the event of an erasure, in its transaction: it names the entries whose openings were cleared, which verification
 * otherwise reports as missing.
 * @param event its action ends in `.erased`. It may not contain an erased value: the actor has no address if it was
 *   erased.
 */
export async function recordErasure(
  tx: Transaction,
  source: AuditSource,
  entries: ErasedEntries,
  { diff, ...event }: Omit<NewAuditEvent, 'diff'> & { readonly diff?: Readonly<Record<string, Json>> },
): Promise<void> {
  await recordEvent(tx, source, { ...event, diff: { ...diff, ...describeErasure(entries) } });
  await noteErasure(tx);
}

type AnyRow = Readonly<Record<string, unknown>>;

/** The current version of a projection. */
export const versionOf = ({ added }: Projection) => added.length + 1;

/** SHA-256, hex, over the canonical text of a version of the projection of a row. */
export function hashRow(kind: Projection, row: object, version = versionOf(kind)): string {
  const { columns, added, renamed, encrypted, personal } = kind;
  const names = [...columns, ...added.slice(0, version - 1).flatMap((values) => Object.keys(values))];
  const values = names.map((column) => {
    const name = renamed[column] ?? column;
    const value = (row as AnyRow)[column];
    if (typeof value === 'string' && encrypted.includes(column)) return [name, committedText(value)];
    if (value === null || !personal.includes(column)) return [name, value];
    return [name, commit((row as AnyRow).salt as string, name, value as string)];
  });
  return hash('sha256', canonicalize(Object.fromEntries(values)));
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
  const diff = { before: {} as Record<string, Json>, after: {} as Record<string, Json> };
  for (const [name, value] of Object.entries(after)) {
    if (canonicalize(before[name] ?? null) === canonicalize(value ?? null)) continue;
    diff.before[name] = before[name] as Json;
    diff.after[name] = value;
  }
  return diff;
}

/**
 * Appends the event of a change to a row, in the transaction of the change.
 * @param row the whole row after the change.
 */
export function recordChange<Name extends keyof Tables>(
  tx: Transaction,
  source: AuditSource,
  kind: RowKind<Name>,
  row: Selectable<Tables[Name]>,
  change: RowChange,
): Promise<void> {
  return recordChanges(tx, kind, [{ source, row, change }]);
}

/** Appends the event of the removal of a row: no state of it is left. @param id of the row. */
export function recordRemoval<Name extends keyof Tables>(
  tx: Transaction,
  source: AuditSource,
  kind: RowKind<Name>,
  id: string,
  { diff, ...rest }: Pick<RowChange, 'targetRef' | 'diff'>,
): Promise<void> {
  const { module, noun } = kind;
  const states = describeState(kind, null);
  return recordEvent(tx, source, {
    ...rest,
    module,
    action: `${noun}.deleted`,
    targetId: id,
    diff: { ...diff, states },
  });
}

/** Appends the events of changes to several rows, in order. */
export async function recordChanges<Name extends keyof Tables>(
  tx: Transaction,
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
  await recordEvents(tx, events);
}

/** Marks the values of personal columns before and after a change. */
function markPersonal(
  { personalFields }: Projection,
  diff?: Fields,
): Readonly<Record<string, MaybePersonal>> | undefined {
  if (personalFields.length === 0 || diff === undefined) return diff;
  const marked: Record<string, MaybePersonal> = { ...diff };
  for (const part of ['before', 'after'] as const) {
    if (diff[part] === undefined) continue;
    const fields: Record<string, MaybePersonal> = { ...(diff[part] as Fields) };
    for (const name of personalFields) {
      const value = fields[name];
      if (typeof value === 'string') fields[name] = personal(value);
    }
    marked[part] = fields;
  }
  return marked;
}
