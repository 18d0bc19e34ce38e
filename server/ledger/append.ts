import { type Insertable, type Selectable, sql } from 'kysely';
import {
  type Clock,
  locksRows,
  type Queries,
  type RowSeal,
  requireSeal,
  type UnitOfWork,
} from '../storage/database.ts';
import { findRow, insertRows, prepareQuery } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { hashPieces } from './text-hash.ts';
import type { LedgerOf } from './tree-store.ts';

/** The ledgers, by their name in `chain_heads`. Each tenant has one chain in each. */
export const ledgerTables = { consent: 'consent_records', audit: 'audit_events' } as const;
export type LedgerName = keyof typeof ledgerTables;
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

/**
 * Appends entries to the chains of their tenants, in the given order. The heads stay locked until the transaction
 * ends, so that sequences have no gaps and no two entries have the same predecessor.
 * @returns a link for each draft, in the same order.
 */
export async function appendEntries<Name extends LedgerName>(
  work: UnitOfWork,
  ledger: Name,
  drafts: readonly EntryDraft<Name>[],
): Promise<readonly Link[]> {
  const { transaction: queries, now, clock, signals } = work;
  const seals = requireSeal(work);
  const heads = new Map<string, { readonly found: SealedHead; last: ChainHead }>();
  // In the order of `lockOrder`.
  for (const tenantId of [...new Set(drafts.map((draft) => draft.tenantId))].sort()) {
    work.noteLock(ledger === 'audit' ? 'tenant' : 'consent', tenantId);
    const [found] = await lockHead(queries, { tenantId, ledger });
    if (found === undefined) throw new Error(`tenant ${tenantId} has no ${ledger} chain`);
    heads.set(tenantId, { found, last: found });
  }
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
  await insertRows<LedgerTableName>(queries, ledgerTables[ledger], rows);
  for (const [tenantId, { found, last }] of heads) {
    // A head that was changed outside Svc stays without a valid seal, however many entries follow: otherwise the next append
    // would hide the change.
    const head = { tenant_id: tenantId, ledger, ...last };
    const mac = isSealed(seals, found) ? seals.seal(describeHead(head)) : 'broken';
    await saveHead(queries, { ...head, key_id: seals.keyId, mac });
  }
  return links;
}

/** Locks a chain until the unit of work ends, so that nothing is appended to it meanwhile. @returns its last number. */
export async function lockChain(work: UnitOfWork, { tenantId, ledger }: LedgerOf): Promise<number> {
  work.noteLock(ledger === 'audit' ? 'tenant' : 'consent', tenantId);
  const [head] = await lockHead(work.transaction, { tenantId, ledger });
  return head?.sequence ?? 0;
}

/** Whether a server with this secret wrote the head. */
export function isSealed(seals: RowSeal, head: SealedHead): boolean {
  return head.key_id === seals.keyId && head.mac === seals.seal(describeHead(head));
}

/** The head of a chain; undefined if the tenant has none. */
export function readHead(queries: Queries, { tenantId, ledger }: LedgerOf): Promise<SealedHead | undefined> {
  return findRow(queries, 'chain_heads', { tenant_id: tenantId, ledger });
}

const lockHead = prepareQuery<LedgerOf, SealedHead>((queries, parameter) => {
  const heads = queries.selectFrom('chain_heads').selectAll();
  const query = heads.where('tenant_id', '=', parameter('tenantId')).where('ledger', '=', parameter('ledger'));
  return locksRows(queries) ? query.forUpdate() : query;
});

const saveHead = prepareQuery<SealedHead, unknown>((queries, parameter) =>
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

/** The hash of the entry before that of a row, as `prev_hash`; null for the first. @param row the name of its table there. */
export function selectPrevious(ledger: LedgerName, row: string = ledgerTables[ledger]) {
  return sql<string | null>`(
    select previous.hash from ${sql.table(ledgerTables[ledger])} as previous
    where previous.tenant_id = ${sql.ref(`${row}.tenant_id`)} and previous.sequence = ${sql.ref(`${row}.sequence`)} - 1)`.as(
    'prev_hash',
  );
}

/** Creates the empty chains of a new tenant, so that there always is a head to lock. */
export async function openChains(work: Pick<UnitOfWork, 'transaction' | 'seal'>, tenantId: string): Promise<void> {
  const seals = requireSeal(work);
  const rows = Object.keys(ledgerTables).map((ledger) => {
    const head = { tenant_id: tenantId, ledger, ...emptyHead };
    return { ...head, key_id: seals.keyId, mac: seals.seal(describeHead(head)) };
  });
  await insertRows(work.transaction, 'chain_heads', rows);
}

/**
 * The hash of a chain's next entry: SHA-256 over the previous hash (64 hex characters, nothing for the first
 * entry) followed by the canonical text of the entry, both as UTF-8. Hex, lower case.
 */
export function hashEntry(previousHash: string | null, entry: Text): string {
  return hashPieces(typeof entry === 'string' ? [entry] : entry, previousHash ?? '');
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
