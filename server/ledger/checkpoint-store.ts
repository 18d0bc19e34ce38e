import { sql } from 'kysely';
import { type Database, inTransaction, type Transaction } from '../storage/database.ts';
import { ExplainedError } from '../storage/explained-error.ts';
import type { Queries } from '../storage/queries.ts';
import { insertRow, type Page, prepareQuery, takeNewest } from '../storage/rows.ts';
import { type AnchorLog, type LatestAnchor, nameNote, readNoteNames } from './anchor-log.ts';
import {
  type Checkpoint,
  nameOrigin,
  nameRestore,
  nameTree,
  openCheckpoint,
  type RestoreStatement,
  readTreeName,
  writeCheckpoint,
  writeRestoreStatement,
  writeStart,
} from './checkpoint.ts';
import type { LedgerOf } from './entry.ts';
import { isSealed, readHead } from './entry.ts';
import type { NoteSigner, NoteVerifier } from './signed-note.ts';
import { IncompleteTiles } from './tiles.ts';
import { growTree, listStates, readRoot, readState, type TreeOf, type TreeState } from './tree-store.ts';

/** A checkpoint as it is stored. */
export interface StoredCheckpoint extends Pick<LedgerOf, 'ledger'>, Omit<Checkpoint, 'origin'> {
  readonly note: string;
}

/**
 * Signs a checkpoint of the current ledger, or returns the latest if nothing was added since. The tree is first updated
 * to include all entries, those of this transaction too. After the commit, the checkpoint is appended to the log
 * outside the database, after those of other servers that the log lacks.
 * @throws {RewrittenLedger} if the ledger does not contain a checkpoint of the log, or its head is not sealed.
 */
export async function signCheckpoint(tx: Transaction, anchoring: Anchoring, of: LedgerOf): Promise<StoredCheckpoint> {
  const { queries, seal } = tx;
  // Rows that were written without the secret are not signed.
  const head = await readHead(queries, of);
  if (head !== undefined && (seal === null || !isSealed(seal, head)))
    throw new RewrittenLedger(of, 'has a head with an invalid seal: it was changed outside Svc');
  const grown = await growTree(queries, of, Number.MAX_SAFE_INTEGER);
  return { ledger: of.ledger, ...(await signTree(tx, anchoring, of, grown)) };
}

/**
 * `signCheckpoint` of a grown tree.
 * @param names further names under which the key signs.
 * @throws {RewrittenLedger} if the tree does not contain a checkpoint of the log outside the database.
 */
