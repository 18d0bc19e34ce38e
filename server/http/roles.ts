import { z } from 'zod';

/** Every scope of the API, with what it allows; an operation needs exactly one. */
export const scopeDescriptions = {
  'audit:read': 'Read the audit log and its proofs.',
  'consent:read': 'Read consent notices, records and their proofs.',
  'consent:write': 'Create, edit, publish and archive consent notices; capture and withdraw records.',
  'controls:read': 'Read controls, frameworks, evidence, tests and readiness.',
  'controls:write': 'Adopt frameworks; change controls; add evidence, tests and results.',
  'trust:read': 'Read the settings of the trust center.',
  'trust:write': 'Change and publish the trust center.',
  'webhooks:read': 'Read webhooks and their deliveries.',
  'webhooks:write': 'Create, change and delete webhooks; send deliveries again.',
  'members:read': 'Read the names and roles of members, to assign work to them.',
  'users:read': 'Read members, their sessions, invitations and the settings of the tenant.',
  'users:write': 'Invite, change and remove members; end their sessions; reset their second factor.',
  'keys:read': 'Read API keys and the SCIM token, without their values.',
  'keys:write': 'Create, rotate and revoke API keys and the SCIM token.',
  'dsr:read': 'Read data-subject requests.',
  'dsr:write': 'Open, extend and complete data-subject requests.',
  'breach:read': 'Read breach incidents.',
  'breach:write': 'Report and change breach incidents.',
  'tenant:write': 'Change the settings of the tenant.',
} as const;

export type Scope = keyof typeof scopeDescriptions;
export const scopes = Object.keys(scopeDescriptions) as Scope[];

/** The scopes of the platform roles: for sessions only, because no API key or access token can have them. */
export const platformScopeDescriptions = {
  'tenants:read': 'Read the list of the tenants of this server.',
  'tenants:write': 'Create tenants.',
  'system:read': 'Read the state of this server.',
  'system:write': 'Start verifications of this server.',
  'portfolio:read': 'Read what is overdue in the tenants of the portfolio.',
} as const;

export type PlatformScope = keyof typeof platformScopeDescriptions;

const read = new Map<string, ReadonlySet<Scope>>();

/** The scopes of a key as they are stored, separated by spaces. Few texts occur, and each is read once. */
export function readScopes(text: string): ReadonlySet<Scope> {
  let known = read.get(text);
  if (known === undefined) {
    known = new Set(text.split(' ').filter(isScope));
    if (read.size < maximumTexts) read.set(text, known);
  }
  return known;
}

const maximumTexts = 1000;

export function isScope(word: string): word is Scope {
  return Object.hasOwn(scopeDescriptions, word);
}

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

/** The role of the operator's own data protection officers: they read the tenants in which they have it. */
export const staffRole = 'dpco_principal';

/** The role of the administrators of this server. */
export const adminOfPlatform = 'platform_admin';

/** The roles of the operator's people; no tenant, identity provider or invitation gives them. */
export const platformRoles = [staffRole, adminOfPlatform] as const;
export type MemberRole = Role | (typeof platformRoles)[number];

/** True if only the operator of this server can give a role. */
export function isPlatformRole(word: string): boolean {
  return (platformRoles as readonly string[]).includes(word);
}

/** The role of members that come without one, unless the tenant chose another: the least. */
export const leastRole: Role = 'cs_agent';

const reading = scopes.filter((scope) => scope.endsWith(':read'));

/** The scopes of each role (contract.md "Principals, scopes, roles"). */
const scopesOfRoles: Readonly<Record<MemberRole, ReadonlySet<Scope | PlatformScope>>> = {
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
    'members:read',
  ]),
  auditor: new Set(reading),
  cs_agent: new Set(['consent:read', 'dsr:read', 'dsr:write', 'members:read']),
  dpco_principal: new Set([...reading, 'portfolio:read']),
  // An administrator of the tenant in which they have the role; of other tenants, they read nothing.
  platform_admin: new Set([...scopes, 'tenants:read', 'tenants:write', 'system:read', 'system:write']),
};

export const adminRoles: readonly MemberRole[] = ['admin', adminOfPlatform];

/** True if a word is a role that can be given to a member. */
export function isRole(word: string): word is Role {
  return Object.hasOwn(roles, word);
}

export function scopesOf(role: string): ReadonlySet<Scope | PlatformScope> {
  return Object.hasOwn(scopesOfRoles, role) ? scopesOfRoles[role as MemberRole] : new Set();
}
