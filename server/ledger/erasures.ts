import type { LedgerName } from './append.ts';

/** The numbers of the entries whose openings an erasure cleared, by their ledger. */
export type ErasedEntries = Readonly<Partial<Record<LedgerName, readonly number[]>>>;

/**
 * The part of the `diff` of the event of an erasure that says which entries lack openings from then on: by ledger, numbers
 * and ranges, ascending, such as `3,17-20`. The action of the event ends in `.erased`.
 */
export function describeErasure(entries: ErasedEntries): { readonly sequences: Readonly<Record<string, string>> } {
  const named = Object.entries(entries).filter(([, sequences]) => sequences.length > 0);
  return { sequences: Object.fromEntries(named.map(([ledger, sequences]) => [ledger, writeRanges(sequences)])) };
}

function writeRanges(sequences: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const sequence of sequences.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] + 1 >= sequence) range[1] = sequence;
    else ranges.push([sequence, sequence]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join();
}

/** The entries of a ledger that an erasure covers. */
export interface Erasure {
  /** Up to the newest entry that the reader has seen: a modified event may name any number. */
  readonly sequences: readonly number[];
  /** As the event has it: when the columns were cleared, where they note it. */
  readonly erasedAt: unknown;
}

/**
 * Reads what the erasure that the canonical text of an audit event describes covers of a ledger.
 * @param newest the number of the newest entry of the ledger.
 * @returns null for any other event, also for a modified one: verifying the chain reports it.
 */
export function readErasure(entry: string, ledger: LedgerName, newest: number): Erasure | null {
  // The first key in canonical order; most events are others, and comparing is cheaper than parsing.
  if (!/^\{"action":"[a-z_]+\.erased"/.test(entry)) return null;
  try {
    const { diff } = JSON.parse(entry);
    const sequences: number[] = [];
    for (const [, first, last = first] of diff.sequences[ledger].matchAll(/(\d+)(?:-(\d+))?/g))
      for (let sequence = Number(first); sequence <= Math.min(Number(last), newest); sequence += 1)
        sequences.push(sequence);
    return { sequences, erasedAt: diff.erasedAt };
  } catch {
    return null;
  }
}
