import { z } from 'zod';
import { recordChange } from '../audit/row-state.ts';
import { callSource } from '../audit/source.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type PrincipalCall, type Route } from '../http/route.ts';
import { Id, UtcTime } from '../http/schemas.ts';
import { requireRoleToGive } from '../identity/role-rules.ts';
import type { PrivateHasher } from '../installation/private-hash.ts';
import { lockChain } from '../ledger/append.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { Principal } from '../principal/principal.ts';
import { RoleName } from '../principal/roles.ts';
import type { Database, Queries } from '../storage/database.ts';
import { findTenant, readTenant, tenantRows, updateTenant } from './store.ts';
import {
  DsrDays,
  SsoConfiguration,
  scimCompatibilities,
  type Tenant,
  TenantName,
  type TenantSettings,
  TenantSlug,
} from './tenant.ts';

const settings = {
  name: TenantName,
  defaultRole: RoleName.meta({ description: 'The role of members that come by SCIM without one.' }),
  scimCompatibility: z.enum(scimCompatibilities).meta({
    id: 'ScimCompatibility',
    description:
      'With `extended`, SCIM also takes what Okta, authentik and JumpCloud send for users and the letter of the interface refuses; each use is audited.',
  }),
  sso: SsoConfiguration,
  requireSecondFactor: z.boolean().meta({
    description:
      'Members without a second factor may only enrol one; everything else answers 403 `second_factor_required`.',
  }),
  dsrDays: DsrDays,
};

const TenantView = z
  .strictObject({ id: Id, slug: TenantSlug, apiVersion: z.string(), ...settings, createdAt: UtcTime })
  .meta({ id: 'Tenant' });

const TenantChange = z.strictObject(settings).partial().meta({ id: 'TenantChange' });

/** The operations on the tenant of the caller. */
export function tenantRoutes(database: Database, hasher: PrivateHasher): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/tenant',
      operationId: 'getTenant',
      tag: 'Tenant',
      summary: 'Get the tenant and its settings',
      scope: 'users:read',
      status: 200,
      result: TenantView,
      handle: async (call) => view(await requireTenant(database.kysely, call)),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/v1/tenant',
      operationId: 'editTenant',
      tag: 'Tenant',
      summary: 'Change the settings of the tenant',
      description:
        'What is left out stays as it is. `sso` is replaced whole. Roles that are set anew, as the default or for a group, must have no scope that the caller lacks.',
      scope: 'tenant:write',
      body: TenantChange,
      status: 200,
      result: TenantView,
      errors: ['forbidden'],
      async change(call, work) {
        // Two edits at once: the second reads what the first wrote.
        await lockChain(work.transaction, call.principal.tenantId, 'audit');
        const tenant = await requireTenant(work.transaction, call);
        const { name: oldName, settings: old } = tenant;
        const { name = oldName, ...wanted } = call.body;
        const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
        const before = { name: oldName, ...old };
        const after = { ...before, name, ...given } as typeof before;
        const changed = (Object.keys(before) as (keyof typeof before)[]).filter(
          (key) => canonicalize(before[key] as Json) !== canonicalize(after[key] as Json),
        );
        if (changed.length === 0) return view(tenant);
        const { name: newName, ...newSettings } = after;
        requireRolesToGive(call.principal, old, newSettings);
        const row = await updateTenant(work, tenant.id, { name: newName, settings: newSettings });
        await recordChange(work, callSource(call, hasher), tenantRows, row, {
          verb: 'edited',
          targetRef: tenant.slug,
          diff: {
            before: Object.fromEntries(changed.map((key) => [key, before[key] as Json])),
            after: Object.fromEntries(changed.map((key) => [key, after[key] as Json])),
          },
        });
        return view(readTenant(row));
      },
    }),
  ];
}

/**
 * Settings give roles to those who come from the identity provider: who changes them gives no more than to a member.
 * @throws {Problem} `forbidden`.
 */
function requireRolesToGive(principal: Principal, old: TenantSettings, wanted: TenantSettings): void {
  const oldGroups = new Map(Object.entries(old.sso.attributeMap.scimGroupRoleMap));
  const groups = Object.entries(wanted.sso.attributeMap.scimGroupRoleMap);
  const given = groups.filter(([group, role]) => oldGroups.get(group) !== role).map(([, role]) => role);
  if (wanted.defaultRole !== old.defaultRole) given.push(wanted.defaultRole);
  for (const role of new Set(given)) requireRoleToGive(principal, role);
}

async function requireTenant(queries: Queries, { principal: { tenantId } }: PrincipalCall): Promise<Tenant> {
  const tenant = await findTenant(queries, tenantId);
  if (tenant === undefined) throw notFound('tenant');
  return tenant;
}

function view({ id, slug, name, apiVersion, createdAt, settings }: Tenant): z.output<typeof TenantView> {
  return { id, slug, name, apiVersion, ...settings, createdAt };
}
