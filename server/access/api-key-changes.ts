import type { z } from 'zod';
import { recordChange } from '../audit/row-state.ts';
import type { SourceOf } from '../audit/source.ts';
import { invalidValues, notFound, Problem } from '../http/problem.ts';
import type { Principal } from '../principal/principal.ts';
import { readScopes, type Scope } from '../principal/scopes.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import {
  type ApiKeyRow,
  apiKeyRows,
  createApiKey,
  lockKeyTenants,
  otherTenantsOf,
  tellOtherTenants,
  writeOtherTenants,
} from './api-key-store.ts';
import { environmentOf, statusOf, type WantedApiKey } from './api-key-view.ts';
import { overlapEnd, successorEnd } from './key-rotation.ts';
import { findKey, findReachingKey, listKeyTenants, updateKey } from './managed-key-store.ts';

/** Who manages keys, and how the audit logs tell of them. */
export interface KeyManager {
  readonly principal: Principal;
  readonly sourceOf: SourceOf;
}

/** A key with its text, which can be seen at this moment alone. */
export interface ShownKey {
  readonly key: string;
  readonly row: ApiKeyRow;
}

/** Makes a key in the tenant that the caller acts for, with no more rights than the caller has. */
export async function addKey(
  work: UnitOfWork,
  { principal, sourceOf }: KeyManager,
  wanted: z.output<typeof WantedApiKey>,
): Promise<ShownKey> {
  const { tenantId } = principal;
  if (wanted.expiresAt !== null && wanted.expiresAt <= work.now)
    throw invalidValues([{ path: 'body.expiresAt', issue: 'must be in the future' }]);
  if (wanted.otherTenantIds.includes(tenantId))
    throw invalidValues([{ path: 'body.otherTenantIds', issue: 'must not name the tenant of the key itself' }]);
  await requireRights(work, principal, wanted);
  return createApiKey(work, { tenantId, ...wanted }, sourceOf);
}

/**
 * Ends a key at once; one of another tenant goes on there, and no longer acts for the tenant of the caller. Nothing
 * happens when it was revoked before.
 */
export async function revokeKey(work: UnitOfWork, manager: KeyManager, id: string): Promise<ApiKeyRow> {
  const { principal, sourceOf } = manager;
  const key = await lockKey(work, principal.tenantId, id, findReachingKey);
  if (key.revoked_at !== null) return key;
  if (key.tenant_id !== principal.tenantId) return unshareKey(work, manager, key);
  const row = await updateKey(work, key, { revoked_at: work.now });
  const change = { verb: 'revoked', targetRef: key.name, diff: { revokedAt: work.now } };
  await recordChange(work, sourceOf(key.tenant_id), apiKeyRows, row, change);
  await tellOtherTenants(work, sourceOf, row, 'unshared');
  return row;
}

/** Takes the tenant of the caller out of a key of another tenant, and tells both. */
async function unshareKey(
  work: UnitOfWork,
  { principal: { tenantId }, sourceOf }: KeyManager,
  key: ApiKeyRow,
): Promise<ApiKeyRow> {
  const before = otherTenantsOf(key);
  const after = before.filter((other) => other !== tenantId);
  const row = await updateKey(work, key, { tenant_ids: writeOtherTenants(after) });
  await recordChange(work, sourceOf(key.tenant_id), apiKeyRows, row, {
    verb: 'unshared',
    targetRef: key.name,
    diff: { before: { otherTenantIds: before }, after: { otherTenantIds: after } },
  });
  await tellOtherTenants(work, sourceOf, row, 'unshared', [tenantId]);
  return row;
}

/**
 * Makes a key in place of another, with the same rights; the old one goes on working for the overlap. Who rotates gets
 * to see the new one, so they need its rights as if they made it.
 */
export async function rotateKey(
  work: UnitOfWork,
  { principal, sourceOf }: KeyManager,
  id: string,
  overlapHours: number,
): Promise<ShownKey> {
  const old = await lockKey(work, principal.tenantId, id);
  const status = statusOf(old, work.now);
  if (status !== 'active') throw new Problem('conflict', `The key is ${status}; create a new one.`);
  if (old.replaced_by !== null)
    throw new Problem('conflict', `The key was rotated before; rotate the one in its place: ${old.replaced_by}.`);
  const rights = { scopes: [...readScopes(old.scopes)], otherTenantIds: otherTenantsOf(old) };
  await requireRights(work, principal, rights);
  const made = await createApiKey(
    work,
    {
      tenantId: old.tenant_id,
      name: old.name,
      environment: environmentOf(old),
      expiresAt: successorEnd(old, work.now),
      ...rights,
    },
    sourceOf,
  );
  const expiresAt = overlapEnd(old, overlapHours, work.now);
  const row = await updateKey(work, old, { expires_at: expiresAt, replaced_by: made.id });
  await recordChange(work, sourceOf(old.tenant_id), apiKeyRows, row, {
    verb: 'rotated',
    targetRef: old.name,
    diff: { before: { expiresAt: old.expires_at }, after: { expiresAt }, replacedById: made.id },
  });
  return made;
}

/** Finds a key that nobody else changes until the unit of work ends. */
async function lockKey(work: UnitOfWork, tenantId: string, id: string, find = findKey): Promise<ApiKeyRow> {
  const seen = await find(work.transaction, tenantId, id);
  if (seen !== undefined) await lockKeyTenants(work, seen);
  const key = seen && (await find(work.transaction, tenantId, id));
  if (key === undefined) throw notFound('API key');
  return key;
}

/** Nobody gives away what they do not have. @throws {Problem} `forbidden`. */
async function requireRights(
  work: UnitOfWork,
  principal: Principal,
  wanted: { readonly scopes: readonly Scope[]; readonly otherTenantIds: readonly string[] },
): Promise<void> {
  const lacking = wanted.scopes.filter((scope) => !principal.scopes.has(scope));
  if (lacking.length > 0)
    throw new Problem('forbidden', `You cannot give scopes to a key that you lack yourself: ${lacking.join(', ')}.`);
  if (wanted.otherTenantIds.length === 0) return;
  const allowed = await listKeyTenants(work.transaction, principal);
  if (wanted.otherTenantIds.every((tenantId) => allowed.has(tenantId))) return;
  // The same words whether or not there is such a tenant.
  throw new Problem('forbidden', 'A key may only act for other tenants in which you may create keys yourself.');
}
