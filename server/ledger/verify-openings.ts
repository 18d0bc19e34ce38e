import type { Selectable } from 'kysely';
import type { Queries } from '../storage/database.ts';
import { hasInvalidBytes } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { commit } from './commitment.ts';
import { readErasure } from './erasures.ts';
import { commitmentsMark, readOpeningRows } from './opening-store.ts';

/** The events of a tenant that lack openings, and those that describe erasures: pass every event of the chain in order. */
export class MissingOpenings {
  readonly #missing = new Set<number>();
  #events = 0;

  /** Notes that an event lacks an opening. */
  add(sequence: number): void {
    this.#missing.add(sequence);
  }

  /** Reads the canonical text of the next event. */
  read(entry: string): void {
    this.#events += 1;
    if (this.#missing.size === 0) return;
    const { sequences = [] } = readErasure(entry, 'audit', this.#events) ?? {};
    for (const sequence of sequences) this.#missing.delete(sequence);
  }

  /** The numbers of those that no event covers, not even one that the server wrote after the chain was read. */
  async finish(queries: Queries, tenantId: string): Promise<readonly number[]> {
    const later = await queries
      .selectFrom('audit_events')
      .select('entry')
      .where('tenant_id', '=', tenantId)
      .where('sequence', '>', this.#events)
      .orderBy('sequence')
      .execute();
    for (const { entry } of later) this.read(entry);
    return [...this.#missing];
  }
}

/** The openings of a page of events. */
export class EventOpenings {
  readonly #queries: Queries;
  readonly #rows: ReadonlyMap<number, readonly OpeningRow[]>;

  constructor(queries: Queries, rows: readonly OpeningRow[]) {
    this.#queries = queries;
    this.#rows = Map.groupBy(rows, ({ sequence }) => sequence);
  }

  /** Reads those of the events after `start` up to `end`. */
  static async read(queries: Queries, tenantId: string, start: number, end: number): Promise<EventOpenings> {
    return new EventOpenings(queries, await readOpeningRows(queries, tenantId, start, end));
  }

  /**
   * Compares the openings of an event with the commitments of its entry.
   * @returns what is wrong with them, or `missing`, or null.
   */
  async check(sequence: number, entry: string): Promise<{ readonly issue: string } | 'missing' | null> {
    const rows = this.#rows.get(sequence) ?? [];
    if (rows.length === 0 && !entry.includes(commitmentsMark)) return null;
    const commitments = readCommitments(entry);
    let isMissing = false;
    for (const row of rows) {
      const { path, salt, value } = row;
      const commitment = commitments.get(path);
      if (commitment === undefined) return { issue: `the entry has no commitment to ${path}, which has an opening` };
      commitments.delete(path);
      if (salt === null && value === null) isMissing = true;
      else if (typeof salt !== 'string' || typeof value !== 'string' || commit(salt, path, value) !== commitment)
        return { issue: `the opening of ${path} does not fit the entry` };
      else if (await hasInvalidBytes(this.#queries, 'audit_openings', row))
        return { issue: `the opening of ${path} is not Unicode` };
    }
    return isMissing || commitments.size > 0 ? 'missing' : null;
  }
}

/** The commitments of an entry by their paths; none if it is not an event. */
function readCommitments(entry: string): Map<string, unknown> {
  try {
    return new Map(Object.entries(JSON.parse(entry).commitments ?? {}));
  } catch {
    return new Map();
  }
}

type OpeningRow = Selectable<Tables['audit_openings']>;
