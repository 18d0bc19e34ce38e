import type { Principal } from '../principal/principal.ts';
import { platformRole, type Scope, scopesOf } from '../principal/roles.ts';
import { Problem } from './problem.ts';

/** A 401 with the challenge of RFC 6750 section 3. @param reason why the credentials of the request are rejected. */
export function unauthenticated(message: string, reason?: 'invalid_token'): Problem {
  const error = reason === undefined ? '' : `, error="${reason}"`;
  return new Problem('unauthenticated', message, { headers: { 'WWW-Authenticate': `Bearer realm="svc"${error}` } });
}

/** @throws {Problem} `insufficient_scope` naming the scope that is missing. */
export function requireScope({ scopes, credential }: Principal, scope: Scope): void {
  if (scopes.has(scope)) return;
  const holder = credential.kind === 'session' ? 'Your role' : 'The API key';
  throw new Problem('insufficient_scope', `${holder} lacks the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `Bearer realm="svc", error="insufficient_scope", scope="${scope}"` },
  });
}

/**
 * A caller can give a role, and change members who have it, only with every scope of that role. Otherwise members could
 * give themselves more than they have, or take it from others. `platform_admin` is given by the operator only.
 * @throws {Problem} `forbidden`.
 */
export function requireRoleToGive({ scopes }: Principal, role: string): void {
  if (role === platformRole)
    throw new Problem('forbidden', `Only the operator of this server can give or restore the role ${platformRole}.`);
  const missing = [...scopesOf(role)].filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  throw new Problem('forbidden', `The role ${role} has scopes that you lack: ${missing.join(', ')}.`);
}
