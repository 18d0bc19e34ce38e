import { type Selectable, sql } from 'kysely';
import { nameKey, writeKey } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { areWithin, type Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow, insertRows, isDistributed } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { nameOrigin } from './checkpoint.ts';
import { type Anchoring, findCheckpoint, isSignedNote, type StoredCheckpoint, signTree } from './checkpoint-store.ts';
import type { LedgerOf } from './entry.ts';
import { consistencyPath, inclusionPath, sha256 } from './merkle.ts';
import type { NoteVerifier } from './signed-note.ts';
import { countLeaves, growTree, hashRanges, installationLog, lockTree, readLeaves } from './tree-store.ts';

// The log of an installation: an append-only tree whose entries are the checkpoints of all its ledgers. A timestamp or a
// cosignature for one checkpoint of the log covers the checkpoints of every ledger.

/** A signed state of the log. */
export type LogCheckpoint = Omit<StoredCheckpoint, 'ledger'>;

/** A checkpoint of a ledger in the log. */
export type LogLeaf = Selectable<Tables['log_leaves']>;

/** The name of the log, which is the origin of its checkpoints, and the name of the key that witnesses know. */
function nameLog(keyName: string): string {
  return nameOrigin(keyName, installationLog.tenantId, installationLog.ledger);
}

/** The key of the log as text, under the name of the log: what witnesses and policies know it by. */
export function nameLogKey({ name, key }: Pick<NoteVerifier, 'name' | 'key'>): string {
  return writeKey(nameKey(sha256, nameLog(name), key));
}

/** The commitment of a leaf, hex: the hash of the whole note of the checkpoint. */
export function hashNote(note: string): string {
  return sha256(note).toString('hex');
}

/** Between two checkpoints of the log, in milliseconds. */
export const logInterval = 60 * 60_000;

/** True if the log has no checkpoint of the last hour, and there is something to add. */
export async function isLogDue(queries: Queries, now: string): Promise<boolean> {
  return (await listDue(queries, await findLogCheckpoint(queries), now)).length > 0;
}

async function listDue(
  queries: Queries,
  latest: Pick<LogCheckpoint, 'at'> | undefined,
  now: string,
): Promise<readonly LoggedCheckpoint[]> {
  return latest !== undefined && areWithin(logInterval, now, latest.at) ? [] : listNew(queries);
}

/**
 * If the log is due, adds the newest checkpoint of each ledger that has a new one, and signs the state of the log. After
 * the commit, the state is appended to the log outside the database.
 * @returns the new state; null if nothing is due.
 * @throws {RewrittenLedger} if the log does not contain its newest anchor.
 */
export async function extendLog(tx: Transaction, anchoring: Anchoring): Promise<LogCheckpoint | null> {
  const { queries, now } = tx;
  const { verifier } = anchoring.signer;
  // First, so that two servers do not add the same checkpoints.
  await lockTree(queries, installationLog);
  const latest = await findLogCheckpoint(queries);
  const due = await listDue(queries, latest, now);
  if (due.length === 0) return null;
  const before = await countLeaves(queries);
  // Rows with invalid signatures are left for `svc verify` to report.
  const added = due.filter((one) => isSignedNote(one.note, one, verifier));
  await insertRows(
    queries,
    'log_leaves',
    added.map(({ tenantId, ledger, size, note }, index) => ({
      sequence: before + index + 1,
      tenant_id: tenantId,
      ledger,
      size,
      hash: hashNote(note),
    })),
  );
  const grown = await growTree(queries, installationLog, Number.MAX_SAFE_INTEGER);
  if (grown.size === (latest?.size ?? 0)) return null;
  if (grown.size < (latest?.size ?? 0))
    throw new Error('the log of checkpoints lacks leaves that were signed: run svc verify');
  return signTree(tx, anchoring, installationLog, grown, [nameLog(verifier.name)]);
}

type LoggedCheckpoint = LedgerOf & { readonly size: number; readonly note: string };

