import type { Principal } from '../principal/principal.ts';
import { isPlatformRole, type PlatformScope, type Scope, scopesOf, staffRole } from '../principal/roles.ts';
import { Problem } from './problem.ts';
import { Id } from './schemas.ts';

/** A 401 with the challenge of RFC 6750 section 3. @param reason why the credentials of the request are rejected. */
export function unauthenticated(message: string, reason?: 'invalid_token'): Problem {
  const error = reason === undefined ? '' : `, error="${reason}"`;
  return new Problem('unauthenticated', message, { headers: { 'WWW-Authenticate': `Bearer realm="svc"${error}` } });
}

/** @throws {Problem} `insufficient_scope` naming the scope that is missing. */
export function requireScope({ scopes, credential }: Principal, scope: Scope | PlatformScope): void {
  if (scopes.has(scope)) return;
  const holder = credential.kind === 'session' ? 'Your role' : 'The API key';
  throw new Problem('insufficient_scope', `${holder} lacks the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `Bearer realm="svc", error="insufficient_scope", scope="${scope}"` },
  });
}

/**
 * A caller can give a role, and change members who have it, only with every scope of that role. Otherwise members could
 * give themselves more than they have, or take it from others. The operator only gives the platform roles.
 * @throws {Problem} `forbidden`.
 */
export function requireRoleToGive(principal: Principal, role: string): void {
  if (isPlatformRole(role))
    throw new Problem('forbidden', `Only the operator of this server can give or restore the role ${role}.`);
  requireScopesOf(principal, role);
}

/** A caller can take access only from members who have no more rights. @throws {Problem} `forbidden`. */
export function requireScopesOf({ scopes }: Principal, role: string): void {
  // A tenant can always part with the operator's staff, who only read it.
  if (role === staffRole) return;
  const missing = [...scopesOf(role)].filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  throw new Problem('forbidden', `The role ${role} has scopes that you lack: ${missing.join(', ')}.`);
}

/** The query of operations that links lead to, which have no headers. */
export const linkQuery = {
  tenant: Id.optional().meta({
    description: 'The id of the tenant that the caller must act for: links have no `Svc-Tenant` header.',
  }),
};

/** @throws {Problem} `tenant_not_allowed` if a link of the pages of one tenant is followed in a session of another. */
export function requireLinkTenant(
  { tenantId }: Principal,
  { tenant = tenantId }: { readonly tenant?: string | undefined },
) {
  if (tenant === tenantId) return;
  throw new Problem('tenant_not_allowed', 'These credentials act for another tenant than the one that the link names.');
}
