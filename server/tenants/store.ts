import { type RowKind, recordChange } from '../audit/row-state.ts';
import { systemSource } from '../audit/source.ts';
import { latestVersion } from '../http/versions.ts';
import { newId } from '../ids.ts';
import { openChains } from '../ledger/append.ts';
import type { Queries } from '../storage/database.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { Tenant } from './tenant.ts';

export const tenantRows: RowKind<'tenants'> = {
  table: 'tenants',
  module: 'tenants',
  noun: 'tenant',
  owner: 'id',
  counters: [],
};

/** Creates a tenant, pinned to the latest API version, with its chains; its audit log begins with this. */
export async function createTenant(work: UnitOfWork, wanted: Pick<Tenant, 'slug' | 'name'>): Promise<Tenant> {
  const tenant: Tenant = { id: newId(), ...wanted, apiVersion: latestVersion, createdAt: work.now };
  const row = {
    id: tenant.id,
    slug: tenant.slug,
    name: tenant.name,
    api_version: tenant.apiVersion,
    created_at: tenant.createdAt,
  };
  await work.transaction.insertInto('tenants').values(row).execute();
  await openChains(work.transaction, tenant.id);
  await recordChange(work, systemSource(tenant.id), tenantRows, row, { verb: 'created', targetRef: tenant.slug });
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
