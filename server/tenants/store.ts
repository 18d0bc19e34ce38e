import { latestVersion } from '../http/versions.ts';
import { newId } from '../ids.ts';
import { openChains } from '../ledger/append.ts';
import type { Queries } from '../storage/database.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Tenant } from './tenant.ts';

/** Creates a tenant with its empty chains, pinned to the latest API version. */
export async function createTenant(work: UnitOfWork, wanted: Pick<Tenant, 'slug' | 'name'>): Promise<Tenant> {
  const tenant: Tenant = { id: newId(), ...wanted, apiVersion: latestVersion, createdAt: work.now };
  await work.transaction
    .insertInto('tenants')
    .values({
      id: tenant.id,
      slug: tenant.slug,
      name: tenant.name,
      api_version: tenant.apiVersion,
      created_at: tenant.createdAt,
    })
    .execute();
  await openChains(work.transaction, tenant.id);
  return tenant;
}

/** Finds a tenant by id or slug. */
export async function findTenant(queries: Queries, idOrSlug: string): Promise<Tenant | undefined> {
  const [tenant] = await selectTenants(queries, idOrSlug);
  return tenant;
}

/** Every tenant, in the order of creation. */
export async function listTenants(queries: Queries): Promise<readonly Tenant[]> {
  return selectTenants(queries);
}

async function selectTenants(queries: Queries, idOrSlug?: string): Promise<readonly Tenant[]> {
  let query = queries.selectFrom('tenants').selectAll().orderBy('id');
  if (idOrSlug !== undefined)
    query = query.where((either) => either.or([either('id', '=', idOrSlug), either('slug', '=', idOrSlug)]));
  const rows = await query.execute();
  return rows.map((row) => ({
    id: row.id,
    slug: row.slug,
    name: row.name,
    apiVersion: row.api_version,
    createdAt: row.created_at,
  }));
}
