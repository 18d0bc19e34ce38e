import type { z } from 'zod';
import { invalidValues, notFound, Problem } from '../http/problem.ts';
import type { PrincipalCall } from '../http/route.ts';
import type { Principal } from '../principal/principal.ts';
import { readScopes, type Scope } from '../principal/scopes.ts';
import { addTime, type UnitOfWork } from '../storage/database.ts';
import { environmentOf, statusOf, type WantedApiKey } from './api-key.ts';
import {
  type ApiKeyRow,
  changeKey,
  createApiKey,
  findKey,
  findReachingKey,
  listKeyTenants,
  otherTenantsOf,
  recordSharing,
  writeOtherTenants,
} from './api-key-store.ts';

/**
 * Creates a key in the tenant that the caller acts for, with at most the rights of the caller.
 * @throws {Problem} `validation_failed`, `forbidden`.
 */
export async function addKey(
  work: UnitOfWork,
  { principal, source }: PrincipalCall,
  wanted: z.output<typeof WantedApiKey>,
): ReturnType<typeof createApiKey> {
  const { tenantId } = principal;
  if (wanted.expiresAt !== null && wanted.expiresAt <= work.now)
    throw invalidValues([{ path: 'body.expiresAt', issue: 'must be in the future' }]);
  if (wanted.otherTenantIds.includes(tenantId))
    throw invalidValues([{ path: 'body.otherTenantIds', issue: 'must not name the tenant of the key itself' }]);
  await requireRights(work, principal, wanted);
  return createApiKey(work, { tenantId, ...wanted }, source);
}

/**
 * Revokes a key. A shared key of another tenant keeps working there and can no longer act for the caller's tenant. Does
 * nothing when the key was revoked before.
 * @throws {Problem} `not_found`.
 */
export async function revokeKey(
  work: UnitOfWork,
  { principal, source }: PrincipalCall,
  id: string,
): Promise<ApiKeyRow> {
  const key = await lockKey(work, principal.tenantId, id, findReachingKey);
  if (key.revoked_at !== null) return key;
  if (key.tenant_id === principal.tenantId) {
    const row = await changeKey(work, source, key, { revoked_at: work.now }, 'revoked', { revokedAt: work.now });
    await recordSharing(work, source, row, 'unshared');
    return row;
  }
  const before = otherTenantsOf(key);
  const after = before.filter((other) => other !== principal.tenantId);
  const diff = { before: { otherTenantIds: before }, after: { otherTenantIds: after } };
  const row = await changeKey(work, source, key, { tenant_ids: writeOtherTenants(after) }, 'unshared', diff);
  await recordSharing(work, source, row, 'unshared', [principal.tenantId]);
  return row;
}

/**
 * Replaces a key by a new one with the same rights; the old one works until the overlap ends. The caller reads the new
 * key, so they need its rights as for creating it.
 * @throws {Problem} `not_found`, `conflict`, `forbidden`.
 */
export async function rotateKey(
  work: UnitOfWork,
  { principal, source }: PrincipalCall,
  id: string,
  overlapHours: number,
): ReturnType<typeof createApiKey> {
  const old = await lockKey(work, principal.tenantId, id);
  const status = statusOf(old, work.now);
  if (status !== 'active') throw new Problem('conflict', `The key is ${status}; create a new one.`);
  if (old.replaced_by !== null)
    throw new Problem('conflict', `The key was rotated before; rotate its replacement: ${old.replaced_by}.`);
  const { tenant_id: tenantId, name } = old;
  const rights = { scopes: [...readScopes(old.scopes)], otherTenantIds: otherTenantsOf(old) };
  await requireRights(work, principal, rights);
  const same = { tenantId, name, environment: environmentOf(old), ...rights };
  const made = await createApiKey(work, { ...same, expiresAt: successorEnd(old, work.now) }, source);
  const expiresAt = overlapEnd(old, overlapHours, work.now);
  const diff = { before: { expiresAt: old.expires_at }, after: { expiresAt }, replacedById: made.id };
  await changeKey(work, source, old, { expires_at: expiresAt, replaced_by: made.id }, 'rotated', diff);
  return made;
}

/** The latest time with a four-digit year; times are compared as text. */
const endOfTime = Date.parse('9999-12-31T23:59:59.999Z');

/** When the replacement of a key expires: it has the lifetime that the old key had when it was created. */
export function successorEnd({ created_at, expires_at }: Pick<ApiKeyRow, 'created_at' | 'expires_at'>, now: string) {
  if (expires_at === null) return null;
  const lifetime = Date.parse(expires_at) - Date.parse(created_at);
  return new Date(Math.min(Date.parse(now) + lifetime, endOfTime)).toISOString();
}

/** When a replaced key expires: after the overlap, but not later than before. */
export function overlapEnd({ expires_at }: Pick<ApiKeyRow, 'expires_at'>, overlapHours: number, now: string): string {
  const end = addTime(now, overlapHours * 3_600_000);
  return expires_at !== null && expires_at < end ? expires_at : end;
}

/** Finds a key and locks its tenants. */
async function lockKey(work: UnitOfWork, tenantId: string, id: string, find = findKey): Promise<ApiKeyRow> {
  const seen = await find(work.transaction, tenantId, id);
  if (seen !== undefined) await work.lockTenant(seen.tenant_id, ...otherTenantsOf(seen));
  const key = seen && (await find(work.transaction, tenantId, id));
  if (key === undefined) throw notFound('API key');
  return key;
}

/** A caller can only give scopes and tenants that they have. @throws {Problem} `forbidden`. */
async function requireRights(
  work: UnitOfWork,
  principal: Principal,
  wanted: { readonly scopes: readonly Scope[]; readonly otherTenantIds: readonly string[] },
): Promise<void> {
  const lacking = wanted.scopes.filter((scope) => !principal.scopes.has(scope));
  if (lacking.length > 0)
    throw new Problem('forbidden', `You cannot create a key with scopes that you lack: ${lacking.join(', ')}.`);
  if (wanted.otherTenantIds.length === 0) return;
  const allowed = await listKeyTenants(work.transaction, principal);
  if (wanted.otherTenantIds.every((tenantId) => allowed.has(tenantId))) return;
  // The same message whether or not the tenant exists.
  throw new Problem('forbidden', 'A key can only act for other tenants in which you can create keys.');
}
