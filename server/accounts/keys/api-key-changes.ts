import type { AuditSource, Principal } from '../../http/principal.ts';
import { Problem, requireFound } from '../../http/problem.ts';
import { readScopes, type Scope } from '../../http/roles.ts';
import type { PrincipalCall } from '../../http/route.ts';
import { apiKeyRows } from '../../ledger/audit/rows.ts';
import { recordChange, recordRemoval, type SourceOf } from '../../ledger/audit/store.ts';
import type { Transaction } from '../../storage/database.ts';
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
export async function revokeKey(tx: Transaction, tenantId: string, sourceOf: SourceOf, id: string): Promise<ApiKeyRow> {
  const key = await lockKey(tx, tenantId, id, findReachingKey);
  if (key.revoked_at !== null) return key;
  const isOwn = key.tenant_id === tenantId;
  const before = otherTenantsOf(key);
  const after = before.filter((other) => other !== tenantId);
  const columns = isOwn ? { revoked_at: tx.now } : { tenant_ids: writeOtherTenants(after) };
  const row = await updateRow(tx.queries, 'api_keys', { tenant_id: key.tenant_id, id }, columns);
  const change = isOwn
    ? { verb: 'revoked', diff: { revokedAt: tx.now } }
    : { verb: 'unshared', diff: { before: { otherTenantIds: before }, after: { otherTenantIds: after } } };
  await recordChange(tx, sourceOf(key.tenant_id), apiKeyRows, row, { ...change, targetRef: key.name });
  await recordSharing(tx, sourceOf, row, 'unshared', isOwn ? before : [tenantId]);
  return row;
}

/** Deletes a key whose seal does not hold: revoking it would make its other columns valid. */
export async function deleteKey(tx: Transaction, source: AuditSource, id: string): Promise<void> {
  await deleteKeyRow(tx.queries, source.tenantId, id);
  await recordRemoval(tx, source, apiKeyRows, id, { targetRef: null });
}

/**
 * Creates a key with the rights of an old one, which works until the overlap ends. The caller reads the new key, so they
 * need its rights.
 * @throws {Problem} `not_found`, `conflict`, `forbidden`.
 */
export async function rotateKey(
  tx: Transaction,
  { principal, source }: PrincipalCall,
  id: string,
  overlapHours: number,
): ReturnType<typeof createApiKey> {
  const old = await lockKey(tx, principal.tenantId, id);
  const status = statusOf(old, tx.now);
  if (status !== 'active') throw new Problem('conflict', `The key is ${status}; create a new one.`);
  if (old.replaced_by !== null)
    throw new Problem('conflict', `The key was rotated before; rotate its replacement: ${old.replaced_by}.`);
  const { tenant_id: tenantId, name } = old;
  const rights = { scopes: [...readScopes(old.scopes)], otherTenantIds: otherTenantsOf(old) };
  await requireRights(tx, principal, rights);
  const endingKeyId = overlapHours === 0 ? id : undefined;
  const same = { tenantId, name, environment: environmentOf(old), ...rights, endingKeyId };
  const made = await createApiKey(tx, { ...same, expiresAt: successorEnd(old, tx.now) }, source);
  const expiresAt = expiryAfter(old, overlapHours, tx.now);
  const diff = { before: { expiresAt: old.expires_at }, after: { expiresAt }, replacedById: made.row.id };
  const columns = { expires_at: expiresAt, replaced_by: made.row.id };
  const row = await updateRow(tx.queries, 'api_keys', { tenant_id: tenantId, id }, columns);
  await recordChange(tx, source(tenantId), apiKeyRows, row, { verb: 'rotated', targetRef: name, diff });
  return made;
}

async function lockKey(tx: Transaction, tenantId: string, id: string, find = findKey): Promise<ApiKeyRow> {
  const seen = await find(tx.queries, tenantId, id);
  if (seen !== undefined) await tx.lockTenant(seen.tenant_id, ...otherTenantsOf(seen));
  return requireFound(seen && (await find(tx.queries, tenantId, id)), 'API key');
}

/** A caller can only give scopes and tenants that they have. @throws {Problem} `forbidden`. */
export async function requireRights(
  tx: Transaction,
  principal: Principal,
  wanted: { readonly scopes: readonly Scope[]; readonly otherTenantIds: readonly string[] },
): Promise<void> {
  const lacking = wanted.scopes.filter((scope) => !principal.scopes.has(scope));
  if (lacking.length > 0)
    throw new Problem('forbidden', `You cannot create a key with scopes that you lack: ${lacking.join(', ')}.`);
  if (wanted.otherTenantIds.length === 0) return;
  const allowed = await listKeyTenants(tx.queries, principal);
  if (wanted.otherTenantIds.every((tenantId) => allowed.has(tenantId))) return;
  // The same message whether or not the tenant exists.
  throw new Problem('forbidden', 'A key can only act for other tenants in which you can create keys.');
}
