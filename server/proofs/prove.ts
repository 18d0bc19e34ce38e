import type { z } from 'zod';
import { invalidValues, notFound, Problem } from '../http/problem.ts';
import { findCheckpoint, type StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import { type EntryName, findEntry } from '../ledger/entry-store.ts';
import { encodeAll } from '../ledger/export.ts';
import { consistencyPath, inclusionPath, leafOf, type Range } from '../ledger/merkle.ts';
import { hashRange } from '../ledger/tiles.ts';
import { type LedgerOf, readTilesOf } from '../ledger/tree-store.ts';
import type { Queries } from '../storage/database.ts';
import { explainIncomplete } from './explain-incomplete.ts';
import { type ConsistencyProof, type InclusionProof, presentCheckpoint } from './views.ts';

/**
 * Proves that an entry is included in a checkpoint.
 * @param size of the checkpoint; default: the latest.
 * @throws {Problem} `not_found`, `checkpoint_missing`.
 */
export async function proveInclusion(
  queries: Queries,
  of: LedgerOf,
  entry: EntryName,
  size?: number,
): Promise<z.output<typeof InclusionProof>> {
  const found = await findEntry(queries, of, entry);
  if (found === undefined) throw notFound('entry of the ledger');
  const { sequence, hash } = found;
  const checkpoint = await requireCheckpoint(queries, of, size);
  if (sequence > checkpoint.size) {
    const fault = `The checkpoint covers ${checkpoint.size} entries, this entry has number ${sequence}. Create a new checkpoint: POST /v1/ledgers/${of.ledger}/checkpoints`;
    throw new Problem('checkpoint_missing', fault);
  }
  const hashes = await hashRanges(queries, of, inclusionPath(sequence - 1, checkpoint.size));
  return {
    sequence,
    hash,
    leafHash: leafOf(hash).toString('base64'),
    hashes,
    checkpoint: presentCheckpoint(of.ledger, checkpoint),
  };
}

/**
 * Proves that a checkpoint extends an earlier one.
 * @param from the size of the earlier checkpoint.
 * @param to the size of the later one; default: the latest.
 * @throws {Problem} `not_found`, `checkpoint_missing`, `validation_failed`.
 */
export async function proveConsistency(
  queries: Queries,
  of: LedgerOf,
  from: number,
  to?: number,
): Promise<z.output<typeof ConsistencyProof>> {
  const checkpoint = await requireCheckpoint(queries, of, to);
  if (from > checkpoint.size)
    throw invalidValues([
      { path: 'query.from', issue: `must be at most ${checkpoint.size}, the size of the later one` },
    ]);
  const hashes = await hashRanges(queries, of, consistencyPath(from, checkpoint.size));
  return { from, hashes, checkpoint: presentCheckpoint(of.ledger, checkpoint) };
}

/**
 * The checkpoint of a size, or the latest.
 * @throws {Problem} `not_found` if there is none of this size, `checkpoint_missing` if there is none at all.
 */
export async function requireCheckpoint(queries: Queries, of: LedgerOf, size?: number): Promise<StoredCheckpoint> {
  const checkpoint = await findCheckpoint(queries, of, size);
  if (checkpoint !== undefined) return checkpoint;
  if (size !== undefined) throw notFound('checkpoint of this size');
  throw new Problem(
    'checkpoint_missing',
    `There is no checkpoint yet. Create one: POST /v1/ledgers/${of.ledger}/checkpoints`,
  );
}

function hashRanges(queries: Queries, of: LedgerOf, ranges: readonly Range[]): Promise<string[]> {
  return explainIncomplete(async () => {
    const tiles = await readTilesOf(queries, of, ranges);
    return [...encodeAll(ranges.map((range) => hashRange(range, tiles)))];
  });
}
