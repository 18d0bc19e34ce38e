import { type Database, inTransaction, type Queries } from '../storage/database.ts';
import { type Anchoring, listSigned } from './checkpoint-anchors.ts';
import { type AnchoredState, nameRestore, writeRestoreStatement } from './restore-statement.ts';
import { growTree, type LedgerOf, openTree } from './tree-store.ts';
import { readNoteNames } from './verify-anchors.ts';

/**
 * Appends every checkpoint of a database that this installation signed and the log lacks, at any size: for a log that
 * belongs to a copy.
 */
export async function completeAnchors(queries: Queries, { signer, anchors }: Anchoring): Promise<void> {
  anchors.open();
  const names = readNoteNames(anchors.file);
  for (const of of await listHeads(queries))
    anchors.append((await listSigned(queries, signer, of, 0, names)).map(({ note }) => note));
}

async function listHeads(queries: Queries): Promise<readonly LedgerOf[]> {
  const heads = await queries
    .selectFrom('chain_heads')
    .select(['tenant_id as tenantId', 'ledger'])
    .orderBy('tenant_id')
    .orderBy('ledger')
    .execute();
  return heads as readonly LedgerOf[];
}

/**
 * Appends a signed statement that the database was put in place on purpose: earlier anchors no longer count, and the
 * current ledgers are anchored.
 */
export async function stateRestore(database: Database, { signer, anchors }: Anchoring, at: string): Promise<void> {
  const states: AnchoredState[] = [];
  for (const of of await listHeads(database.kysely)) {
    const state = await inTransaction(database, async (transaction) => {
      const { size } = await growTree(transaction, of, Number.MAX_SAFE_INTEGER);
      return { size, rootHash: (await openTree(transaction, of, size)).root().toString('base64') };
    });
    states.push({ ...of, ...state });
  }
  const origin = nameRestore(signer.verifier.name);
  await completeAnchors(database.kysely, { signer, anchors });
  anchors.appendStatement((after) => signer.sign(writeRestoreStatement({ origin, at, after, states })));
}
