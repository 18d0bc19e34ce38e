import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { hashBytes } from '../../packages/node-sdk/src/ledger/merkle.ts';
import { nameNote } from '../ledger/anchor-log.ts';
import { nameOrigin, openCheckpoint } from '../ledger/checkpoint.ts';
import { readCheckpoints, type StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import { leafOf } from '../ledger/merkle.ts';
import type { NoteVerifier } from '../ledger/signed-note.ts';
import { countHashes, nameTile, type TileAddress, TiledTree } from '../ledger/tiles.ts';
import { installationLog, type TreeOf } from '../ledger/tree-store.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow } from '../storage/rows.ts';
import type { RootClaim } from './verify-anchors.ts';

export interface ProofReport {
  /** How many checkpoints were compared with the entries. */
  readonly checkpoints: number;
  /** True if the signatures were checked, which requires the secret of the installation. */
  readonly signatures: boolean;
  /** Checkpoints that do not match the ledger, with their size, and faults of the tiles. */
  readonly faults: readonly { readonly size: number | null; readonly issue: string }[];
  /** Claims from outside the database that the ledger does not match. */
  readonly claimFaults: readonly (Pick<RootClaim, 'size' | 'at' | 'place'> & { readonly issue: string })[];
}

/** A tile, as it must be stored. */
interface ExpectedTile {
  /** The least bytes of it. */
  readonly due: number;
  /** A tile that must be stored in full has only its SHA-256 here: the tiles themselves would not fit in memory. */
  readonly hashes: Buffer | string;
}

/** Compares the checkpoints and the tiles of a ledger with its entries, which are added one by one in order. */
export class ProofCheck {
  /** The checkpoints of the database. */
  readonly checkpoints: readonly StoredCheckpoint[];
  readonly #queries: Queries;
  readonly #of: TreeOf;
  readonly #treeSize: number;
  readonly #tree = new TiledTree();
  /** By name (`nameTile`). */
  readonly #tiles = new Map<string, ExpectedTile>();
  readonly #claims: readonly RootClaim[];
  /** The roots that are not compared yet, by the number of entries. */
  readonly #roots: Map<number, readonly (RootClaim | StoredCheckpoint)[]>;
  readonly #faults: ProofReport['faults'][number][] = [];
  readonly #claimFaults: ProofReport['claimFaults'][number][] = [];
  #compared = 0;

  private constructor(
    queries: Queries,
    of: TreeOf,
    claims: readonly RootClaim[],
    checkpoints: readonly StoredCheckpoint[],
    treeSize: number,
  ) {
    this.#queries = queries;
    this.#of = of;
    this.#claims = claims.toSorted((one, other) => one.size - other.size);
    this.checkpoints = checkpoints;
    this.#treeSize = treeSize;
    this.#roots = Map.groupBy([...this.#claims, ...checkpoints], ({ size }) => size);
    this.#compareRoots();
  }

  /**
   * Reads what is to be compared. Call it before reading the entries: a running server only adds to them.
   * @param claims about the ledger from outside the database, read before.
   */
  static async open(queries: Queries, of: TreeOf, claims: readonly RootClaim[] = []): Promise<ProofCheck> {
    const checkpoints = await readCheckpoints(queries, of);
    const tree = await findRow(queries, 'merkle_trees', { tenant_id: of.tenantId, ledger: of.ledger });
    return new ProofCheck(queries, of, claims, checkpoints, tree?.size ?? 0);
  }

  /** Adds the chain hash of the next entry. */
  take(chainHash: string): void {
    this.#tree.add(leafOf(chainHash));
    for (const tile of this.#tree.takeFullTiles()) {
      const due = this.#countDue(tile);
      const hashes = due === tile.hashes.length ? hash('sha256', tile.hashes) : tile.hashes;
      this.#tiles.set(nameTile(tile), { due, hashes });
    }
    this.#compareRoots();
  }

  /**
   * Compares the rest, after the last entry.
   * @param verifier null if the key is unknown.
   * @param isWhole true if every entry of the ledger was added.
   */
  async finish(verifier: NoteVerifier | null, isWhole: boolean): Promise<ProofReport> {
    if (isWhole) {
      this.#compareSizes();
      await this.#compareTiles();
    }
    this.#compareNotes();
    if (verifier !== null) for (const checkpoint of this.checkpoints) this.#checkNote(checkpoint, verifier);
    const faults = this.#faults.toSorted((one, other) => (one.size ?? Infinity) - (other.size ?? Infinity));
    return { checkpoints: this.#compared, signatures: verifier !== null, faults, claimFaults: this.#claimFaults };
  }

  /** @param claimed the issue of a claim, if it is more than that of a checkpoint. */
  #refute(root: RootClaim | StoredCheckpoint, issue: string, claimed = issue): void {
    const { size, at } = root;
    if ('place' in root) this.#claimFaults.push({ size, at, place: root.place, issue: claimed });
    else this.#faults.push({ size, issue });
  }

  #compareRoots(): void {
    const { size } = this.#tree;
    const roots = this.#roots.get(size);
    if (roots === undefined) return;
    this.#roots.delete(size);
    const root = this.#tree.root().toString('base64');
    const issue = 'the entries are not those that it was signed for';
    for (const one of roots) {
      if (!('place' in one)) this.#compared += 1;
      if (one.rootHash !== root) this.#refute(one, issue, `${issue}: the history of the ledger was changed`);
    }
  }

  #compareSizes(): void {
    const { size: entries } = this.#tree;
    const [what, unit] =
      this.#of.ledger === installationLog.ledger ? ['log', 'ledger checkpoints'] : ['ledger', 'entries'];
    const lost = `the ${what} has ${entries} ${unit}: the newest were removed, or an older database was put in its place`;
    for (const root of [...this.#roots.values()].flat())
      this.#refute(root, `covers ${root.size} ${unit}, the ${what} has ${entries}`, lost);
    const latest = this.checkpoints.at(-1)?.size ?? 0;
    const tree = `the tree has ${this.#treeSize} ${unit}`;
    if (this.#treeSize > entries) this.#faults.push({ size: null, issue: `${tree}, the ${what} ${entries}` });
    if (this.#treeSize < latest) {
      const issue = `${tree}, the latest checkpoint ${latest}: the server is rebuilding it, or is not running`;
      this.#faults.push({ size: null, issue });
    }
  }

  /** The checkpoints of the log were committed before, so the database must have them. */
  #compareNotes(): void {
    const stored = new Map(this.checkpoints.map(({ size, note }) => [size, nameNote(String(note))]));
    for (const claim of this.#claims) {
      const { size, note } = claim;
      if (note === null || stored.get(size) === note) continue;
      const other = 'the database has another checkpoint of this size';
      this.#refute(claim, stored.has(size) ? other : 'the checkpoint was removed from the database');
    }
  }

  #checkNote({ size, rootHash, at, note }: StoredCheckpoint, verifier: NoteVerifier): void {
    const origin = nameOrigin(verifier.name, this.#of.tenantId, this.#of.ledger);
    // A modified file can contain bytes where the schema requires text.
    const signed = typeof note === 'string' ? openCheckpoint(note, verifier) : null;
    const fits = signed?.origin === origin && signed.size === size && signed.at === at && signed.rootHash === rootHash;
    if (signed === null) this.#faults.push({ size, issue: 'the signature is not of this installation' });
    else if (!fits) this.#faults.push({ size, issue: 'the row differs from the signed note' });
  }

  /** The bytes that a tile has in the tree as far as it is stored. */
  #countDue(tile: TileAddress): number {
    return countHashes(tile, this.#treeSize) * hashBytes;
  }

  async #compareTiles(): Promise<void> {
    for (const tile of this.#tree.openTiles())
      this.#tiles.set(nameTile(tile), { due: this.#countDue(tile), hashes: tile.hashes });
    const missing = new Set([...this.#tiles].filter(([, { due }]) => due > 0).map(([name]) => name));
    for (let after: TileAddress = { level: -1, number: 0 }; ; ) {
      const rows = await this.#queries
        .selectFrom('merkle_tiles')
        .select(['level', 'number', 'hashes'])
        .where('tenant_id', '=', this.#of.tenantId)
        .where('ledger', '=', this.#of.ledger)
        .where(sql<boolean>`(level, number) > (${after.level}, ${after.number})`)
        .orderBy('level')
        .orderBy('number')
        .limit(sql.lit(100))
        .execute();
      for (const row of rows) {
        const name = nameTile(row);
        missing.delete(name);
        if (!this.#fits(row, row.hashes))
          this.#faults.push({ size: null, issue: `tile ${name} differs from the entries, so proofs would not verify` });
      }
      const last = rows.at(-1);
      // A modified file can contain a number that is read as a different one.
      if (last === undefined || nameTile(last) === nameTile(after)) break;
      after = last;
    }
    for (const name of missing) this.#faults.push({ size: null, issue: `tile ${name} is missing` });
  }

  #fits(address: TileAddress, text: string): boolean {
    if (typeof text !== 'string') return false;
    const stored = Buffer.from(text, 'base64');
    if (stored.toString('base64') !== text || stored.length % hashBytes !== 0) return false;
    const expected = this.#tiles.get(nameTile(address));
    // Any other tile may hold only what was appended after the entries that were read.
    if (expected === undefined) return countHashes(address, this.#tree.size) === 0;
    const { due, hashes } = expected;
    if (typeof hashes === 'string') return hash('sha256', stored) === hashes;
    // The server may have added to an open tile since the entries were read.
    const common = Math.min(hashes.length, stored.length);
    return stored.length >= due && stored.subarray(0, common).equals(hashes.subarray(0, common));
  }
}

/** Faults of checkpoints and tiles that belong to no ledger. */
export async function findStrayProofs(queries: Queries): Promise<readonly string[]> {
  const issues: string[] = [];
  for (const table of ['checkpoints', 'key_rotations', 'merkle_tiles'] as const) {
    const { rows } = await sql<{ readonly tenant_id: string; readonly ledger: string }>`
      select distinct tenant_id, ledger from ${sql.table(table)} as proof where not exists (
        select 1 from chain_heads where tenant_id = proof.tenant_id and ledger = proof.ledger
      ) and not (tenant_id = ${installationLog.tenantId} and ledger = ${installationLog.ledger})`.execute(queries);
    for (const { tenant_id, ledger } of rows)
      issues.push(`${table} has rows of the ledger ${ledger} of ${tenant_id}, which does not exist`);
  }
  return issues;
}
