import { diffFields, recordChanges } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { catalogue } from '../controls/catalogue/catalogue.ts';
import { invalidValues } from '../http/problem.ts';
import { findPastFault } from '../http/schemas.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { findRow, insertRow, newId, updateRow } from '../storage/rows.ts';
import { readContent, type TrustCenterRow, trustCenterRows } from './store.ts';
import type { TrustCenterInput, TrustContent } from './trust-center.ts';

/**
 * Replaces the trust center of a tenant. Writes nothing if nothing changes.
 * @param slug of the tenant, the `targetRef` in its audit log.
 * @returns undefined if there is none yet and the input is empty.
 * @throws {Problem} `validation_failed` for an `achievedAt` in the future.
 */
export async function replaceTrustCenter(
  work: UnitOfWork,
  source: AuditSource,
  slug: string,
  { published, ...wanted }: TrustCenterInput,
): Promise<TrustCenterRow | undefined> {
  requireAchieved(wanted, work.now);
  const match = { tenant_id: source.tenantId };
  // Serializes concurrent changes: the second reads what the first wrote.
  await work.lockTenant(source.tenantId);
  const before = await findRow(work.transaction, 'trust_centers', match);
  const content = arrangeContent(wanted);
  const fields = Object.keys(diffFields({ ...readContent(before) }, { ...content }).after);
  const wasPublished = (before?.published_at ?? null) !== null;
  if (fields.length === 0 && published === wasPublished) return before;

  const columns = {
    content: canonicalize(content as unknown as Json),
    published_at: published ? (before?.published_at ?? work.now) : null,
    updated_at: work.now,
  };
  const row =
    before === undefined
      ? await insertRow(work.transaction, 'trust_centers', { id: newId(), ...match, ...columns, created_at: work.now })
      : await updateRow(work.transaction, 'trust_centers', match, columns);
  const changes = [];
  // Names of fields only: values may have to be erased, and the log cannot be.
  if (before === undefined || fields.length > 0)
    changes.push({ verb: before === undefined ? 'created' : 'edited', diff: { fields } });
  if (published !== wasPublished)
    changes.push({
      verb: published ? 'published' : 'unpublished',
      diff: { published: { before: wasPublished, after: published } },
    });
  await recordChanges(
    work,
    trustCenterRows,
    changes.map((change) => ({ source, row, change: { ...change, targetRef: slug } })),
  );
  return row;
}

function requireAchieved({ frameworks }: TrustContent, now: string): void {
  const details = frameworks.flatMap(({ achievedAt }, index) => {
    const issue = findPastFault(achievedAt, now);
    return issue === null ? [] : [{ path: `body.frameworks.${index}.achievedAt`, issue }];
  });
  if (details.length > 0) throw invalidValues(details);
}

/** Sorts the frameworks by the catalogue, so that another order is no change. */
function arrangeContent(content: TrustContent): TrustContent {
  const order = (code: string) => catalogue.frameworks.findIndex((framework) => framework.code === code);
  return { ...content, frameworks: content.frameworks.toSorted((one, two) => order(one.code) - order(two.code)) };
}
