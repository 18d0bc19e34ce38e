import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { latestVersion } from '../../http/answer.ts';
import type { AuditSource } from '../../http/principal.ts';
import { Problem, requireFound } from '../../http/problem.ts';
import { leastRole, type Role } from '../../http/roles.ts';
import { toColumns, viewRow } from '../../http/schemas.ts';
import { tenantRows } from '../../ledger/audit/rows.ts';
import { recordChange, type SourceOf, systemSource } from '../../ledger/audit/store.ts';
import { canonicalize, type Json } from '../../ledger/canonical.ts';
import { openChains } from '../../ledger/entry.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { newId, prepareQuery, updateRow, withSeal } from '../../storage/rows.ts';
import { BrokenSeal, holds } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { Tenant } from './tenant.ts';

type TenantRow = Selectable<Tables['tenants']>;

/**
 * Creates a tenant, pinned to the latest API version, with its chains and the first event of its audit log. The first one ends the setup.
 * @throws {Problem} `conflict` if the slug is taken.
 */
export async function createTenant(
  tx: Transaction,
  { slug, name, isDemo = false }: Pick<Tenant, 'slug' | 'name'> & { readonly isDemo?: boolean },
  sourceOf: SourceOf = systemSource,
): Promise<Tenant> {
  await endSetup(tx.queries);
  const created = { id: newId(), slug, name, api_version: latestVersion, created_at: tx.now };
  const row = await tx.queries
    .insertInto('tenants')
    .values(withSeal(tx.queries, 'tenants', { ...created, demo: isDemo ? 'yes' : null }))
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new Problem('conflict', `The slug ${slug} is taken by another tenant.`);
  await openChains(tx, row.id);
  await recordChange(tx, sourceOf(row.id), tenantRows, row, { verb: 'created', targetRef: row.slug });
  return readTenant(row);
}

/** Stores the name and the settings of a tenant. @returns the row after the change, for the audit event. */
export async function updateTenant({ queries }: Transaction, tenant: Tenant): Promise<TenantRow> {
  // Every remaining field has a column of its own, which a tenant may change.
  const { id, slug: _slug, apiVersion: _apiVersion, createdAt: _createdAt, ...settings } = tenant;
  const columns = toColumns({
    ...settings,
    sso: canonicalize(settings.sso as Json),
    requireSecondFactor: settings.requireSecondFactor ? 'yes' : null,
    dsrForm: settings.dsrForm ? 'yes' : null,
    firstSteps: settings.firstSteps ? null : 'hidden',
  });
  return updateRow(queries, 'tenants', { id }, columns);
}

/** Finds a tenant whose seal holds: its settings decide who may do what. */
export async function findTenant(queries: Queries, idOrSlug: string): Promise<Tenant | undefined> {
  const [row] = await selectTenant(queries, { name: idOrSlug });
  return row !== undefined && holds(queries, 'tenants', row) ? readTenant(row) : undefined;
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

/** Leaves out the demo tenant after its removal: its row stays, because its ledgers do. */
export function isPresent(row: ExpressionBuilder<Tables, 'tenants'>) {
  return row.or([row('demo', 'is', null), row('demo', '!=', 'removed')]);
}

/** Returns true if there is a tenant: without one, the server is not set up. A changed one may not have been removed. */
export async function hasTenants(queries: Queries): Promise<boolean> {
  const present = queries.selectFrom('tenants').select('id').where(isPresent);
  if ((await present.limit(sql.lit(1)).executeTakeFirst()) !== undefined) return true;
  return (await listChangedTenants(queries)).length > 0;
}

/** Lists the tenants that something other than Svc changed: none of their credentials work. */
export async function listChangedTenants(queries: Queries): Promise<readonly TenantRow[]> {
  const tenants = await queries.selectFrom('tenants').selectAll().orderBy('id').execute();
  return tenants.filter((row) => !holds(queries, 'tenants', row));
}

/**
 * Requires that no tenant was changed by something other than Svc: a changed tenant would look like a missing one.
 * @throws {BrokenSeal}
 */
export async function requireIntactTenants(queries: Queries): Promise<void> {
  if ((await listChangedTenants(queries)).length > 0) throw new BrokenSeal('tenants');
}

/** Finds the tenant that `svc demo` created, unless it was removed. */
export function findDemo(queries: Queries): Promise<Pick<TenantRow, 'id' | 'slug'> | undefined> {
  return queries.selectFrom('tenants').select(['id', 'slug']).where('demo', '=', 'yes').executeTakeFirst();
}

/** Ends the demo tenant: a new one can have its slug. Its access must be removed before. */
export async function endDemo(tx: Transaction, source: AuditSource): Promise<void> {
  const { tenantId: id } = source;
  const columns = { slug: `removed-${id}`, demo: 'removed', dsr_form: null };
  const row = await updateRow(tx.queries, 'tenants', { id }, columns);
  await recordChange(tx, source, tenantRows, row, { verb: 'removed', targetRef: row.slug });
}

/** Ends the links with which a server without tenants is set up. @returns their hashes. */
export async function endSetup(queries: Queries): Promise<readonly string[]> {
  const deletion = queries.deleteFrom('one_time_tokens').where('purpose', '=', 'setup');
  return (await deletion.returning('hash').execute()).map(({ hash }) => hash);
}

export function readTenant(row: TenantRow): Tenant {
  return viewRow(Tenant, row, {
    defaultRole: (row.default_role ?? leastRole) as Role,
    scimCompatibility: (row.scim_compatibility ?? 'strict') as Tenant['scimCompatibility'],
    sso: row.sso === null ? { attributeMap: { scimGroupRoleMap: {} } } : JSON.parse(row.sso),
    requireSecondFactor: row.require_second_factor !== null,
    // A month (GDPR Article 12(3)).
    dsrDays: row.dsr_days ?? 30,
    dsrForm: row.dsr_form !== null,
    webhookDays: row.webhook_days ?? 30,
    firstSteps: row.first_steps === null,
  });
}
