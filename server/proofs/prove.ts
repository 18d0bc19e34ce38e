import type { z } from 'zod';
import { invalidValues, notFound, Problem } from '../http/problem.ts';
import { ledgerTables } from '../ledger/append.ts';
import { leafOf } from '../ledger/chain.ts';
import { findCheckpoint, type StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import { encodeAll } from '../ledger/export.ts';
import { consistencyPath, inclusionPath, type Range } from '../ledger/merkle.ts';
import { hashRange, IncompleteTiles } from '../ledger/tiles.ts';
import { countMissing, type LedgerOf, readTilesOf } from '../ledger/tree-store.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import { type ConsistencyProof, type InclusionProof, presentCheckpoint } from './views.ts';

/**
 * Proves that an entry is among those of a checkpoint.
 * @param size of the checkpoint; without it the latest.
 * @throws {Problem} `not_found`, `checkpoint_missing`.
 */
export async function proveInclusion(
  queries: Queries,
  of: LedgerOf,
  entry: { readonly sequence: number } | { readonly id: string },
  size?: number,
): Promise<z.output<typeof InclusionProof>> {
  const found = await findEntry(queries, of, entry);
  if (found === undefined) throw notFound('entry of the ledger');
  const { sequence, hash } = found;
  const checkpoint = await requireCheckpoint(queries, of, size);
  if (sequence > checkpoint.size) {
    const fault = `The checkpoint speaks of ${checkpoint.size} entries, this one has number ${sequence}. Make a new one: POST /v1/ledgers/${of.ledger}/checkpoints`;
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
 * Proves that a checkpoint grew out of an earlier one.
 * @param from the size of the earlier checkpoint.
 * @param to the size of the later one; without it the latest.
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
 * @throws {Problem} `not_found` when there is none of this size, `checkpoint_missing` when there is none at all.
 */
export async function requireCheckpoint(queries: Queries, of: LedgerOf, size?: number): Promise<StoredCheckpoint> {
  const checkpoint = await findCheckpoint(queries, of, size);
  if (checkpoint !== undefined) return checkpoint;
  if (size !== undefined) throw notFound('checkpoint of this size');
  throw new Problem(
    'checkpoint_missing',
    `There is no checkpoint yet. Make one: POST /v1/ledgers/${of.ledger}/checkpoints`,
  );
}

function hashRanges(queries: Queries, of: LedgerOf, ranges: readonly Range[]): Promise<string[]> {
  return explainIncomplete(async () => {
    const tiles = await readTilesOf(queries, of, ranges);
    return [...encodeAll(ranges.map((range) => hashRange(range, tiles)))];
  });
}

/** @throws {Problem} `rate_limited` while the server makes the tree of a ledger anew. */
export async function explainIncomplete<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof IncompleteTiles) throw isBusy();
    throw error;
  }
}

/** What is answered while a tree has yet to take up many entries. */
function isBusy(): Problem {
  const fault = 'The server is still reading this ledger into its Merkle tree; try again in a minute.';
  return new Problem('rate_limited', fault, { headers: { 'Retry-After': '60' } });
}

/**
 * A checkpoint on demand must not keep everybody waiting: the background work takes up a long ledger first.
 * @throws {Problem} `rate_limited`.
 */
export async function requireNearlyGrown(queries: Queries, of: LedgerOf): Promise<void> {
  if ((await countMissing(queries, of)) > mostMissing) throw isBusy();
}

/** So many entries take up a tenth of a second. */
const mostMissing = 20_000;

interface Entry {
  readonly sequence: number;
  readonly hash: string;
}

async function findEntry(
  queries: Queries,
  of: LedgerOf,
  entry: { readonly sequence: number } | { readonly id: string },
): Promise<Entry | undefined> {
  const { tenantId } = of;
  if ('id' in entry) return (await selectEvent(queries, { tenantId, id: entry.id }))[0];
  const select = of.ledger === 'audit' ? selectEventAt : selectRecordAt;
  return (await select(queries, { tenantId, sequence: entry.sequence }))[0];
}

const selectEvent = prepareQuery<{ tenantId: string; id: string }, Entry>((queries, parameter) =>
  queries
    .selectFrom('audit_events')
    .select(['sequence', 'hash'])
    .where('tenant_id', '=', parameter('tenantId'))
    .where('id', '=', parameter('id')),
);

const [selectEventAt, selectRecordAt] = [ledgerTables.audit, ledgerTables.consent].map((table) =>
  prepareQuery<{ tenantId: string; sequence: number }, Entry>((queries, parameter) =>
    queries
      .selectFrom(table as 'consent_records')
      .select(['sequence', 'hash'])
      .where('tenant_id', '=', parameter('tenantId'))
      .where('sequence', '=', parameter('sequence')),
  ),
) as [SelectAt, SelectAt];

type SelectAt = (
  queries: Queries,
  values: { readonly tenantId: string; readonly sequence: number },
) => Promise<readonly Entry[]>;