/** The newest checkpoint of each ledger, unless the log has it. */
async function listNew(queries: Queries): Promise<readonly LoggedCheckpoint[]> {
  // The leaves are on the coordinator, the checkpoints on the nodes of their tenants.
  const areApart = isDistributed(queries);
  const isNew = sql`where not exists (
      select 1 from log_leaves as leaf
      where leaf.tenant_id = newest.tenant_id and leaf.ledger = newest.ledger and leaf.size = newest.size
    )`;
  const { rows } = await sql<LoggedCheckpoint>`
    select newest.tenant_id as "tenantId", newest.ledger, newest.size, note from (
      select tenant_id, ledger,
        (select max(size) from checkpoints where tenant_id = head.tenant_id and ledger = head.ledger) as size
      from chain_heads as head
    ) as newest
    join checkpoints on checkpoints.tenant_id = newest.tenant_id and checkpoints.ledger = newest.ledger
      and checkpoints.size = newest.size
    ${areApart ? sql`` : isNew} order by newest.tenant_id, newest.ledger`.execute(queries);
  if (!areApart) return rows;
  const leaves = await queries
    .selectFrom('log_leaves')
    .select(({ fn }) => ['tenant_id', 'ledger', fn.max('size').as('size')])
    .groupBy(['tenant_id', 'ledger'])
    .execute();
  const known = new Set(leaves.map(({ tenant_id, ledger, size }) => `${tenant_id} ${ledger} ${size}`));
  return rows.filter(({ tenantId, ledger, size }) => !known.has(`${tenantId} ${ledger} ${size}`));
}

/** The state of the log of a size; without a size, the newest. */
export function findLogCheckpoint(queries: Queries, size?: number): Promise<LogCheckpoint | undefined> {
  return findCheckpoint(queries, installationLog, size);
}

/** The newest leaf of a ledger among the first `size` leaves, up to a checkpoint of `covers` entries. */
export function findLeaf(queries: Queries, of: LedgerOf, size: number, covers: number): Promise<LogLeaf | undefined> {
  return leavesOf(queries, of)
    .where('size', '<=', covers)
    .where('sequence', '<=', size)
    .orderBy('size', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst();
}

/** The oldest leaf of a ledger. */
export function findFirstLeaf(queries: Queries, of: LedgerOf): Promise<LogLeaf | undefined> {
  return leavesOf(queries, of).orderBy('size').limit(sql.lit(1)).executeTakeFirst();
}

function leavesOf(queries: Queries, { tenantId, ledger }: LedgerOf) {
  return queries.selectFrom('log_leaves').selectAll().where('tenant_id', '=', tenantId).where('ledger', '=', ledger);
}

/** The audit path of a leaf in the log of a size (RFC 6962 section 2.1.1). */
export function proveLeaf(queries: Queries, { sequence }: Pick<LogLeaf, 'sequence'>, size: number) {
  return hashRanges(queries, installationLog, inclusionPath(sequence - 1, size));
}

/** Proves that the log of one size extends that of another (RFC 6962 section 2.1.2). */
export function proveExtension(queries: Queries, from: number, to: number): Promise<readonly Buffer[]> {
  return hashRanges(queries, installationLog, consistencyPath(from, to));
}

const pageSize = 1000;

/**
 * Compares every leaf with the checkpoint that it names.
 * @param take is called with the hash of each leaf, in order.
 * @returns the leaves that differ.
 */
export async function checkLeaves(queries: Queries, take: (hash: string) => void): Promise<readonly string[]> {
  const issues: string[] = [];
  for (let read = 0; ; ) {
    const rows = await readLeaves(queries, { start: read, end: read + pageSize });
    for (const { sequence, tenant_id, ledger, size, hash } of rows) {
      read += 1;
      if (sequence !== read) return [...issues, `leaf ${read} is missing`];
      const checkpoint = await findRow(queries, 'checkpoints', { tenant_id, ledger, size });
      const note = checkpoint?.note;
      if (typeof note !== 'string' || hashNote(note) !== hash)
        issues.push(`leaf ${sequence} is not the checkpoint of ${size} entries of ${ledger} of ${tenant_id}`);
      take(hash);
    }
    if (rows.length < pageSize) return issues;
  }
}
