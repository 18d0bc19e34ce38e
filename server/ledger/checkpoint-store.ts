import { sql } from 'kysely';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { type Page, takeNewest } from '../storage/page.ts';
import { insertRow, prepareQuery } from '../storage/rows.ts';
import { isSealed, readHead } from './append.ts';
import { type Checkpoint, nameOrigin, writeCheckpoint } from './checkpoint.ts';
import { type Anchoring, containsAnchor, listSigned, RewrittenLedger } from './checkpoint-anchors.ts';
import { growTree, type LedgerOf, openTree } from './tree-store.ts';

/** A checkpoint as it is stored. */
export interface StoredCheckpoint extends Pick<LedgerOf, 'ledger'>, Omit<Checkpoint, 'origin'> {
  readonly note: string;
}

/**
 * Signs a checkpoint of the current ledger, or returns the latest if nothing was added since. The tree is first updated
 * to include all entries, those of this unit of work too. After the commit, the checkpoint is appended to the log
 * outside the database, after those of other servers that the log lacks.
 * @throws {RewrittenLedger} if the ledger does not contain a checkpoint of the log, or its head is not sealed.
 */
export async function signCheckpoint(
  work: UnitOfWork,
  { signer, anchors }: Anchoring,
  of: LedgerOf,
): Promise<StoredCheckpoint> {
  const { transaction, now, seal } = work;
  const { tenantId, ledger } = of;
  // Rows that were written without the secret are not signed.
  const head = await readHead(transaction, of);
  if (head !== undefined && (seal === null || !isSealed(seal, head)))
    throw new RewrittenLedger(of, 'has a head with an invalid seal: it was changed outside Svc');
  const { size, entries } = await growTree(transaction, of, Number.MAX_SAFE_INTEGER);
  anchors.open();
  const anchor = anchors.latest(of);
  if (anchor !== undefined && !(await containsAnchor(transaction, { ...of, entries, hashed: size }, anchor)))
    throw RewrittenLedger.lacks(of, anchor, anchors.file);
  const lacking = await listSigned(transaction, signer, of, anchor?.lacksFrom ?? 0);
  const latest = await findCheckpoint(transaction, of);
  if (latest !== undefined && latest.size >= size) return latest;
  const rootHash = (await openTree(transaction, of, size)).root().toString('base64');
  const origin = nameOrigin(signer.verifier.name, tenantId, ledger);
  const note = signer.sign(writeCheckpoint({ origin, size, rootHash, at: now }));
  const checkpoint = { ledger, size, rootHash, at: now, note };
  await insertRow(transaction, 'checkpoints', {
    tenant_id: tenantId,
    ledger,
    size,
    root_hash: rootHash,
    at: now,
    note,
  });
  work.afterCommit(() => {
    try {
      // Another checkpoint of this unit of work may have appended some of them.
      const from = anchors.latest(of)?.lacksFrom ?? 0;
      anchors.append([...lacking, checkpoint].filter((one) => one.size >= from).map((one) => one.note));
    } catch {
      // The checkpoint is committed; the keeper's next run appends it, or logs why it cannot.
    }
  });
  return checkpoint;
}

/** The checkpoint of a size; without a size, the latest. */
export async function findCheckpoint(
  queries: Queries,
  of: LedgerOf,
  size?: number,
): Promise<StoredCheckpoint | undefined> {
  if (size !== undefined) return checkpoints(queries, of).where('size', '=', size).executeTakeFirst();
  const [latest] = await selectLatest(queries, of);
  return latest;
}

const selectLatest = prepareQuery<LedgerOf, StoredCheckpoint>((queries, parameter) =>
  checkpoints(queries, { tenantId: parameter('tenantId'), ledger: parameter('ledger') })
    .orderBy('size', 'desc')
    .limit(sql.lit(1)),
);

/**
 * Lists the checkpoints of a ledger, newest first.
 * @param before the size of the last one already seen; null for the first page.
 */
export function listCheckpoints(
  queries: Queries,
  of: LedgerOf,
  before: number | null,
  limit: number,
): Promise<Page<StoredCheckpoint, number>> {
  return takeNewest(checkpoints(queries, of), before, limit, 'size');
}

/** Every checkpoint of a ledger, smallest first. */
export function readCheckpoints(queries: Queries, of: LedgerOf): Promise<readonly StoredCheckpoint[]> {
  return checkpoints(queries, of).orderBy('size').execute();
}

function checkpoints(queries: Queries, { tenantId, ledger }: LedgerOf) {
  return queries
    .selectFrom('checkpoints')
    .select(['ledger', 'size', 'root_hash as rootHash', 'at', 'note'])
    .where('tenant_id', '=', tenantId)
    .where('ledger', '=', ledger)
    .$narrowType<LedgerOf>();
}
