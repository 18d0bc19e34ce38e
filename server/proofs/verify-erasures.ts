import { readErasedRecords } from '../ledger/erasures.ts';
import type { Queries } from '../storage/queries.ts';
import { inBatches } from '../storage/rows.ts';
import type { ValidRow } from './verify-chain.ts';

/** Compares the records that lack their openings with the erasures that the audit log of their tenant names. */
export class ErasureCheck {
  /** When records were erased, by their numbers: as the columns have it, and as the events have it. */
  readonly #found = new Map<number, unknown>();
  readonly #named = new Map<number, unknown>();
  #newest = 0;

  /** Takes a valid record. */
  note({ sequence, salt, erased_at }: ValidRow<'consent'>): void {
    this.#newest = sequence;
    if (salt === null) this.#found.set(sequence, erased_at);
  }

  /** Reads the canonical text of an audit event. */
  read(entry: string): void {
    const { sequences = [], erasedAt } = readErasedRecords(entry, this.#newest) ?? {};
    for (const sequence of sequences) this.#named.set(sequence, erasedAt);
  }

  /** Compares both, after the consent ledger and then the audit log were read. */
  async finish(queries: Queries, tenantId: string) {
    const faults: { readonly sequence: number; readonly issue: string }[] = [];
    for (const [sequence, erasedAt] of this.#found)
      if (!this.#named.has(sequence))
        faults.push({ sequence, issue: 'the values that identify a person are missing, and no erasure covers them' });
      else if (this.#named.get(sequence) !== erasedAt)
        faults.push({ sequence, issue: 'the column erased_at differs from the event of the erasure' });
    const open = [...this.#named.keys()].filter((sequence) => !this.#found.has(sequence));
    // Read again: they may have been erased since the ledger was read.
    const restored = await inBatches(open, (batch) =>
      queries
        .selectFrom('consent_records')
        .select('sequence')
        .where('tenant_id', '=', tenantId)
        .where('sequence', 'in', batch)
        .where('salt', 'is not', null)
        .execute(),
    );
    for (const { sequence } of restored)
      faults.push({ sequence, issue: 'was erased, but has values that identify a person' });
    return { records: this.#found.size, faults };
  }
}
