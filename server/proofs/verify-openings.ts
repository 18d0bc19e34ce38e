import { commit } from '../ledger/entry.ts';
import { type OpeningName, readErasedOpenings } from '../ledger/erasures.ts';
import { commitmentsMark, findOpen, type OpeningRow } from '../ledger/opening-store.ts';
import type { Queries } from '../storage/queries.ts';
import { hasInvalidBytes } from '../storage/rows.ts';

/** An opening that no erasure cleared, or that is there although one did. */
export interface OpeningFault extends OpeningName {
  readonly issue: string;
}

/** Compares the openings that events of a tenant lack with the erasures in its audit log: pass every event in order. */
export class OpeningCheck {
  /** Those that are missing, and that no event so far covers, by their paths. */
  readonly #missing = new Map<string, Set<number>>();
  /** Those that an event covers, and that were not missing when they were read. */
  readonly #doubtful: OpeningName[] = [];
  #newest = 0;

  /** Notes that an event lacks the opening of a path. */
  add(sequence: number, path: string): void {
    const missing = this.#missing.get(path);
    if (missing === undefined) this.#missing.set(path, new Set([sequence]));
    else missing.add(sequence);
  }

  /** Reads the next event. */
  read({ sequence, entry }: { readonly sequence: number; readonly entry: string }): void {
    this.#newest = sequence;
    for (const opening of readErasedOpenings(entry, sequence))
      if (!this.#missing.get(opening.path)?.delete(opening.sequence)) this.#doubtful.push(opening);
  }

  /** Compares both, with what the server erased after the chain was read. */
  async finish(queries: Queries, tenantId: string): Promise<readonly OpeningFault[]> {
    const later = await queries
      .selectFrom('audit_events')
      .select(['sequence', 'entry'])
      .where('tenant_id', '=', tenantId)
      .where('sequence', '>', this.#newest)
      .orderBy('sequence')
      .execute();
    for (const event of later) this.read(event);
    const missing = [...this.#missing].flatMap(([path, sequences]) =>
      [...sequences].map((sequence) => {
        return { sequence, path, issue: `the value of ${path} is missing, and no event says that it was erased` };
      }),
    );
    const open = await findOpen(queries, tenantId, this.#doubtful);
    const restored = open.map((opening) => {
      return { ...opening, issue: `the value of ${opening.path} was erased, but is there` };
    });
    return [...missing, ...restored].sort((one, other) => one.sequence - other.sequence);
  }
}

/**
 * Compares the openings of an event with the commitments of its entry.
 * @param rows the openings, and the erased ones.
 * @returns the issue with them, or the paths of those that are missing.
 */
export async function checkOpenings(
  queries: Queries,
  entry: string,
  rows: readonly OpeningRow[],
): Promise<{ readonly issue: string } | readonly string[]> {
  if (rows.length === 0 && !entry.includes(commitmentsMark)) return [];
  const commitments = readCommitments(entry);
  const missing: string[] = [];
  for (const row of rows) {
    const { path, salt, value } = row;
    const commitment = commitments.get(path);
    if (commitment === undefined) return { issue: `the entry has no commitment to ${path}, which has an opening` };
    commitments.delete(path);
    if (salt === null && value === null) missing.push(path);
    else if (typeof salt !== 'string' || typeof value !== 'string' || commit(salt, path, value) !== commitment)
      return { issue: `the opening of ${path} does not fit the entry` };
    else if (await hasInvalidBytes(queries, 'audit_openings', row))
      return { issue: `the opening of ${path} is not Unicode` };
  }
  return [...missing, ...commitments.keys()];
}

/** The commitments of an entry by their paths; none if it is not an event. */
function readCommitments(entry: string): Map<string, unknown> {
  try {
    return new Map(Object.entries(JSON.parse(entry).commitments ?? {}));
  } catch {
    return new Map();
  }
}
