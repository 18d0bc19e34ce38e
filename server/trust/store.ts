import type { NotNull, Selectable } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import { findCheckpoint } from '../ledger/checkpoint-store.ts';
import { BriefCache } from '../storage/cache.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { emptyContent, type PublishedTrustCenter, type TrustContent } from './trust-center.ts';

export type TrustCenterRow = Selectable<Tables['trust_centers']>;

export const trustCenterRows = describeRows('trust_centers', 'trust', 'trust_center');

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

async function findPublished(queries: Queries, slug: string): Promise<PublishedTrustCenter | undefined> {
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
