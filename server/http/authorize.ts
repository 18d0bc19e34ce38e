import type { Principal } from './principal.ts';
import { Problem } from './problem.ts';
import { isPlatformRole, type PlatformScope, type Scope, scopesOf, staffRole } from './roles.ts';
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
  user: Id.optional().meta({
    description: 'The id of the user who the caller must be: links have no `Svc-User` header.',
  }),
  tenant: Id.optional().meta({
    description: 'The id of the tenant that the caller must act for: links have no `Svc-Tenant` header.',
  }),
};

/**
 * Tabs share the cookie: what still shows another user must not act as the one who signed in since.
 * @param wanted the id of the user; undefined for any caller.
 * @param path where the caller named them.
 * @throws {Problem} `forbidden`.
 */
export function requireUser({ actor }: Principal, wanted: string | string[] | undefined, path: string): void {
  if (wanted === undefined || wanted === actor.id) return;
  const name = path.slice(path.indexOf('.') + 1);
  throw new Problem('forbidden', `These credentials are not those of the user that ${name} names.`, {
    details: [{ path, issue: 'is not the caller' }],
  });
}

/**
 * Requires that a link is followed as the user and for the tenant of its page.
 * @throws {Problem} `forbidden`, `tenant_not_allowed`.
 */
export function requireLinkOwner(
  principal: Principal,
  { user, tenant = principal.tenantId }: { readonly user?: string | undefined; readonly tenant?: string | undefined },
) {
  requireUser(principal, user, 'query.user');
  if (tenant === principal.tenantId) return;
  throw new Problem('tenant_not_allowed', 'These credentials act for another tenant than the one that the link names.');
}
