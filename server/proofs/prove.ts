import { z } from 'zod';
import { invalidValues, notFound, Problem, requireFound } from '../http/problem.ts';
import { UtcTime } from '../http/schemas.ts';
import { findCheckpoint, type StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import { encodeAll } from '../ledger/export.ts';
import { consistencyPath, inclusionPath, leafOf, type Range } from '../ledger/merkle.ts';
import { hashRange, IncompleteTiles } from '../ledger/tiles.ts';
import { type EntryName, findEntry, type LedgerOf, readTilesOf } from '../ledger/tree-store.ts';
import type { Queries } from '../storage/database.ts';

const Base64Hash = z.string().meta({ description: 'SHA-256, base64.' });
const size = z.int().min(0);

/** A signed checkpoint as the API returns it. */
export const CheckpointView = z
  .strictObject({
    ledger: z.enum(['audit', 'consent']).meta({ id: 'LedgerName' }),
    size: size.meta({ description: 'The number of entries that it covers: those numbered 1 to this.' }),
    rootHash: Base64Hash.meta({ description: 'Root of the Merkle tree (RFC 6962) over these entries, base64.' }),
    at: UtcTime,
    note: z.string().meta({
      description:
        'The checkpoint with its signature (C2SP tlog-checkpoint, signed-note). Keep it: anyone who has it and the public key can later check whether these entries were changed.',
    }),
  })
  .meta({ id: 'Checkpoint' });

/** Proof that an entry is included in a checkpoint. */
export const InclusionProof = z
  .strictObject({
    sequence: z.int().min(1).meta({ description: 'The number of the entry; its leaf index is this number minus one.' }),
    hash: z.string().meta({ description: 'The chain hash of the entry, hex. Its 32 bytes are the data of the leaf.' }),
    leafHash: Base64Hash,
    hashes: z.array(Base64Hash).meta({ description: 'The audit path from the leaf upwards (RFC 9162 section 2.1.3).' }),
    checkpoint: CheckpointView,
  })
  .meta({ id: 'InclusionProof' });

/** Proof that a checkpoint extends an earlier one. */
export const ConsistencyProof = z
  .strictObject({
    from: size.meta({ description: 'The size of the earlier checkpoint.' }),
    hashes: z.array(Base64Hash).meta({ description: 'RFC 9162 section 2.1.4.' }),
    checkpoint: CheckpointView,
  })
  .meta({ id: 'ConsistencyProof' });

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
  const { sequence, hash } = requireFound(await findEntry(queries, of, entry), 'entry of the ledger');
  const checkpoint = await requireCheckpoint(queries, of, size);
  if (sequence > checkpoint.size) {
    const fault = `The checkpoint covers ${checkpoint.size} entries, this entry has number ${sequence}. Create a new checkpoint: POST /v1/ledgers/${of.ledger}/checkpoints`;
    throw new Problem('checkpoint_missing', fault);
  }
  const hashes = await hashRanges(queries, of, inclusionPath(sequence - 1, checkpoint.size));
  return { sequence, hash, leafHash: leafOf(hash).toString('base64'), hashes, checkpoint };
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
  return { from, hashes, checkpoint };
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

/** @throws {Problem} `rate_limited` while tiles are being rebuilt. */
async function hashRanges(queries: Queries, of: LedgerOf, ranges: readonly Range[]): Promise<string[]> {
  const tiles = await readTilesOf(queries, of, ranges);
  try {
    return encodeAll(ranges.map((range) => hashRange(range, tiles)));
  } catch (error) {
    throw error instanceof IncompleteTiles ? isBusy() : error;
  }
}

/** The response while a tree still lacks many entries. */
export function isBusy(): Problem {
  const fault = 'The server is still reading this ledger into its Merkle tree; try again in a minute.';
  return new Problem('rate_limited', fault, { headers: { 'Retry-After': '60' } });
}
