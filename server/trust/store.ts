import type { NotNull, Selectable } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { findCheckpoint } from '../ledger/checkpoint-store.ts';
import { BriefCache } from '../storage/brief-cache.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { emptyContent, type PublishedTrustCenter, type TrustCenter, type TrustContent } from './trust-center.ts';

type TrustCenterRow = Selectable<Tables['trust_centers']>;

export const trustCenterRows = describeRows('trust_centers', 'trust', 'trust_center');

/** Finds the trust center of a tenant; undefined before its first change. */
export async function findTrustCenter(queries: Queries, tenantId: string): Promise<TrustCenter | undefined> {
  const row = await queries
    .selectFrom('trust_centers')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return row && readTrustCenter(row);
}

/**
 * Inserts or updates the trust center of a tenant.
 * @param before the present one; undefined to insert.
 * @returns the row after the change, for the audit event.
 */
export async function saveTrustCenter(
  work: UnitOfWork,
  tenantId: string,
  before: TrustCenter | undefined,
  { content, publishedAt }: Pick<TrustCenter, 'content' | 'publishedAt'>,
): Promise<TrustCenterRow> {
  const columns = {
    content: canonicalize(content as unknown as Json),
    published_at: publishedAt,
    updated_at: work.now,
  };
  if (before === undefined) {
    const row: TrustCenterRow = { id: newId(), tenant_id: tenantId, ...columns, created_at: work.now };
    await work.transaction.insertInto('trust_centers').values(row).execute();
    return row;
  }
  return work.transaction
    .updateTable('trust_centers')
    .set(columns)
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Converts a row to a trust center. */
export function readTrustCenter(row: TrustCenterRow): TrustCenter {
  return { id: row.id, content: readContent(row.content), publishedAt: row.published_at, updatedAt: row.updated_at };
}

/** Fills in fields that are newer than the row, and restores the documented order. */
function readContent(text: string): TrustContent {
  return { ...emptyContent, ...JSON.parse(text) };
}

/** The published trust centers by slug, cached for a second, with frameworks that may have expired. */
export class PublishedTrust {
  readonly #centers: BriefCache<PublishedTrustCenter>;

  constructor(queries: Queries, milliseconds?: () => number) {
    this.#centers = new BriefCache(async (slug) => {
      const value = await findPublished(queries, slug);
      return value && { value, length: JSON.stringify(value).length };
    }, milliseconds);
  }

  /** Undefined for an unknown tenant, and for one that has not published its trust center. */
  find(slug: string): Promise<PublishedTrustCenter | undefined> {
    return this.#centers.find(slug);
  }

  /** Drops a trust center from the cache after a change. */
  forget(slug: string): void {
    this.#centers.forget(slug);
  }
}

async function findPublished(queries: Queries, slug: string): Promise<PublishedTrustCenter | undefined> {
  const [row] = await selectPublished(queries, { slug });
  if (row === undefined) return undefined;
  const content = readContent(row.content);
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
