import { requireRoleToGive } from '../../http/authorize.ts';
import type { Principal } from '../../http/principal.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import type { Installation } from '../../installation/installation.ts';
import { tenantRows } from '../../ledger/audit/rows.ts';
import { diffFields, recordChange } from '../../ledger/audit/store.ts';
import type { Json } from '../../ledger/canonical.ts';
import { readTenant, requireTenant, updateTenant } from './store.ts';
import { Tenant, TenantChange } from './tenant.ts';

/** The operations on the caller's tenant. */
export function tenantRoutes({ database }: Installation): readonly Route[] {
  return [
    defineRoute('GET /v1/tenant', {
      operationId: 'getTenant',
      sdkMethod: 'tenant.retrieve',
      tag: 'Tenant',
      summary: 'Get the tenant and its settings',
      scope: 'users:read',
      result: Tenant,
      handle: ({ principal }) => requireTenant(database.kysely, principal.tenantId),
    }),
    defineRoute('PATCH /v1/tenant', {
      operationId: 'editTenant',
      sdkMethod: 'tenant.update',
      tag: 'Tenant',
      summary: 'Change the settings of the tenant',
      description:
        'Omitted fields keep their values; `sso` is replaced as a whole. Roles that change, the default or that of a group, must have no scope that the caller lacks.',
      scope: 'tenant:write',
      body: TenantChange,
      result: Tenant,
      async write(call, tx) {
        const { principal, body } = call;
        // Serializes concurrent edits: the second reads what the first wrote.
        await tx.lockTenant(principal.tenantId);
        const tenant = await requireTenant(tx.queries, principal.tenantId);
        const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
        const wanted: Tenant = { ...tenant, ...given };
        const diff = diffFields(tenant as Readonly<Record<string, Json>>, wanted as Readonly<Record<string, Json>>);
        if (Object.keys(diff.after).length === 0) return tenant;
        requireRolesToGive(principal, tenant, wanted);
        const row = await updateTenant(tx, wanted);
        await recordChange(tx, call.source(), tenantRows, row, { verb: 'edited', targetRef: tenant.slug, diff });
        return readTenant(row);
      },
    }),
  ];
}

/**
 * Settings assign roles to members from the identity provider, so the caller can set only roles that they could assign.
 * @throws {Problem} `forbidden`.
 */
function requireRolesToGive(principal: Principal, old: Tenant, wanted: Tenant): void {
  const oldGroups = new Map(Object.entries(old.sso.attributeMap.scimGroupRoleMap));
  const groups = Object.entries(wanted.sso.attributeMap.scimGroupRoleMap);
  const given = groups.filter(([group, role]) => oldGroups.get(group) !== role).map(([, role]) => role);
  if (wanted.defaultRole !== old.defaultRole) given.push(wanted.defaultRole);
  for (const role of new Set(given)) requireRoleToGive(principal, role);
}
