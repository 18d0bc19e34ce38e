import { writeKey } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { writeRotation } from '../../packages/node-sdk/src/ledger/rotation.ts';
import type { Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { insertRows } from '../storage/rows.ts';
import { nameOrigin } from './checkpoint.ts';
import { type Anchoring, signCheckpoint } from './checkpoint-store.ts';
import type { NoteSigner, RotationNotes } from './signed-note.ts';
import { growTree, installationLog, listStates, readRoot, type TreeOf } from './tree-store.ts';

/** The rotations of the key of an installation, newest first. */
export async function readRotations(queries: Queries): Promise<readonly RotationNotes[]> {
  const rows = await queries.selectFrom('key_rotations').selectAll().orderBy('number', 'desc').execute();
  return [...Map.groupBy(rows, ({ number }) => number).values()].map((of) => ({
    log: of.find(({ ledger }) => ledger === installationLog.ledger)?.note ?? '',
    // By the origin that each names itself: the columns are not signed.
    notes: new Map(of.map(({ note }) => [note.slice(0, note.indexOf('\n')), note])),
  }));
}

/**
 * The notes with which the keys of a ledger and of the log of the installation follow each other, oldest first. A ledger that
 * is newer than a rotation has none of its own.
 */
export async function listRotationNotes(queries: Queries, of: TreeOf): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('key_rotations')
    .select('note')
    .where(({ or, and }) =>
      or([installationLog, of].map(({ tenantId: tenant_id, ledger }) => and({ tenant_id, ledger }))),
    )
    .orderBy('number')
    .orderBy('ledger', 'desc')
    .execute();
  return rows.map(({ note }) => note);
}

/**
 * Has both keys sign where each ledger is, and keeps the notes. Each ledger first gets a checkpoint of the older key.
 * @param to the key from now on, under its own name.
 * @throws {RewrittenLedger} for a ledger that was changed outside Svc.
 */
export async function recordRotation(tx: Transaction, anchoring: Anchoring, to: NoteSigner): Promise<void> {
  const { queries, now: at } = tx;
  const { signer: from } = anchoring;
  const { name, former } = from.verifier;
  const keys = { from: from.verifierKey, to: writeKey(to.named(name)) };
  const sign = ({ tenantId, ledger }: TreeOf, size: number, rootHash: string) => {
    const text = writeRotation({ origin: nameOrigin(name, tenantId, ledger), at, size, rootHash, ...keys });
    return { tenant_id: tenantId, ledger, number: former.length + 1, note: to.cosign(from.sign(text), name) };
  };
  const { size } = await growTree(queries, installationLog, Number.MAX_SAFE_INTEGER);
  const rows = [sign(installationLog, size, await readRoot(queries, installationLog, size))];
  for (const of of await listStates(queries)) {
    if (of.ledger === installationLog.ledger) continue;
    const checkpoint = await signCheckpoint(tx, anchoring, of);
    rows.push(sign(of, checkpoint.size, checkpoint.rootHash));
  }
  await insertRows(queries, 'key_rotations', rows);
}
