import { type Database, inTransaction, type Queries } from '../storage/database.ts';
import { nameOrigin, openCheckpoint } from './checkpoint.ts';
import type { Anchoring } from './checkpoint-anchors.ts';
import { type AnchoredState, nameRestore, writeRestoreStatement } from './restore-statement.ts';
import { growTree, type LedgerOf, openTree } from './tree-store.ts';
import { nameNote, readNoteNames } from './verify-anchors.ts';

/**
 * Appends every checkpoint of a database that the server itself signed and the log lacks, wherever it stands: for a log
 * that belongs to a copy.
 */
export async function completeAnchors(queries: Queries, { signer: { verifier }, anchors }: Anchoring): Promise<void> {
  anchors.open();
  const names = readNoteNames(anchors.file);
  const rows = await queries
    .selectFrom('checkpoints')
    .select(['tenant_id', 'ledger', 'note'])
    .orderBy('tenant_id')
    .orderBy('ledger')
    .orderBy('size')
    .execute();
  anchors.append(
    rows
      .filter(({ ledger, tenant_id, note }) => {
        if (typeof note !== 'string' || names.has(nameNote(note))) return false;
        return openCheckpoint(note, verifier)?.origin === nameOrigin(verifier.name, tenant_id, ledger);
      })
      .map(({ note }) => note),
  );
}

/**
 * Says in the log, signed, that the database as it is was put in place on purpose: what the log said before no longer
 * counts, and what the ledgers hold now is anchored.
 */
export async function stateRestore(database: Database, { signer, anchors }: Anchoring, at: string): Promise<void> {
  const heads = await database.kysely
    .selectFrom('chain_heads')
    .select(['tenant_id as tenantId', 'ledger'])
    .orderBy('tenant_id')
    .orderBy('ledger')
    .execute();
  const states: AnchoredState[] = [];
  for (const of of heads as readonly LedgerOf[]) {
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