export async function signTree(
  tx: Transaction,
  { signer, anchors }: Anchoring,
  of: TreeOf,
  { size, entries }: Pick<Awaited<ReturnType<typeof growTree>>, 'size' | 'entries'>,
  names: readonly string[] = [],
): Promise<Omit<StoredCheckpoint, 'ledger'>> {
  const { queries, now } = tx;
  const { tenantId, ledger } = of;
  anchors.open();
  const anchor = anchors.latest(of);
  if (anchor !== undefined && !(await containsAnchor(queries, { ...of, entries, hashed: size }, anchor)))
    throw RewrittenLedger.lacks(of, anchor, anchors.file);
  const latest = await findCheckpoint(queries, of);
  if (latest !== undefined && latest.size >= size) return latest;
  const lacking = await listSigned(queries, signer, of, anchor?.lacksFrom ?? 0);
  const rootHash = await readRoot(queries, of, size);
  const origin = nameOrigin(signer.verifier.name, tenantId, ledger);
  const note = signer.sign(writeCheckpoint({ origin, size, rootHash, at: now }), names);
  const row = { ledger, size, at: now, note };
  await insertRow(queries, 'checkpoints', { ...row, tenant_id: tenantId, root_hash: rootHash });
  const checkpoint = { ...row, rootHash };
  tx.afterCommit(() => {
    try {
      // Another checkpoint of this transaction may have appended some of them.
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
  of: TreeOf,
  size?: number,
): Promise<StoredCheckpoint | undefined> {
  const [found] =
    size === undefined
      ? await selectLatest(queries, of)
      : await checkpoints(queries, of).where('size', '=', size).execute();
  return found;
}

const selectLatest = prepareQuery<TreeOf, StoredCheckpoint>((queries, parameter) =>
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

/** Every checkpoint of a ledger or of the log, smallest first. */
export function readCheckpoints(queries: Queries, of: TreeOf): Promise<readonly StoredCheckpoint[]> {
  return checkpoints(queries, of).orderBy('size').execute();
}

function checkpoints(queries: Queries, { tenantId, ledger }: Pick<TreeOf, keyof TreeOf>) {
  return queries
    .selectFrom('checkpoints')
    .select(['ledger', 'size', 'root_hash as rootHash', 'at', 'note'])
    .where('tenant_id', '=', tenantId)
    .where('ledger', '=', ledger)
    .$narrowType<LedgerOf>();
}

/** A ledger that was changed outside Svc: it does not contain its anchors, or the seal of its head is invalid. */
export class RewrittenLedger extends ExplainedError {
  override readonly name = 'RewrittenLedger';
  readonly of: TreeOf;

  /** @param issue the predicate of the message, such as "does not contain …". */
  constructor(of: TreeOf, issue: string) {
    const what = of.ledger === 'log' ? 'log of the installation' : `${of.ledger} ledger of tenant ${of.tenantId}`;
    super(`The ${what} ${issue}. No checkpoint of it is signed. Run svc verify.`);
    this.of = of;
  }

  /** A ledger that does not contain an anchored state. */
  static lacks(of: TreeOf, { size }: LatestAnchor, file: string): RewrittenLedger {
    return new RewrittenLedger(
      of,
      `does not contain the ${size} entries of a checkpoint in ${file}: its history was changed, or an older database was put in place (after a restore by other means than svc restore, run svc restore --in-place --yes)`,
    );
  }
}

/** The key that signs checkpoints, and the log that keeps them outside the database. */
export interface Anchoring {
  readonly signer: NoteSigner;
  readonly anchors: AnchorLog;
}

/**
 * Compares a ledger with its newest anchor.
 * @returns null if the tree is being rebuilt and does not reach the anchor yet.
 */
async function containsAnchor(
  queries: Queries,
  { entries, hashed, ...of }: TreeOf & Pick<TreeState, 'entries' | 'hashed'>,
  { size, rootHash }: LatestAnchor,
): Promise<boolean | null> {
  if (size > entries) return false;
  if (size > hashed) return null;
  try {
    return (await readRoot(queries, of, size)) === rootHash;
  } catch (error) {
    if (error instanceof IncompleteTiles) return null;
    throw error;
  }
}

/**
 * The notes of the checkpoints of a ledger, from a size on, that this installation signed, smallest first.
 * @param known names (`nameNote`) of notes to leave out.
 */
async function listSigned(
  queries: Queries,
  { verifier }: NoteSigner,
  of: TreeOf,
  from: number,
  known: ReadonlySet<string> = new Set(),
): Promise<readonly { readonly size: number; readonly note: string }[]> {
  const rows = await checkpoints(queries, of).where('size', '>=', from).orderBy('size').execute();
  // Rows with invalid signatures are left for `svc verify` to report.
  return rows.filter(({ note }) => !known.has(nameNote(String(note))) && isSignedNote(note, of, verifier));
}

/** True if a stored note is a checkpoint of a ledger that the verifier's key signed. */
export function isSignedNote(note: unknown, { tenantId, ledger }: TreeOf, verifier: NoteVerifier): boolean {
  // A modified file can contain bytes where the schema requires text.
  const signed = typeof note === 'string' ? openCheckpoint(note, verifier) : null;
  return signed?.origin === nameOrigin(verifier.name, tenantId, ledger);
}

/**
 * If the log is empty and the database already has checkpoints, writes a signed statement of when the log starts:
 * earlier anchors, if any, are lost.
 * @returns true if it wrote the statement.
 */
export async function startLog(queries: Queries, { signer, anchors }: Anchoring, at: string): Promise<boolean> {
  anchors.open();
  if (!anchors.isEmpty || (await listStates(queries)).every(({ signed }) => signed === null)) return false;
  anchors.append([signer.sign(writeStart(signer.verifier.name, at))]);
  return true;
}

/**
 * Appends the checkpoints that the log lacks: those of other servers, and those whose append a crash interrupted.
 * @param every also fills gaps before the newest anchor.
 * @returns the ledgers that do not match the log; nothing is appended for them.
 */
export async function anchorCheckpoints(
  queries: Queries,
  { signer, anchors }: Anchoring,
  every = false,
): Promise<readonly RewrittenLedger[]> {
  anchors.open();
  let names: ReadonlySet<string> | undefined;
  const rewritten: RewrittenLedger[] = [];
  const unknown = new Set(anchors.ledgers());
  for (const listed of await listStates(queries)) {
    unknown.delete(nameTree(listed));
    const latest = anchors.latest(listed);
    // Requests sign meanwhile: an anchor that is newer than the state is compared with the state of now.
    const isOutdated = latest !== undefined && latest.size > listed.entries;
    const of = isOutdated ? await readState(queries, listed) : listed;
    const isCurrent = latest !== undefined && latest.lacksFrom === latest.size + 1 && of.signed === latest.size;
    if ((isCurrent && !every) || (of.signed === null && latest === undefined)) continue;
    const contains = latest === undefined || (await containsAnchor(queries, of, latest));
    if (latest !== undefined && contains === false) rewritten.push(RewrittenLedger.lacks(of, latest, anchors.file));
    if (!contains) continue;
    const hasGaps = every && latest !== undefined && (await hasGap(queries, of, latest));
    if (hasGaps) names ??= readNoteNames(anchors.file);
    const from = hasGaps ? 0 : (latest?.lacksFrom ?? 0);
    anchors.append((await listSigned(queries, signer, of, from, hasGaps ? names : undefined)).map(({ note }) => note));
  }
  for (const name of unknown) {
    const of = readTreeName(name) as TreeOf;
    rewritten.push(RewrittenLedger.lacks(of, anchors.latest(of) as LatestAnchor, anchors.file));
  }
  return rewritten;
}

/** True if the log may lack checkpoints older than its newest one of a ledger, because their numbers differ. */
async function hasGap(queries: Queries, of: TreeOf, { size, restored, count }: LatestAnchor): Promise<boolean> {
  if (count === null) return true;
  const { stored } = await queries
    .selectFrom('checkpoints')
    .select(({ fn }) => fn.countAll<number>().as('stored'))
    .where('tenant_id', '=', of.tenantId)
    .where('ledger', '=', of.ledger)
    .where('size', '>', restored)
    .where('size', '<=', size)
    .executeTakeFirstOrThrow();
  return stored !== count;
}

/**
 * Appends every checkpoint of a database that this installation signed and the log lacks, at any size: for a log that
 * belongs to a copy.
 */
export async function completeAnchors(queries: Queries, { signer, anchors }: Anchoring): Promise<void> {
  anchors.open();
  const names = readNoteNames(anchors.file);
  for (const of of await listStates(queries))
    anchors.append((await listSigned(queries, signer, of, 0, names)).map(({ note }) => note));
}

/**
 * Appends a signed statement that the database was put in place on purpose: earlier anchors no longer count, and the
 * current ledgers are anchored.
 */
export async function stateRestore(database: Database, { signer, anchors }: Anchoring, at: string): Promise<void> {
  const states: RestoreStatement['states'][number][] = [];
  for (const { entries: _, hashed: __, signed: ___, ...of } of await listStates(database.kysely)) {
    const state = await inTransaction(database, async (queries) => {
      const { size } = await growTree(queries, of, Number.MAX_SAFE_INTEGER);
      return { ...of, size, rootHash: await readRoot(queries, of, size) };
    });
    states.push(state);
  }
  const origin = nameRestore(signer.verifier.name);
  await completeAnchors(database.kysely, { signer, anchors });
  anchors.appendStatement((after) => signer.sign(writeRestoreStatement({ origin, at, after, states })));
}
