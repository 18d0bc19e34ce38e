import { sql } from 'kysely';
import type { Queries } from '../storage/queries.ts';
import { findByValues, hasInvalidBytes } from '../storage/rows.ts';
import { hashTemplate, isTemplate, splitTemplate, type TemplateParts } from './entry.ts';

interface RecordTemplate {
  readonly parts: TemplateParts;
  /** True if it is as a server wrote it. */
  readonly isSound: boolean;
}

/** The stored templates of a tenant, by their numbers, while its records are read in order. */
export class RecordTemplates {
  readonly #queries: Queries;
  readonly #tenantId: string;
  readonly #templates = new Map<number, RecordTemplate>();

  constructor(queries: Queries, tenantId: string) {
    this.#queries = queries;
    this.#tenantId = tenantId;
  }

  /** Reads the templates of rows. */
  async load(rows: readonly { readonly template: number }[]): Promise<void> {
    // Before it is decided which are missing: these rows can also need one that is there.
    if (this.#templates.size > mostKept) this.#templates.clear();
    const wanted = [...new Set(rows.map(({ template }) => template))].filter((number) => !this.#templates.has(number));
    if (wanted.length === 0) return;
    const columns = ['tenant_id', 'number', 'hash', 'parts'] as const;
    const stored = await findByValues(this.#queries, 'record_templates', this.#tenantId, 'number', wanted, columns);
    for (const row of stored) {
      // A modified file can contain bytes where the schema requires text.
      const isSound = typeof row.parts === 'string' && hashTemplate(row.parts) === row.hash && isTemplate(row.parts);
      const hidesBytes = isSound && (await hasInvalidBytes(this.#queries, 'record_templates', row));
      this.#templates.set(row.number, { parts: splitTemplate(String(row.parts)), isSound: isSound && !hidesBytes });
    }
  }

  /** A template that was loaded; undefined if it is missing. */
  get(number: number): RecordTemplate | undefined {
    return this.#templates.get(number);
  }
}

/** Most templates have less than a kilobyte. */
const mostKept = 10_000;

/** The number of a template that the record of this number does not have. One statement sees one state of both. */
export async function findOrphanedTemplate(queries: Queries, tenantId: string): Promise<number | undefined> {
  const { rows } = await sql<{ readonly number: number }>`
    select number from record_templates as template where tenant_id = ${tenantId} and not exists (
      select 1 from consent_records
      where tenant_id = template.tenant_id and sequence = template.number and consent_records.template = template.number
    ) order by number limit 1`.execute(queries);
  return rows[0]?.number;
}
