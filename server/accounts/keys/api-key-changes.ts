import type { AuditSource, Principal } from '../../http/principal.ts';
import { Problem, requireFound } from '../../http/problem.ts';
import { readScopes, type Scope } from '../../http/roles.ts';
import type { PrincipalCall } from '../../http/route.ts';
import { apiKeyRows } from '../../ledger/audit/rows.ts';
import { recordChange, recordRemoval, type SourceOf } from '../../ledger/audit/store.ts';
import type { UnitOfWork } from '../../storage/database.ts';
import { updateRow } from '../../storage/rows.ts';
import { otherTenantsOf } from '../credentials.ts';
import { type ApiKeyRow, environmentOf, expiryAfter, statusOf, successorEnd, writeOtherTenants } from './api-key.ts';
import {
  createApiKey,
  deleteKeyRow,
  findKey,
  findReachingKey,
  listKeyTenants,
  recordSharing,
} from './api-key-store.ts';

/**
 * Revokes a key, unless it is revoked already, or ends the sharing of another tenant's key with this one.
 * @throws {Problem} `not_found`.
 */
export async function revokeKey(
  work: UnitOfWork,
  tenantId: string,
  sourceOf: SourceOf,
  id: string,
): Promise<ApiKeyRow> {
  const key = await lockKey(work, tenantId, id, findReachingKey);
  if (key.revoked_at !== null) return key;
  const isOwn = key.tenant_id === tenantId;
  const before = otherTenantsOf(key);
  const after = before.filter((other) => other !== tenantId);
  const columns = isOwn ? { revoked_at: work.now } : { tenant_ids: writeOtherTenants(after) };
  const row = await updateRow(work.transaction, 'api_keys', { tenant_id: key.tenant_id, id }, columns);
  const change = isOwn
    ? { verb: 'revoked', diff: { revokedAt: work.now } }
    : { verb: 'unshared', diff: { before: { otherTenantIds: before }, after: { otherTenantIds: after } } };
  await recordChange(work, sourceOf(key.tenant_id), apiKeyRows, row, { ...change, targetRef: key.name });
  await recordSharing(work, sourceOf, row, 'unshared', isOwn ? before : [tenantId]);
  return row;
}

/** Deletes a key whose seal does not hold: revoking it would make its other columns valid. */
export async function deleteKey(work: UnitOfWork, source: AuditSource, id: string): Promise<void> {
  await deleteKeyRow(work.transaction, source.tenantId, id);
  await recordRemoval(work, source, apiKeyRows, id, { targetRef: null });
}

/**
 * Creates a key with the rights of an old one, which works until the overlap ends. The caller reads the new key, so they
 * need its rights.
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
  const endingKeyId = overlapHours === 0 ? id : undefined;
  const same = { tenantId, name, environment: environmentOf(old), ...rights, endingKeyId };
  const made = await createApiKey(work, { ...same, expiresAt: successorEnd(old, work.now) }, source);
  const expiresAt = expiryAfter(old, overlapHours, work.now);
  const diff = { before: { expiresAt: old.expires_at }, after: { expiresAt }, replacedById: made.row.id };
  const columns = { expires_at: expiresAt, replaced_by: made.row.id };
  const row = await updateRow(work.transaction, 'api_keys', { tenant_id: tenantId, id }, columns);
  await recordChange(work, source(tenantId), apiKeyRows, row, { verb: 'rotated', targetRef: name, diff });
  return made;
}

async function lockKey(work: UnitOfWork, tenantId: string, id: string, find = findKey): Promise<ApiKeyRow> {
  const seen = await find(work.transaction, tenantId, id);
  if (seen !== undefined) await work.lockTenant(seen.tenant_id, ...otherTenantsOf(seen));
  return requireFound(seen && (await find(work.transaction, tenantId, id)), 'API key');
}

/** A caller can only give scopes and tenants that they have. @throws {Problem} `forbidden`. */
export async function requireRights(
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
