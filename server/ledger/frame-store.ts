import { hash as digest } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { Queries } from '../storage/database.ts';
import { findByValues, hasInvalidBytes, insertRows } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { type FrameParts, isFrame, splitFrame } from './frame.ts';

/** The frames of records that are about to be appended to the ledgers of their tenants. */
export class FrameDrafts {
  readonly #known: Map<string, number>;
  readonly #rows: Insertable<Tables['consent_frames']>[] = [];

  private constructor(known: Map<string, number>) {
    this.#known = known;
  }

  /**
   * Finds the frames that are stored. Two servers that meet a new one at the same moment store it twice.
   * @param wanted the parts of the frames, each with its tenant.
   */
  static async find(queries: Queries, wanted: readonly FrameDraft[]): Promise<FrameDrafts> {
    const known = new Map<string, number>();
    for (const [tenantId, frames] of Map.groupBy(wanted, (frame) => frame.tenantId)) {
      const hashes = [...new Set(frames.map(({ hash }) => hash))];
      const rows = await findByValues(queries, 'consent_frames', tenantId, 'hash', hashes, ['number', 'hash']);
      for (const { number, hash } of rows) known.set(`${tenantId} ${hash}`, number);
    }
    return new FrameDrafts(known);
  }

  /** The number of a frame. @param sequence the number of the record, which a frame gets that is not stored yet. */
  number({ tenantId, hash, text }: FrameDraft, sequence: number): number {
    const name = `${tenantId} ${hash}`;
    const number = this.#known.get(name);
    if (number !== undefined) return number;
    this.#known.set(name, sequence);
    this.#rows.push({ tenant_id: tenantId, number: sequence, hash, parts: text });
    return sequence;
  }

  /** Stores the new ones. */
  async store(queries: Queries): Promise<void> {
    await insertRows(queries, 'consent_frames', this.#rows);
  }
}

/** A frame that a record needs. */
export interface FrameDraft {
  readonly tenantId: string;
  readonly parts: FrameParts;
  readonly text: string;
  readonly hash: string;
}

export function draftFrame(tenantId: string, text: string): FrameDraft {
  return { tenantId, parts: splitFrame(text), text, hash: hashFrame(text) };
}

function hashFrame(text: string): string {
  return digest('sha256', text);
}

/** A stored frame. */
interface Frame {
  readonly parts: FrameParts;
  /** Whether it is as a server wrote it. */
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
