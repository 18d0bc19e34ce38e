import { recordChanges } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { invalidValues } from '../http/problem.ts';
import { findPastFault } from '../http/schemas.ts';
import { lockChain } from '../ledger/append.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { findTrustCenter, insertTrustCenter, readTrustCenter, trustCenterRows, updateTrustCenter } from './store.ts';
import type { TrustCenter } from './trust-center.ts';
import {
  arrangeContent,
  emptyContent,
  listChangedFields,
  type TrustCenterInput,
  type TrustContent,
} from './trust-content.ts';

/**
 * Replaces the whole trust center of a tenant; nothing is written when nothing changed.
 * @param slug of the tenant, which its log calls the trust center by.
 * @returns undefined while there is none because nothing was ever set.
 * @throws {Problem} `validation_failed` for a framework that is to be achieved in the future.
 */
export async function replaceTrustCenter(
  work: UnitOfWork,
  source: AuditSource,
  slug: string,
  { published, ...wanted }: TrustCenterInput,
): Promise<TrustCenter | undefined> {
  requireAchieved(wanted, work.now);
  const { tenantId } = source;
  // Two changes at once: the second reads what the first wrote.
  await lockChain(work.transaction, tenantId, 'audit');
  const before = await findTrustCenter(work.transaction, tenantId);
  const content = arrangeContent(wanted);
  const fields = listChangedFields(before?.content ?? emptyContent, content);
  const wasPublished = (before?.publishedAt ?? null) !== null;
  if (fields.length === 0 && published === wasPublished) return before;

  const publishedAt = published ? (before?.publishedAt ?? work.now) : null;
  const save = before === undefined ? insertTrustCenter : updateTrustCenter;
  const row = await save(work, tenantId, content, publishedAt);
  const changes = [];
  // Which fields, and no more: what stood in them may have to be forgotten, and the log forgets nothing.
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
  return readTrustCenter(row);
}

function requireAchieved({ frameworks }: TrustContent, now: string): void {
  const details = frameworks.flatMap(({ achievedAt }, index) => {
    const issue = findPastFault(achievedAt, now);
    return issue === null ? [] : [{ path: `body.frameworks.${index}.achievedAt`, issue }];
  });
  if (details.length > 0) throw invalidValues(details);
}
