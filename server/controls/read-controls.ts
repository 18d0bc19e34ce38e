import { notFound } from '../http/problem.ts';
import type { Queries } from '../storage/database.ts';
import { type AssessedControl, assessControl } from './assessed-control.ts';
import type { Framework } from './catalogue/catalogue.ts';
import { findControlRow, listControlRows } from './control-store.ts';
import { readAllEvidenceFacts, readEvidenceFacts } from './evidence-store.ts';
import { noEvidence } from './freshness.ts';
import { listAdopted } from './program-store.ts';
import { readAllTestFacts, readTestFacts } from './test-store.ts';

/** All that a tenant has in force at one time; every operation that counts reads it once and counts from it. */
export interface TenantControls {
  /** In the order of the catalogue. */
  readonly adopted: readonly Framework[];
  /** In the order of their codes. */
  readonly controls: readonly AssessedControl[];
}

/** Reads the controls of a tenant with four queries, however many there are. */
export async function readControls(queries: Queries, tenantId: string, now: string): Promise<TenantControls> {
  const adopted = await listAdopted(queries, tenantId);
  const rows = await listControlRows(queries, { tenantId });
  const evidence = await readAllEvidenceFacts(queries, tenantId, now);
  const tests = await readAllTestFacts(queries, tenantId);
  const controls = rows
    .map((row) => {
      const facts = { evidence: evidence.get(row.id) ?? noEvidence, tests: tests.get(row.id) ?? [] };
      return assessControl(row, facts, adopted, now);
    })
    .filter((control) => control !== null)
    .sort(compareCodes);
  return { adopted, controls };
}

function compareCodes({ control: one }: AssessedControl, { control: other }: AssessedControl): number {
  if (one.code === other.code) return one.id < other.id ? -1 : 1;
  return one.code < other.code ? -1 : 1;
}

/**
 * Reads one control in force.
 * @param id its id in the tenant, or the one that it has in the catalogue.
 * @throws {Problem} `not_found`.
 */
export async function requireControl(
  queries: Queries,
  tenantId: string,
  id: string,
  now: string,
): Promise<AssessedControl> {
  const row = await findControlRow(queries, tenantId, id);
  const control = row && (await assessRow(queries, row, now));
  if (!control) throw notFound('control');
  return control;
}

/** Works out what a stored control is now; null when it is not in force. */
export async function assessRow(
  queries: Queries,
  row: AssessedControl['row'],
  now: string,
): Promise<AssessedControl | null> {
  const { id, tenant_id: tenantId } = row;
  const adopted = await listAdopted(queries, tenantId);
  const evidence = (await readEvidenceFacts(queries, tenantId, now, id)).get(id) ?? noEvidence;
  const tests = (await readTestFacts(queries, tenantId, id)).get(id) ?? [];
  return assessControl(row, { evidence, tests }, adopted, now);
}
