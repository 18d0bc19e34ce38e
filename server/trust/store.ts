import type { NotNull, Selectable } from 'kysely';
import type { RowKind } from '../audit/row-state.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { PublishedTrustCenter, TrustCenter } from './trust-center.ts';
import { emptyContent, type TrustContent } from './trust-content.ts';

export type TrustCenterRow = Selectable<Tables['trust_centers']>;

export const trustCenterRows: RowKind<'trust_centers'> = {
  table: 'trust_centers',
  module: 'trust',
  noun: 'trust_center',
  key: 'id',
  owner: 'tenant_id',
  counters: [],
};

/** Finds the trust center of a tenant; undefined before its first change. */
export async function findTrustCenter(queries: Queries, tenantId: string): Promise<TrustCenter | undefined> {
  const row = await queries
    .selectFrom('trust_centers')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return row && readTrustCenter(row);
}

/** Stores a trust center for the first time. @returns the row, for the event of the change. */
export async function insertTrustCenter(
  work: UnitOfWork,
  tenantId: string,
  content: TrustContent,
  publishedAt: string | null,
): Promise<TrustCenterRow> {
  const row: TrustCenterRow = {
    id: newId(),
    tenant_id: tenantId,
    content: sealContent(content),
    published_at: publishedAt,
    created_at: work.now,
    updated_at: work.now,
  };
  await work.transaction.insertInto('trust_centers').values(row).execute();
  return row;
}

/** Stores a trust center anew. @returns the row as it is now, for the event of the change. */
export async function updateTrustCenter(
  work: UnitOfWork,
  tenantId: string,
  content: TrustContent,
  publishedAt: string | null,
): Promise<TrustCenterRow> {
  return work.transaction
    .updateTable('trust_centers')
    .set({ content: sealContent(content), published_at: publishedAt, updated_at: work.now })
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds a published trust center by the slug of its tenant. */
export async function findPublished(queries: Queries, slug: string): Promise<PublishedTrustCenter | undefined> {
  const [row] = await selectPublished(queries, { slug });
  // Unknown and not published are one to everybody else.
  if (row === undefined) return undefined;
  return {
    tenantId: row.tenant_id,
    slug: row.slug,
    name: row.name,
    content: readContent(row.content),
    publishedAt: row.published_at,
    updatedAt: row.updated_at,
  };
}

type PublishedRow = Pick<Selectable<Tables['tenants']>, 'slug' | 'name'> &
  Pick<TrustCenterRow, 'tenant_id' | 'content' | 'updated_at'> & { readonly published_at: string };

const selectPublished = prepareQuery<{ slug: string }, PublishedRow>((queries, parameter) =>
  queries
    .selectFrom('tenants')
    .innerJoin('trust_centers', 'trust_centers.tenant_id', 'tenants.id')
    .select(['tenant_id', 'slug', 'name', 'content', 'published_at', 'updated_at'])
    .where('slug', '=', parameter('slug'))
    // Not read at all: how long an answer takes tells nothing of what is not published.
    .where('published_at', 'is not', null)
    .$narrowType<{ published_at: NotNull }>(),
);

/** A trust center as it is stored. */
export function readTrustCenter(row: TrustCenterRow): TrustCenter {
  return { id: row.id, content: readContent(row.content), publishedAt: row.published_at, updatedAt: row.updated_at };
}

function sealContent(content: TrustContent): string {
  return canonicalize(content as unknown as Json);
}

/** In the order of the fields as they are documented; a field that came later is empty in what was stored before. */
function readContent(text: string): TrustContent {
  return { ...emptyContent, ...JSON.parse(text) };
}
