import { hash as digest, randomBytes } from 'node:crypto';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Clock } from '../storage/clock.ts';
import type { Transaction } from '../storage/database.ts';
import { locksRows, type Queries } from '../storage/queries.ts';
import { compileInserts, findRow, insertRows, prepareStatement, runTogether } from '../storage/rows.ts';
import { type RowSeal, requireSeal } from '../storage/secrets.ts';
import type { Tables } from '../storage/tables.ts';

/** The ledgers, by their name in `chain_heads`. Each tenant has one chain in each. */
export const ledgerTables = { consent: 'consent_records', audit: 'audit_events' } as const;
export type LedgerName = keyof typeof ledgerTables;
export const ledgerNames = Object.keys(ledgerTables) as [LedgerName, ...LedgerName[]];
/** One ledger of one tenant. */
export interface LedgerOf {
  readonly tenantId: string;
  readonly ledger: LedgerName;
}

type LedgerTableName = (typeof ledgerTables)[LedgerName];
type LedgerRow<Name extends LedgerName> = Tables[(typeof ledgerTables)[Name]];

/** The position of an appended entry in its chain. */
export interface Position {
  readonly sequence: number;
  /** RFC 3339 in UTC: the time of the clock. Entries are ordered by their sequence. */
  readonly at: string;
}

/** An entry to append: builds its row once the position is known. */
export interface EntryDraft<Name extends LedgerName> {
  readonly tenantId: string;
  /** The canonical text to hash, as a whole or in pieces, and the columns of its row. */
  seal(position: Position): {
    readonly entry: Text;
    readonly row: Omit<LedgerRow<Name>, 'tenant_id' | 'sequence' | 'hash' | 'erased_at'>;
  };
}

/** An appended row's position in its chain. */
export interface Link extends Position {
  readonly hash: string;
  readonly prevHash: string | null;
}

/** The heads of chains that a transaction holds, by tenant. */
export type LockedHeads = ReadonlyMap<string, SealedHead>;

/** Locks the heads of the tenants' chains until the transaction ends. */
export async function lockHeads(
  tx: Transaction,
  ledger: LedgerName,
  tenants: Iterable<{ readonly tenantId: string }>,
): Promise<LockedHeads> {
  // In the order of `lockOrder`.
  const tenantIds = [...new Set(Array.from(tenants, ({ tenantId }) => tenantId))].sort();
  for (const tenantId of tenantIds) tx.noteLock(ledger === 'audit' ? 'tenant' : 'consent', tenantId);
  const locks = tenantIds.map((tenantId) => lockHead(tx.queries, { tenantId, ledger }));
  const heads = new Map<string, SealedHead>();
  for (const [index, [found]] of (await runTogether(tx.queries, locks)).entries()) {
    if (found === undefined) throw new Error(`tenant ${tenantIds[index]} has no ${ledger} chain`);
    heads.set(found.tenant_id, found);
  }
  return heads;
}

/**
 * Appends entries to the chains of their tenants, in the given order. The heads stay locked until the transaction
 * ends, so that sequences have no gaps and no two entries have the same predecessor.
 * @param locked the heads, if they are locked already.
 * @returns a link for each draft, in the same order.
 */
