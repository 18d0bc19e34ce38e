import type { Selectable } from 'kysely';
import { describeRows, recordChange } from '../audit/row-state.ts';
import { systemSource } from '../audit/source.ts';
import { latestVersion } from '../http/answer.ts';
import { requireFound } from '../http/problem.ts';
import { viewRow } from '../http/schemas.ts';
import { openChains } from '../ledger/append.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { leastRole, type Role } from '../principal/roles.ts';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { insertRow, newId, prepareQuery, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { Tenant } from './tenant.ts';

export const tenantRows = describeRows('tenants', 'tenants', 'tenant', { owner: 'id' });

type TenantRow = Selectable<Tables['tenants']>;

/** Creates a tenant, pinned to the latest API version, with its chains and the first event of its audit log. */
export async function createTenant(work: UnitOfWork, { slug, name }: Pick<Tenant, 'slug' | 'name'>): Promise<Tenant> {
  const row = await insertRow(work.transaction, 'tenants', {
    id: newId(),
    slug,
    name,
    api_version: latestVersion,
    created_at: work.now,
  });
  await openChains(work, row.id);
  await recordChange(work, systemSource(row.id), tenantRows, row, { verb: 'created', targetRef: row.slug });
  return readTenant(row);
}

/** Stores the name and the settings of a tenant. @returns the row after the change, for the audit event. */
export async function updateTenant({ transaction }: UnitOfWork, { id, ...tenant }: Tenant): Promise<TenantRow> {
  const columns = {
    name: tenant.name,
    default_role: tenant.defaultRole,
    scim_compatibility: tenant.scimCompatibility,
    sso: canonicalize(tenant.sso as Json),
    require_second_factor: tenant.requireSecondFactor ? 'yes' : null,
    dsr_days: tenant.dsrDays,
  };
  return updateRow(transaction, 'tenants', { id }, columns);
}

/** Finds a tenant by id or slug. */
export async function findTenant(queries: Queries, idOrSlug: string): Promise<Tenant | undefined> {
  const [row] = await selectTenant(queries, { name: idOrSlug });
  return row && readTenant(row);
}

/** @throws {Problem} `not_found`. */
export async function requireTenant(queries: Queries, idOrSlug: string): Promise<Tenant> {
  return requireFound(await findTenant(queries, idOrSlug), 'tenant');
}

const selectTenant = prepareQuery<{ name: string }, TenantRow>((queries, parameter) =>
  queries
    .selectFrom('tenants')
    .selectAll()
    .where((either) => either.or([either('id', '=', parameter('name')), either('slug', '=', parameter('name'))])),
);

/** The id and slug of every tenant, oldest first. Does not read the settings, which may be damaged. */
export async function listTenants(queries: Queries): Promise<readonly Pick<Tenant, 'id' | 'slug'>[]> {
  return queries.selectFrom('tenants').select(['id', 'slug']).orderBy('id').execute();
}

/** Converts a row to a tenant. */
export function readTenant(row: TenantRow): Tenant {
  return viewRow(Tenant, row, {
    defaultRole: (row.default_role ?? leastRole) as Role,
    scimCompatibility: (row.scim_compatibility ?? 'strict') as Tenant['scimCompatibility'],
    sso: row.sso === null ? { attributeMap: { scimGroupRoleMap: {} } } : JSON.parse(row.sso),
    requireSecondFactor: row.require_second_factor !== null,
    // A month (GDPR Article 12(3)).
    dsrDays: row.dsr_days ?? 30,
  });
}
