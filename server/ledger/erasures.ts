/** A value that identifies a person in an audit event: the number of the event, and the path of its commitment. */
export interface OpeningName {
  readonly sequence: number;
  readonly path: string;
}

/** The openings that an erasure cleared: of consent records by their numbers, of audit events one by one. */
export interface ErasedEntries {
  readonly consent?: readonly number[];
  readonly audit?: readonly OpeningName[];
}

/** How many events these openings belong to. */
export function countEvents(openings: readonly OpeningName[]): number {
  return new Set(openings.map(({ sequence }) => sequence)).size;
}

/** As the `diff` of an event has it: numbers and ranges, ascending, such as `3,17-20`. */
type Sequences = {
  readonly consent?: string;
  /** By the paths of the commitments. */
  readonly audit?: Readonly<Record<string, string>>;
};

/**
 * The part of the `diff` of the event of an erasure that says which entries lack which openings from then on. The action of
 * the event ends in `.erased`.
 */
export function describeErasure({ consent = [], audit = [] }: ErasedEntries): { readonly sequences: Sequences } {
  const paths = [...Map.groupBy(audit, ({ path }) => path)];
  const ranges = paths.map(([path, some]) => [path, writeRanges(some.map(({ sequence }) => sequence))]);
  return {
    sequences: {
      ...(consent.length > 0 && { consent: writeRanges(consent) }),
      ...(ranges.length > 0 && { audit: Object.fromEntries(ranges) }),
    },
  };
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

/** Up to the newest entry that the reader has seen: a modified event may name any number, or one many times. */
function* readRanges(text: string, newest: number): Generator<number> {
  let next = 1;
  for (const [, first, last = first] of text.matchAll(/(\d+)(?:-(\d+))?/g))
    for (next = Math.max(next, Number(first)); next <= Math.min(Number(last), newest); next += 1) yield next;
}

/** The records that an erasure covers. */
interface ErasedRecords {
  readonly sequences: readonly number[];
  /** As the event has it: when the columns were cleared. */
  readonly erasedAt: unknown;
}

/**
 * Reads which records the erasure that the canonical text of an audit event describes covers.
 * @param newest the number of the newest record.
 * @returns null for any other event, also for a modified one: verifying the chain reports it.
 */
export function readErasedRecords(entry: string, newest: number): ErasedRecords | null {
  return readErasure(entry, ({ consent = '' }, erasedAt) => {
    return { sequences: [...readRanges(consent, newest)], erasedAt };
  });
}

/** Reads which openings the erasure that the canonical text of the audit event with this number describes covers. */
export function readErasedOpenings(entry: string, sequence: number): readonly OpeningName[] {
  const read = ({ audit = {} }: Sequences) =>
    Object.entries(audit).flatMap(([path, text]) =>
      // An erasure covers what was there before it.
      [...readRanges(text, sequence - 1)].map((covered) => ({ sequence: covered, path })),
    );
  return readErasure(entry, read) ?? [];
}

function readErasure<Read>(entry: string, read: (sequences: Sequences, erasedAt: unknown) => Read): Read | null {
  // The first key in canonical order; most events are others, and comparing is cheaper than parsing.
  if (!/^\{"action":"[a-z_]+\.erased"/.test(entry)) return null;
  try {
    const { diff } = JSON.parse(entry);
    return read(diff.sequences, diff.erasedAt);
  } catch {
    return null;
  }
}