export async function appendEntries<Name extends LedgerName>(
  tx: Transaction,
  ledger: Name,
  drafts: readonly EntryDraft<Name>[],
  locked?: LockedHeads,
): Promise<readonly Link[]> {
  const { queries, now, clock, signals } = tx;
  const seals = requireSeal(tx);
  const heads = new Map<string, { readonly found: SealedHead; last: ChainHead }>();
  for (const [tenantId, found] of locked ?? (await lockHeads(tx, ledger, drafts)))
    heads.set(tenantId, { found, last: found });
  const rows: Insertable<Tables[LedgerTableName]>[] = [];
  const links: Link[] = [];
  for (const draft of drafts) {
    const head = heads.get(draft.tenantId) as { last: ChainHead };
    const { at, hasFallen } = nextTime(head.last, now, clock);
    if (hasFallen) signals.emit('clockFell', { ledger, now: at, newest: head.last.at });
    const { hash: prevHash } = head.last;
    const sequence = head.last.sequence + 1;
    const { entry, row } = draft.seal({ sequence, at });
    const hash = hashEntry(prevHash, entry);
    rows.push({ tenant_id: draft.tenantId, sequence, ...row, hash } as (typeof rows)[number]);
    head.last = { sequence, at, hash };
    links.push({ sequence, at, hash, prevHash });
  }
  const writes = [...compileInserts<LedgerTableName>(queries, ledgerTables[ledger], rows)];
  for (const [tenantId, { found, last }] of heads) {
    // A head that was changed outside Svc stays without a valid seal, however many entries follow: otherwise the next append
    // would hide the change.
    const head = { tenant_id: tenantId, ledger, ...last };
    const mac = isSealed(seals, found) ? seals.seal(describeHead(head)) : 'broken';
    writes.push(saveHead(queries, { ...head, key_id: seals.keyId, mac }));
  }
  await tx.send(writes);
  tx.afterCommit(() => signals.emit('appended', ledger, links.length));
  return links;
}

/** Locks a chain until the transaction ends, so that nothing is appended to it meanwhile. @returns its last number. */
export async function lockChain(tx: Transaction, { tenantId, ledger }: LedgerOf): Promise<number> {
  tx.noteLock(ledger === 'audit' ? 'tenant' : 'consent', tenantId);
  const [head] = (await tx.queries.executeQuery(lockHead(tx.queries, { tenantId, ledger }))).rows;
  return head?.sequence ?? 0;
}

/** True if a server with this secret wrote the head. */
export function isSealed(seals: RowSeal, head: SealedHead): boolean {
  return head.key_id === seals.keyId && head.mac === seals.seal(describeHead(head));
}

/** The columns of a head that only a server with the secret can write. */
export function sealHead(seals: RowSeal, head: Omit<SealedHead, 'key_id' | 'mac'>): Pick<SealedHead, 'key_id' | 'mac'> {
  return { key_id: seals.keyId, mac: seals.seal(describeHead(head)) };
}

/** The head of a chain; undefined if the tenant has none. */
export function readHead(queries: Queries, { tenantId, ledger }: LedgerOf): Promise<SealedHead | undefined> {
  return findRow(queries, 'chain_heads', { tenant_id: tenantId, ledger });
}

const lockHead = prepareStatement<LedgerOf, SealedHead>((queries, parameter) => {
  const heads = queries.selectFrom('chain_heads').selectAll();
  const query = heads.where('tenant_id', '=', parameter('tenantId')).where('ledger', '=', parameter('ledger'));
  return locksRows(queries) ? query.forUpdate() : query;
});

const saveHead = prepareStatement<SealedHead, unknown>((queries, parameter) =>
  queries
    .updateTable('chain_heads')
    .set({
      sequence: parameter('sequence'),
      hash: parameter('hash'),
      at: parameter('at'),
      key_id: parameter('key_id'),
      mac: parameter('mac'),
    })
    .where('tenant_id', '=', parameter('tenant_id'))
    .where('ledger', '=', parameter('ledger')),
);

/**
 * The hash of the entry before that of a row, as `prev_hash`; null for the first.
 * @param row the name of its table there.
 * @param tenant its tenant.
 */
export function selectPrevious(
  ledger: LedgerName,
  row: string = ledgerTables[ledger],
  tenant: RawBuilder<string> = sql.ref(`${row}.tenant_id`),
) {
  return sql<string | null>`(
    select previous.hash from ${sql.table(ledgerTables[ledger])} as previous
    where previous.tenant_id = ${tenant} and previous.sequence = ${sql.ref(`${row}.sequence`)} - 1)`.as('prev_hash');
}

/** Creates the empty chains of a new tenant, so that there always is a head to lock. */
export async function openChains(tx: Pick<Transaction, 'queries' | 'seal'>, tenantId: string): Promise<void> {
  const seals = requireSeal(tx);
  const rows = Object.keys(ledgerTables).map((ledger) => {
    const head = { tenant_id: tenantId, ledger, ...emptyHead };
    return { ...head, ...sealHead(seals, head) };
  });
  await insertRows(tx.queries, 'chain_heads', rows);
}

