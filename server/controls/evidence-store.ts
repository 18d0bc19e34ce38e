import { type Selectable, sql } from 'kysely';
import type { RowKind } from '../audit/row-state.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { EvidenceFacts } from './freshness.ts';

export type EvidenceRow = Selectable<Tables['control_evidence']>;

export const evidenceRows: RowKind<'control_evidence'> = {
  table: 'control_evidence',
  module: 'controls',
  noun: 'control_evidence',
  key: 'id',
  owner: 'tenant_id',
  counters: [],
};

interface FactsRow {
  readonly id: string;
  readonly count: number;
  readonly latest: string | null;
}

/** The facts of the evidence of every control of a tenant, by the id of the control in the tenant. */
export async function readAllEvidenceFacts(
  queries: Queries,
  tenantId: string,
  now: string,
): Promise<ReadonlyMap<string, EvidenceFacts>> {
  return byControl(await selectAllFacts(queries, { tenantId, now }));
}

/** The same for one control. */
export async function readEvidenceFacts(
  queries: Queries,
  tenantId: string,
  now: string,
  tenantControlId: string,
): Promise<ReadonlyMap<string, EvidenceFacts>> {
  return byControl(await selectFacts(queries, { tenantId, now, tenantControlId }));
}

function byControl(rows: readonly FactsRow[]): ReadonlyMap<string, EvidenceFacts> {
  return new Map(rows.map(({ id, count, latest }) => [id, { count, latest }]));
}

const selectAllFacts = prepareQuery<{ tenantId: string; now: string }, FactsRow>((queries, parameter) =>
  facts(queries, parameter('tenantId'), parameter('now')),
);

const selectFacts = prepareQuery<{ tenantId: string; now: string; tenantControlId: string }, FactsRow>(
  (queries, parameter) =>
    facts(queries, parameter('tenantId'), parameter('now')).where(
      'tenant_controls.id',
      '=',
      parameter('tenantControlId'),
    ),
);

/**
 * For each control, its items are counted in the index and the latest that counts is sought there: less than half of the
 * work of grouping all of them. Which items count is said the same way by `isEvidenceValid`.
 */
function facts(queries: Queries, tenantId: string, now: string) {
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

export async function findEvidence(
  queries: Queries,
  tenantId: string,
  tenantControlId: string,
  id: string,
): Promise<EvidenceRow | undefined> {
  return queries
    .selectFrom('control_evidence')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', tenantControlId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * A page of the evidence of a control, the items that were added last first.
 * @param before the id of the last item already seen; null for the first page.
 */
export async function listEvidence(
  queries: Queries,
  tenantId: string,
  tenantControlId: string,
  before: string | null,
  limit: number,
): Promise<{ readonly rows: readonly EvidenceRow[]; readonly next: string | null }> {
  let query = queries
    .selectFrom('control_evidence')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('tenant_control_id', '=', tenantControlId)
    .orderBy('id', 'desc')
    .limit(sql.lit(limit + 1));
  if (before !== null) query = query.where('id', '<', before);
  const found = await query.execute();
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

/** Marks an item as withdrawn. @returns the row as it is now, for the event of the change. */
export async function markWithdrawn(work: UnitOfWork, row: EvidenceRow, reason: string): Promise<EvidenceRow> {
  return work.transaction
    .updateTable('control_evidence')
    .set({ withdrawn_at: work.now, withdrawal_reason: reason })
    .where('tenant_id', '=', row.tenant_id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
