import { Problem } from '../http/problem.ts';
import type { Database } from '../storage/database.ts';
import { isApiKey } from './api-key.ts';
import type { Principal } from './principal.ts';
import type { Scope } from './scopes.ts';
import { findKeyHolder } from './store.ts';

/**
 * Recognises the caller by the Authorization header (`Bearer <API key>`).
 * @throws {Problem} `unauthenticated` with a WWW-Authenticate challenge (RFC 6750 section 3).
 */
export async function authenticate(
  database: Database,
  authorization: string | undefined,
  now: string,
): Promise<Principal> {
  if (authorization === undefined || authorization === '') {
    throw unauthenticated('Send an API key: Authorization: Bearer svc_live_…', '');
  }
  const key = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined) throw unauthenticated('The Authorization header must read: Bearer <API key>.', '');
  // The checksum refuses a mistyped key without a look into the database.
  const principal = isApiKey(key) ? await findKeyHolder(database.kysely, key, now) : undefined;
  if (principal === undefined) {
    throw unauthenticated('The API key is unknown, expired or revoked.', ', error="invalid_token"');
  }
  return principal;
}

function unauthenticated(message: string, reason: string): Problem {
  return new Problem('unauthenticated', message, { headers: { 'WWW-Authenticate': `Bearer realm="svc"${reason}` } });
}

/** @throws {Problem} `insufficient_scope` naming the scope that is missing. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.has(scope)) return;
  throw new Problem('insufficient_scope', `The API key lacks the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `Bearer realm="svc", error="insufficient_scope", scope="${scope}"` },
  });
}