/**
 * The hash of a chain's next entry: SHA-256 over the previous hash (64 hex characters, nothing for the first
 * entry) followed by the canonical text of the entry, both as UTF-8. Hex, lower case.
 */
export function hashEntry(previousHash: string | null, entry: Text): string {
  return digest('sha256', (previousHash ?? '') + (typeof entry === 'string' ? entry : entry.join('')));
}

/** A text, or its pieces. */
type Text = string | readonly string[];

/** The stored head of a chain, with the keyed hash that only a server with the secret can compute. */
export type SealedHead = Readonly<Selectable<Tables['chain_heads']>>;

/** The position and the hash of the last entry of a chain. */
export type ChainHead = Pick<SealedHead, 'sequence' | 'hash' | 'at'>;

/** The text that is sealed. */
export function describeHead(head: Omit<SealedHead, 'key_id' | 'mac'>): string {
  const { tenant_id, ledger, sequence, hash, at } = head;
  return `svc chain head 1\n${tenant_id}\n${ledger}\n${sequence}\n${hash ?? ''}\n${at}\n`;
}

/** The head of a chain without entries. */
export const emptyHead: ChainHead = { sequence: 0, hash: null, at: '' };

/** The tolerated difference between the clocks of servers that share a database: one second, in milliseconds. */
const clockTolerance = 1000;

/**
 * The time of the next entry: that of the change, or the current time if the last entry is newer, because a change that
 * waited for a lock started before it. Within a second of the last entry the time does not decrease, which hides small
 * differences between the clocks of two servers; a clock that was set back by more is visible.
 */
export function nextTime(
  head: ChainHead,
  now: string,
  clock: Clock,
): { readonly at: string; readonly hasFallen: boolean } {
  if (now >= head.at) return { at: now, hasFallen: false };
  const read = clock();
  const hasFallen = Date.parse(head.at) - Date.parse(read) > clockTolerance;
  return { at: hasFallen ? read : head.at, hasFallen };
}

