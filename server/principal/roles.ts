import { z } from 'zod';
import { type Scope, scopes } from './scopes.ts';

/** The roles that can be given to a member (spec.md "SCIM role group"), with what each is for. */
export const roles = {
  admin: 'Tenant administrator, full access',
  dpo: 'Data protection officer, compliance and data-subject-request oversight',
  engineer: 'Engineering operator',
  auditor: 'Read-only auditor',
  cs_agent: 'Customer support agent, limited access',
} as const;
export type Role = keyof typeof roles;
export const roleIds = Object.keys(roles) as [Role, ...Role[]];
export const RoleName = z.enum(roleIds).meta({ id: 'Role', description: 'What a member may do.' });

/** The role of the platform's own data protection officers; only the command line gives it. */
export const platformRole = 'dpco_principal';
export type MemberRole = Role | typeof platformRole;

/** The role of members that come without one, unless the tenant chose another: the least. */
export const leastRole: Role = 'cs_agent';

const reading = scopes.filter((scope) => scope.endsWith(':read'));

/** What each role may do (contract.md "Principals, scopes, roles"). */
const scopesOfRoles: Readonly<Record<MemberRole, ReadonlySet<Scope>>> = {
  admin: new Set(scopes),
  dpo: new Set(scopes.filter((scope) => !['keys:write', 'users:write', 'tenant:write'].includes(scope))),
  engineer: new Set([
    'consent:read',
    'consent:write',
    'webhooks:read',
    'webhooks:write',
    'controls:read',
    'controls:write',
    'audit:read',
  ]),
  auditor: new Set(reading),
  cs_agent: new Set(['consent:read', 'dsr:read', 'dsr:write']),
  dpco_principal: new Set(reading),
};

/** Whether a word is a role that can be given to a member. */
export function isRole(word: string): word is Role {
  return Object.hasOwn(roles, word);
}

/** What a member with a role may do. */
export function scopesOf(role: string): ReadonlySet<Scope> {
  return Object.hasOwn(scopesOfRoles, role) ? scopesOfRoles[role as MemberRole] : new Set();
}
