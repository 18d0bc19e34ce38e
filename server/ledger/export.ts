import { setImmediate as turnEventLoop } from 'node:timers/promises';
import {
  exportFormat,
  type Header,
  writeLine,
  writeShownLine,
} from '../../packages/node-sdk/src/ledger/export-format.ts';
import type { Queries } from '../storage/queries.ts';
import { findLogProof } from './attestation-store.ts';
import type { StoredCheckpoint } from './checkpoint-store.ts';
import type { LedgerOf } from './entry.ts';
import { type LedgerName, readHead } from './entry.ts';
import { consistencyPath, type Range } from './merkle.ts';
import { listRotationNotes } from './rotation-store.ts';
import { hashRange, hashSubtrees } from './tiles.ts';
import { findEntry, readEntries, readTilesOf } from './tree-store.ts';

export interface ExportOptions extends LedgerOf, Pick<Header, 'from' | 'to' | 'verifierKey'> {
  /** The size of an earlier checkpoint, to prove that the exported one extends it. */
  readonly since: number | null;
  readonly checkpoint: StoredCheckpoint;
  /** Finds the text that an entry of the consent ledger names; null if there is none. */
  readonly findShown: (entry: Readonly<Record<string, unknown>>) => Promise<string | null>;
}

/** The requested range cannot be exported. */
export class ImpossibleRange extends Error {
  override readonly name = 'ImpossibleRange';
  /** The invalid option. */
  readonly option: 'since' | 'to';

  constructor(option: 'since' | 'to', issue: string) {
    super(issue);
    this.option = option;
  }
}

/**
 * Prepares an export of the entries of a time range: JSON Lines (a header, then one entry per line) that verify against
 * the checkpoint. The file includes the entries just before and after the range, which prove that nothing of the range
 * was left out.
 * @throws {ImpossibleRange} if `since` is greater than the checkpoint or `from` is after `to`.
 * @throws {IncompleteTiles} while the tree is being rebuilt.
 */
export async function prepareExport(
  queries: Queries,
  options: ExportOptions,
): Promise<{ readonly header: Header; readonly lines: AsyncIterable<string> }> {
  const { tenantId, ledger, from, to, since, checkpoint } = options;
  const { size } = checkpoint;
  if (since !== null && since > size) throw new ImpossibleRange('since', `must be at most ${size}`);
  if (from !== null && to !== null && from > to) throw new ImpossibleRange('to', 'must not be before from');
  const start = from === null ? 0 : await countBefore(queries, options, from, { start: 0, end: size });
  const end = to === null ? size : await countBefore(queries, options, to, { start, end: size });
  const range = { start: Math.max(0, start - 1), end: Math.min(size, end + 1) };
  const before = { start: 0, end: range.start };
  const after = { start: range.end, end: size };
  const growth = since === null ? [] : consistencyPath(since, size);
  const logged = await findLogProof(queries, options, size);
  const extension = logged === undefined ? [] : consistencyPath(logged.size, size);
  const tiles = await readTilesOf(queries, options, [before, after, ...growth, ...extension]);
  const header: Header = {
    format: exportFormat,
    tenantId,
    ledger,
    from,
    to,
    first: range.start + 1,
    last: range.end,
    newer: ((await readHead(queries, options))?.sequence ?? size) - size,
    verifierKey: options.verifierKey,
    rotations: await listRotationNotes(queries, options),
    checkpoint: checkpoint.note,
    before: encodeAll(hashSubtrees(before, tiles)),
    after: encodeAll(hashSubtrees(after, tiles)),
    consistency:
      since === null ? null : { from: since, hashes: encodeAll(growth.map((path) => hashRange(path, tiles))) },
    log:
      logged === undefined
        ? null
        : {
            checkpoint: logged.checkpoint,
            consistency: encodeAll(extension.map((path) => hashRange(path, tiles))),
            ...logged.proof,
          },
  };
  return { header, lines: writeLines(queries, header, range, options.findShown) };
}

async function* writeLines(
  queries: Queries,
  header: Header,
  range: Range,
  findShown: ExportOptions['findShown'],
): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`;
  const written = new Set<string>();
  /** The line before the first entry that names a text; empty before any other. */
  const introduce = async (entry: string): Promise<string> => {
    const [, hash] = header.ledger === 'consent' ? (shownHash.exec(entry) ?? []) : [];
    if (hash === undefined || written.has(hash)) return '';
    written.add(hash);
    const shown = await findShown(JSON.parse(entry));
    // Verification of the file reports a missing text.
    return shown === null ? '' : `${writeShownLine(shown)}\n`;
  };
  for (let at = range.start; at < range.end; ) {
    const rows = await readEntries(queries, header, { start: at, end: Math.min(range.end, at + pageSize) });
    let text = '';
    for (const { entry, ...rest } of rows)
      text += `${await introduce(entry)}${writeLine({ ...rest, canonical: entry })}\n`;
    // Verification of the file detects a missing row by its number.
    if (text !== '') yield text;
    at += pageSize;
    // SQLite runs synchronously: without a turn of the event loop, a fast reader would block all other requests.
    await turnEventLoop();
  }
}

/** Where canonical text has the hash: other values cannot have an unescaped quote. */
const shownHash = /"shownHash":"([0-9a-f]{64})"/;

/** The memory that a client that does not read can occupy: two pages as text. */
const pageSize = 100;

/**
 * How many entries are older than a time, by binary search, because times rise with the numbers. If the clock was set
 * back, the result is one of the positions at which the time is crossed.
 */
async function countBefore(queries: Queries, of: LedgerOf, time: string, range: Range): Promise<number> {
  let [low, high] = [range.start, range.end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await findEntry(queries, of, { sequence: middle + 1 });
    if (found === undefined) throw new Error(`entry ${middle + 1} of the ${of.ledger} ledger is missing`);
    if (JSON.parse(found.entry)[timeKeys[of.ledger]] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The key in an entry of the time when it was appended. */
const timeKeys = { consent: 'recordedAt', audit: 'at' } as const satisfies Record<LedgerName, string>;

/** The hashes in base64. */
export function encodeAll(hashes: readonly Buffer[]): string[] {
  return hashes.map((hash) => hash.toString('base64'));
}