/** A salt for commitments: 16 random bytes, as 22 characters of base64url. Without it, a commitment confirms no guess. */
export function newSalt(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * Commits to a value without showing it: SHA-256, hex, over the salt, the name, a zero byte and the value, as UTF-8.
 * @param name of the value; the same value has another commitment under another name.
 */
export function commit(salt: string, name: string, value: string): string {
  return digest('sha256', `${salt}${name}\0${value}`);
}

/**
 * A value that identifies a person, with the salt of its commitment: what an erasure clears. Without it, the commitment
 * says nothing about the value.
 */
export interface Opening {
  /** The path of the commitment in the entry. */
  readonly path: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
  readonly value: string;
}

/** The columns of a consent record with the values that its entry has commitments to, and the paths of these. */
export const recordValues = { ip_hash: 'ipHash', subject_id: 'subjectId', ua_hash: 'uaHash' } as const;
/** The columns with the commitments to these values. */
export const commitmentColumns = {
  ip_hash: 'ip_commitment',
  subject_id: 'subject_commitment',
  ua_hash: 'ua_commitment',
} as const;
type ValueColumn = keyof typeof recordValues;
export type RecordOpening = Pick<Selectable<Tables['consent_records']>, ValueColumn | 'salt'>;

/** The openings of a consent record that is not erased. */
export function listOpenings(salt: string, row: Partial<RecordOpening>): readonly Opening[] {
  return Object.entries(recordValues).flatMap(([column, path]) => {
    const value = row[column as ValueColumn] ?? null;
    return value === null ? [] : [{ path, salt, value }];
  });
}

/**
 * The keys of a record's entry whose values are columns of its row, in canonical order, and these columns. All other keys
 * with their values are the *template* of the entry, which many records have in common, so that it is stored once.
 */
export const ownValues = {
  capturedAt: 'captured_at',
  id: 'id',
  ipHash: 'ip_commitment',
  noticeId: 'notice_id',
  otherPurposes: 'other_purposes',
  recordedAt: 'recorded_at',
  sequence: 'sequence',
  space: 'space',
  subjectId: 'subject_commitment',
  tenantId: 'tenant_id',
  uaHash: 'ua_commitment',
  withdrawsRecordId: 'withdraws_record_id',
} as const;

const ownKeys = Object.keys(ownValues) as (keyof typeof ownValues)[];

/** The keys whose value is always a text that needs no escaping; the template has its quotes. */
const quotedKeys = new Set(['capturedAt', 'id', 'noticeId', 'recordedAt', 'space', 'subjectId', 'tenantId']);

/** A record's own part of its entry. */
export type OwnValues = Pick<Selectable<Tables['consent_records']>, (typeof ownValues)[keyof typeof ownValues]>;

/** The parts of a template: the text before each value of a record, and after the last one. */
export type TemplateParts = readonly string[];

/** Between the parts: canonical text has no such character. */
const gap = '\t';

/**
 * Writes a template.
 * @param keys all keys of an entry, in canonical order.
 * @param values those that are not a record's own; null if absent.
 */
export function writeTemplate(keys: readonly string[], values: Readonly<Record<string, unknown>>): string {
  const texts = keys.map((key) => {
    if (!(key in ownValues)) return `"${key}":${JSON.stringify(values[key] ?? null)}`;
    return quotedKeys.has(key) ? `"${key}":"${gap}"` : `"${key}":${gap}`;
  });
  return `{${texts.join(',')}}`;
}

/** The parts of a template, between which the values of each record are. */
export function splitTemplate(text: string): TemplateParts {
  return text.split(gap);
}

/** The values that all records of a stored template have, by their keys in the entry. */
export function readTemplate(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text.replaceAll(`"${gap}"`, 'null').replaceAll(gap, 'null'));
}

/**
 * True if the values of all columns have their places at the top level of a stored template. Otherwise a modified template
 * could contain such a value itself, and the column could have any other.
 */
export function isTemplate(text: string): boolean {
  const parts = splitTemplate(text);
  if (parts.length !== ownKeys.length + 1) return false;
  try {
    const values = readTemplate(text);
    return ownKeys.every((key, index) => {
      const isQuoted = quotedKeys.has(key);
      const fits = parts[index]?.endsWith(isQuoted ? `"${key}":"` : `"${key}":`);
      return fits && values[key] === null && parts[index + 1]?.startsWith('"') === isQuoted;
    });
  } catch {
    return false;
  }
}

/** The canonical text of an entry in pieces: the values of a record between the parts of its template. */
export function fillTemplate(parts: TemplateParts, row: OwnValues): readonly string[] {
  // Written out, because a loop over the columns costs as much as reading the row.
  return [
    parts[0] as string,
    row.captured_at,
    parts[1] as string,
    row.id,
    parts[2] as string,
    quote(row.ip_commitment),
    parts[3] as string,
    row.notice_id,
    parts[4] as string,
    row.other_purposes ?? '{}',
    parts[5] as string,
    row.recorded_at,
    parts[6] as string,
    String(row.sequence),
    parts[7] as string,
    row.space,
    parts[8] as string,
    row.subject_commitment,
    parts[9] as string,
    row.tenant_id,
    parts[10] as string,
    quote(row.ua_commitment),
    parts[11] as string,
    quote(row.withdraws_record_id),
    parts[12] as string,
  ];
}

function quote(value: string | null): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? `"${value}"` : value;
}

/** A template that a record needs. */
export interface TemplateDraft {
  readonly tenantId: string;
  readonly parts: TemplateParts;
  readonly text: string;
  readonly hash: string;
}

/** @param text as `writeTemplate` writes it. */
export function draftTemplate(tenantId: string, text: string): TemplateDraft {
  return { tenantId, parts: splitTemplate(text), text, hash: hashTemplate(text) };
}

/** The hash by which records name their template. */
export function hashTemplate(text: string): string {
  return digest('sha256', text);
}
