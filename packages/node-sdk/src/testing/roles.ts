import type { MemberRole, Role, Scope } from '../types/api.ts';
import { Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';

/** The roles that a tenant gives, in the order of the API. */
export const roleIds: readonly Role[] = ['admin', 'dpo', 'engineer', 'auditor', 'cs_agent'];
/** The role that the operator of a server gives. */
export const platformRole = 'dpco_principal';

const { scopes } = requestRules;
const managing: readonly string[] = ['keys:write', 'users:write', 'tenant:write'];
const scopesOfRoles: Readonly<Record<Role, readonly Scope[]>> = {
  admin: scopes,
  dpo: scopes.filter((scope) => !managing.includes(scope)),
  engineer: scopes.filter((scope) => /^(?:consent|webhooks|controls):|^audit:read$/.test(scope)),
  auditor: scopes.filter((scope) => scope.endsWith(':read')),
  cs_agent: ['consent:read', 'dsr:read', 'dsr:write'],
};

/** Whether a word is a role that a tenant gives. */
export function isRole(word: string): word is Role {
  return (roleIds as readonly string[]).includes(word);
}

/** Nobody gives a role that may do more than they may. @throws {Refusal} `forbidden`. */
export function requireRoleToGive(held: readonly Scope[], role: MemberRole): void {
  const wanted = role === platformRole ? [] : scopesOfRoles[role];
  const missing = scopes.filter((scope) => wanted.includes(scope) && !held.includes(scope));
  if (missing.length === 0) return;
  throw new Refusal(403, 'forbidden', `The role ${role} may do more than you may yourself: ${missing.join(', ')}.`);
}
