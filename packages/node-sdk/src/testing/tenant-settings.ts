import { canonicalize } from '../ledger/canonical.ts';
import type { Tenant } from '../types/api.ts';
import { requireRoleToGive } from './roles.ts';
import { type Call, type Handlers, stateHash, type World } from './world.ts';

const settings = ['name', 'defaultRole', 'scimCompatibility', 'sso', 'requireSecondFactor', 'dsrDays'] as const;
type Change = Partial<Pick<Tenant, (typeof settings)[number]>>;

/** The operations on the tenant. */
export function tenantHandlers(world: World): Handlers {
  return {
    getTenant: () => world.tenant,
    editTenant(call: Call<Change>) {
      const before = world.tenant;
      const given = Object.entries(call.body).filter(([, value]) => value !== undefined);
      const after: Tenant = { ...before, ...Object.fromEntries(given) };
      const changed = settings.filter((name) => canonicalize(before[name]) !== canonicalize(after[name]));
      if (changed.length === 0) return before;
      requireRolesToGive(call, before, after);
      world.tenant = after;
      const pick = (tenant: Tenant) => Object.fromEntries(changed.map((name) => [name, tenant[name]]));
      const diff = { before: pick(before), after: pick(after), stateHash: stateHash(after) };
      const event = { module: 'tenants', action: 'tenant.edited', targetId: after.id, targetRef: after.slug };
      world.record(call, { ...event, diff });
      return after;
    },
  };
}

/** Settings give roles to those who come from the identity provider. */
function requireRolesToGive({ scopes }: Call, before: Tenant, after: Tenant): void {
  const known = before.sso.attributeMap.scimGroupRoleMap;
  const groups = Object.entries(after.sso.attributeMap.scimGroupRoleMap);
  const given = groups.filter(([name, role]) => !Object.hasOwn(known, name) || known[name] !== role);
  const roles = given.map(([, role]) => role);
  if (after.defaultRole !== before.defaultRole) roles.push(after.defaultRole);
  for (const role of new Set(roles)) requireRoleToGive(scopes, role);
}
