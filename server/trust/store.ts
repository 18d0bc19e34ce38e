import type { NotNull, Selectable } from 'kysely';
import { describeRows, diffFields, type RowChange, recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { catalogue } from '../controls/catalogue/catalogue.ts';
import { invalidValues } from '../http/problem.ts';
import { findPastFault } from '../http/schemas.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { findCheckpoint } from '../ledger/checkpoint-store.ts';
import { BriefCache } from '../storage/cache.ts';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { findRow, insertRow, newId, prepareQuery, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { emptyContent, type TrustCenterInput, type TrustContent } from './trust-center.ts';

export type TrustCenterRow = Selectable<Tables['trust_centers']>;

export const trustCenterRows = describeRows('trust_centers', 'trust', 'trust_center');

/** The trust center of a tenant; undefined before the first change. */
export function findTrustCenter(queries: Queries, tenantId: string): Promise<TrustCenterRow | undefined> {
  return findRow(queries, 'trust_centers', { tenant_id: tenantId });
}

/** The content in a row, or before the first change; fields that are newer than the row are empty. */
export function readContent(row: Pick<TrustCenterRow, 'content'> | undefined): TrustContent {
  return { ...emptyContent, ...(row && JSON.parse(row.content)) };
}

/** The published trust centers by slug, cached for a second, with frameworks that may have expired. */
export type PublishedTrust = BriefCache<PublishedTrustCenter>;

/** Caches what is published; nothing is found for an unknown tenant, and for one that published nothing. */
export function cachePublishedTrust(queries: Queries): PublishedTrust {
  return new BriefCache(async (slug) => {
    const value = await findPublished(queries, slug);
    return value && { value, length: JSON.stringify(value).length };
  });
}

/** A published trust center; `proof` is null if the tenant shows none, or no checkpoint of its audit log was signed yet. */
export type PublishedTrustCenter = NonNullable<Awaited<ReturnType<typeof findPublished>>>;

async function findPublished(queries: Queries, slug: string) {
  const [row] = await selectPublished(queries, { slug });
  if (row === undefined) return undefined;
  const content = readContent(row);
  const ledger = { tenantId: row.tenant_id, ledger: 'audit' } as const;
  const proof = content.showsProof ? await findCheckpoint(queries, ledger) : undefined;
  const { name, published_at: publishedAt, updated_at: updatedAt } = row;
  return { slug, name, content, publishedAt, updatedAt, proof: proof ?? null };
}

type PublishedRow = Pick<Selectable<Tables['tenants']>, 'slug' | 'name'> &
  Pick<TrustCenterRow, 'tenant_id' | 'content' | 'updated_at'> & { readonly published_at: string };

const selectPublished = prepareQuery<{ slug: string }, PublishedRow>((queries, parameter) =>
  queries
    .selectFrom('tenants')
    .innerJoin('trust_centers', 'trust_centers.tenant_id', 'tenants.id')
    .select(['tenant_id', 'slug', 'name', 'content', 'published_at', 'updated_at'])
    .where('slug', '=', parameter('slug'))
    // In SQL, so that the response time does not depend on what is unpublished.
    .where('published_at', 'is not', null)
    .$narrowType<{ published_at: NotNull }>(),
);

/**
 * Replaces the trust center of a tenant. Writes nothing if nothing changes.
 * @param slug of the tenant, the `targetRef` in its audit log.
 * @returns undefined if there is none yet and the input is empty.
 * @throws {Problem} `validation_failed` for an `achievedAt` in the future.
 */
export async function replaceTrustCenter(work: UnitOfWork, source: AuditSource, slug: string, input: TrustCenterInput) {
  const { published, ...wanted } = input;
  requireAchieved(wanted, work.now);
  const match = { tenant_id: source.tenantId };
  // Serializes concurrent changes: the second reads what the first wrote.
  await work.lockTenant(source.tenantId);
  const before = await findTrustCenter(work.transaction, match.tenant_id);
  // In the order of the catalogue, so that another order is no change.
  const order = (code: string) => catalogue.frameworks.findIndex((framework) => framework.code === code);
  const frameworks = wanted.frameworks.toSorted((one, two) => order(one.code) - order(two.code));
  const content = { ...wanted, frameworks };
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
  const record = (verb: string, diff: RowChange['diff'] & object) =>
    recordChange(work, source, trustCenterRows, row, { verb, targetRef: slug, diff });
  // Names of fields only: values may have to be erased, and the log cannot be.
  if (before === undefined || fields.length > 0) await record(before === undefined ? 'created' : 'edited', { fields });
  if (published !== wasPublished)
    await record(published ? 'published' : 'unpublished', { published: { before: wasPublished, after: published } });
  return row;
}

function requireAchieved({ frameworks }: TrustContent, now: string): void {
  const details = frameworks.flatMap(({ achievedAt }, index) => {
    const issue = findPastFault(achievedAt, now);
    return issue === null ? [] : [{ path: `body.frameworks.${index}.achievedAt`, issue }];
  });
  if (details.length > 0) throw invalidValues(details);
}
