import { sql } from 'kysely';
import type { Queries } from '../storage/queries.ts';
import { findByValues, hasInvalidBytes } from '../storage/rows.ts';
import { type FrameParts, hashFrame, isFrame, splitFrame } from './entry.ts';

interface Frame {
  readonly parts: FrameParts;
  /** True if it is as a server wrote it. */
  readonly isSound: boolean;
}

/** The stored frames of a tenant, by their numbers, while its records are read in order. */
export class Frames {
  readonly #queries: Queries;
  readonly #tenantId: string;
  readonly #frames = new Map<number, Frame>();

  constructor(queries: Queries, tenantId: string) {
    this.#queries = queries;
    this.#tenantId = tenantId;
  }

  /** Reads the frames of rows. */
  async load(rows: readonly { readonly frame: number }[]): Promise<void> {
    // Before it is decided which are missing: these rows can also need one that is there.
    if (this.#frames.size > mostKept) this.#frames.clear();
    const wanted = [...new Set(rows.map(({ frame }) => frame))].filter((number) => !this.#frames.has(number));
    if (wanted.length === 0) return;
    const columns = ['tenant_id', 'number', 'hash', 'parts'] as const;
    const stored = await findByValues(this.#queries, 'consent_frames', this.#tenantId, 'number', wanted, columns);
    for (const row of stored) {
      // A modified file can contain bytes where the schema requires text.
      const isSound = typeof row.parts === 'string' && hashFrame(row.parts) === row.hash && isFrame(row.parts);
      const hidesBytes = isSound && (await hasInvalidBytes(this.#queries, 'consent_frames', row));
      this.#frames.set(row.number, { parts: splitFrame(String(row.parts)), isSound: isSound && !hidesBytes });
    }
  }

  /** A frame that was loaded; undefined if it is missing. */
  get(number: number): Frame | undefined {
    return this.#frames.get(number);
  }
}

/** Most frames have less than a kilobyte. */
const mostKept = 10_000;

/** The number of a frame that the record of this number does not have. One statement sees one state of both. */
export async function findStrayFrame(queries: Queries, tenantId: string): Promise<number | undefined> {
  const { rows } = await sql<{ readonly number: number }>`
    select number from consent_frames as frame where tenant_id = ${tenantId} and not exists (
      select 1 from consent_records
      where tenant_id = frame.tenant_id and sequence = frame.number and consent_records.frame = frame.number
    ) order by number limit 1`.execute(queries);
  return rows[0]?.number;
}
