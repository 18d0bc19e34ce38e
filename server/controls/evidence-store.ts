import { describeRows } from '../audit/row-state.ts';
import { notFound } from '../http/problem.ts';
import type { Queries } from '../storage/database.ts';
import { type Page, takePage } from '../storage/page.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { EvidenceFacts, EvidenceRow } from './evidence.ts';

export const evidenceRows = describeRows('control_evidence', 'controls', 'control_evidence');

type FactsRow = EvidenceFacts & { readonly id: string };

/**
 * Reads the evidence facts of the controls of a tenant.
 * @param controlId the row id of one control; omitted for all.
 * @returns them by the row id of the control.
 */
export async function readEvidenceFacts(
  queries: Queries,
  tenantId: string,
  now: string,
  controlId?: string,
): Promise<ReadonlyMap<string, EvidenceFacts>> {
  const rows =
    controlId === undefined
      ? await selectAllFacts(queries, { tenantId, now })
      : await selectFacts(queries, tenantId, now).where('tenant_controls.id', '=', controlId).execute();
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}

const selectAllFacts = prepareQuery<{ tenantId: string; now: string }, FactsRow>((queries, parameter) =>
  selectFacts(queries, parameter('tenantId'), parameter('now')),
);

/**
 * For each control, counts its items in the index and seeks the latest valid one there: less than half of the work of
 * grouping all of them. `isEvidenceValid` decides in the same way which items are valid.
 */
function selectFacts(queries: Queries, tenantId: string, now: string) {
  return queries
    .selectFrom('tenant_controls')
    .select(({ selectFrom }) => {
      const kept = selectFrom('control_evidence')
        .whereRef('control_evidence.tenant_id', '=', 'tenant_controls.tenant_id')
        .whereRef('control_evidence.tenant_control_id', '=', 'tenant_controls.id')
        .where('control_evidence.withdrawn_at', 'is', null);
      return [
        'tenant_controls.id',
        kept
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as('count'),
        kept
          .select('control_evidence.collected_at')
          .where((item) => item.or([item('expires_at', 'is', null), item('expires_at', '>', now)]))
          .orderBy('control_evidence.collected_at', 'desc')
          .limit(1)
          .as('latest'),
      ];
    })
    .where('tenant_controls.tenant_id', '=', tenantId)
    .where('tenant_controls.retired_at', 'is', null);
}

export async function insertEvidence(work: UnitOfWork, row: EvidenceRow): Promise<void> {
  await work.transaction.insertInto('control_evidence').values(row).execute();
}

function selectOfControl(queries: Queries, tenantId: string, controlId: string) {
  return queries
    .selectFrom('control_evidence')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', controlId);
}

/**
 * Reads an item of evidence.
 * @param controlId the row id of its control.
 * @throws {Problem} `not_found` also for an item of another control.
 */
export async function requireEvidence(
  queries: Queries,
  tenantId: string,
  controlId: string,
  id: string,
): Promise<EvidenceRow> {
  const row = await selectOfControl(queries, tenantId, controlId).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('item of evidence');
  return row;
}

/**
 * Reads a page of the evidence of a control, the items added last first.
 * @param controlId the row id of the control.
 * @param before the id of the last item of the previous page; null for the first page.
 */
export async function listEvidence(
  queries: Queries,
  tenantId: string,
  controlId: string,
  before: string | null,
  limit: number,
): Promise<Page<EvidenceRow>> {
  let query = selectOfControl(queries, tenantId, controlId).orderBy('id', 'desc');
  if (before !== null) query = query.where('id', '<', before);
  return takePage(query, limit, ({ id }) => id);
}

/** Marks an item as withdrawn. @returns the row after the change, for its event. */
export async function markWithdrawn(work: UnitOfWork, row: EvidenceRow, reason: string): Promise<EvidenceRow> {
  return work.transaction
    .updateTable('control_evidence')
    .set({ withdrawn_at: work.now, withdrawal_reason: reason })
    .where('tenant_id', '=', row.tenant_id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
