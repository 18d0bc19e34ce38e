import type { LedgerName } from './append.ts';

/**
 * The part of the `diff` of the event of an erasure that says which entries lack openings from then on: numbers and ranges,
 * ascending, such as `3,17-20`. Its action ends in `.erased`.
 */
export function describeErasure(ledger: LedgerName, sequences: readonly number[]) {
  const ranges: [first: number, last: number][] = [];
  for (const sequence of sequences.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] + 1 >= sequence) range[1] = sequence;
    else ranges.push([sequence, sequence]);
  }
  return { ledger, sequences: ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join() };
}

/** The entries of a ledger that an erasure covers. */
export interface Erasure {
  /** Up to the newest entry that the reader has seen: a modified event may name any number. */
  readonly sequences: readonly number[];
  /** As the event has it: when the columns were cleared, where they note it. */
  readonly erasedAt: unknown;
}

/**
 * Reads the erasure that the canonical text of an audit event describes.
 * @param newest the number of the newest entry of the ledger.
 * @returns null for any other event, also for a modified one: verifying the chain reports it.
 */
export function readErasure(entry: string, ledger: LedgerName, newest: number): Erasure | null {
  // The first key in canonical order; most events are others, and comparing is cheaper than parsing.
  if (!/^\{"action":"[a-z_]+\.erased"/.test(entry)) return null;
  try {
    const { diff } = JSON.parse(entry);
    if (diff.ledger !== ledger) return null;
    const sequences: number[] = [];
    for (const [, first, last = first] of diff.sequences.matchAll(/(\d+)(?:-(\d+))?/g))
      for (let sequence = Number(first); sequence <= Math.min(Number(last), newest); sequence += 1)
        sequences.push(sequence);
    return { sequences, erasedAt: diff.erasedAt };
  } catch {
    return null;
  }
}
