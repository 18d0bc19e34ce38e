import type { Insertable } from 'kysely';
import { locksRows, type Queries } from '../storage/database.ts';
import { insertRows } from '../storage/insert-rows.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import { type RowSeal, requireSeal, type UnitOfWork } from '../storage/unit-of-work.ts';
import { type ChainHead, describeHead, emptyHead, hashEntry, nextTime, type SealedHead } from './chain.ts';

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
  /** The canonical text to hash, and the columns that duplicate values of it for queries. */
  seal(position: Position): Omit<LedgerRow<Name>, 'tenant_id' | 'sequence' | 'prev_hash' | 'hash'>;
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
  const heads = await lockHeads(work, ledger, drafts);
  const last = new Map<string, ChainHead>(heads);
  const rows: LedgerRow<Name>[] = [];
  const links: Link[] = [];
  for (const draft of drafts) {
    const head = last.get(draft.tenantId);
    if (head === undefined) throw new Error(`tenant ${draft.tenantId} has no ${ledger} chain`);
    const { at, hasFallen } = nextTime(head, now, clock);
    if (hasFallen) signals.emit('clockFell', { ledger, now: at, newest: head.at });
    const position = { sequence: head.sequence + 1, at };
    const sealed = draft.seal(position);
    const hash = hashEntry(head.hash, sealed.entry);
    rows.push({
      tenant_id: draft.tenantId,
      sequence: position.sequence,
      ...sealed,
      prev_hash: head.hash,
      hash,
    } as LedgerRow<Name>);
    links.push({ ...position, hash, prevHash: head.hash });
    last.set(draft.tenantId, { ...position, hash });
  }
  await insertRows<LedgerTableName>(queries, ledgerTables[ledger], rows as Insertable<Tables[LedgerTableName]>[]);
  const seals = requireSeal(work);
  for (const [tenantId, found] of heads)
    await saveHead(queries, { tenantId, ledger, ...resealHead(seals, tenantId, ledger, found, last.get(tenantId)) });
  return links;
}

/**
 * Seals the current head of a chain. A head that was changed outside Svc stays without a valid seal, however many
 * entries follow: otherwise the next append would hide the change.
 */
function resealHead(
  seals: RowSeal,
  tenantId: string,
  ledger: LedgerName,
  found: SealedHead,
  next: ChainHead = found,
): SealedHead {
  const { keyId } = seals;
  const mac = isSealed(seals, tenantId, ledger, found) ? seals.seal(describeHead(tenantId, ledger, next)) : brokenSeal;
  return { ...next, keyId, mac };
}

const brokenSeal = 'broken';

/** Whether a server with this secret wrote the head. */
export function isSealed(seals: RowSeal, tenantId: string, ledger: LedgerName, head: SealedHead): boolean {
  return head.keyId === seals.keyId && head.mac === seals.seal(describeHead(tenantId, ledger, head));
}

/** Reads and locks the heads in the order of `lockOrder`. */
async function lockHeads(
  { transaction, noteLock }: Pick<UnitOfWork, 'transaction' | 'noteLock'>,
  ledger: LedgerName,
  drafts: readonly { readonly tenantId: string }[],
): Promise<Map<string, SealedHead>> {
  const tenantIds = [...new Set(drafts.map((draft) => draft.tenantId))].sort();
  const heads = new Map<string, SealedHead>();
  for (const tenantId of tenantIds) {
    noteLock(ledger === 'audit' ? 'tenant' : 'consent', tenantId);
    const [head] = await lockHead(transaction, { tenantId, ledger });
    if (head !== undefined) heads.set(tenantId, head);
  }
  return heads;
}

const lockHead = prepareQuery<{ tenantId: string; ledger: string }, SealedHead>((queries, parameter) => {
  const query = queries
    .selectFrom('chain_heads')
    .select(['sequence', 'hash', 'at', 'key_id as keyId', 'mac'])
    .where('tenant_id', '=', parameter('tenantId'))
    .where('ledger', '=', parameter('ledger'));
  return locksRows(queries) ? query.forUpdate() : query;
});

/** The head of a chain; undefined if the tenant has none. */
export async function readHead(
  queries: Queries,
  tenantId: string,
  ledger: LedgerName,
): Promise<SealedHead | undefined> {
  const [head] = await selectHead(queries, { tenantId, ledger });
  return head;
}

const selectHead = prepareQuery<{ tenantId: string; ledger: string }, SealedHead>((queries, parameter) =>
  queries
    .selectFrom('chain_heads')
    .select(['sequence', 'hash', 'at', 'key_id as keyId', 'mac'])
    .where('tenant_id', '=', parameter('tenantId'))
    .where('ledger', '=', parameter('ledger')),
);

const saveHead = prepareQuery<SealedHead & { tenantId: string; ledger: string }, unknown>((queries, parameter) =>
  queries
    .updateTable('chain_heads')
    .set({
      sequence: parameter('sequence'),
      hash: parameter('hash'),
      at: parameter('at'),
      key_id: parameter('keyId'),
      mac: parameter('mac'),
    })
    .where('tenant_id', '=', parameter('tenantId'))
    .where('ledger', '=', parameter('ledger')),
);

/** Creates the empty chains of a new tenant, so that there always is a head to lock. */
export async function openChains(work: Pick<UnitOfWork, 'transaction' | 'seal'>, tenantId: string): Promise<void> {
  const seals = requireSeal(work);
  const rows = Object.keys(ledgerTables).map((ledger) => {
    const mac = seals.seal(describeHead(tenantId, ledger, emptyHead));
    return { tenant_id: tenantId, ledger, ...emptyHead, key_id: seals.keyId, mac };
  });
  await insertRows(work.transaction, 'chain_heads', rows);
}
