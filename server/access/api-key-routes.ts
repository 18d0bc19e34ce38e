import { z } from 'zod';
import { recordChange } from '../audit/row-state.ts';
import { invalidValues, Problem, requireFound } from '../http/problem.ts';
import { defineRoute, listRoute, type PrincipalCall, type Route } from '../http/route.ts';
import { cursorPageOf, Id } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import type { Principal } from '../principal/principal.ts';
import { readScopes, type Scope } from '../principal/roles.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { mapPage, updateRow } from '../storage/rows.ts';
import {
  ApiKey,
  type ApiKeyRow,
  CreatedApiKey,
  environmentOf,
  KeyStatus,
  otherTenantsOf,
  overlapEnd,
  statusOf,
  successorEnd,
  viewApiKey,
  WantedApiKey,
  writeOtherTenants,
} from './api-key.ts';
import {
  apiKeyRows,
  createApiKey,
  findKey,
  findReachingKey,
  listKeys,
  listKeyTenants,
  recordSharing,
} from './api-key-store.ts';

const KeyParams = z.strictObject({ id: Id });

const Rotation = z
  .strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .meta({ description: 'How long the old key keeps working; 0 revokes it at once.' }),
  })
  .meta({ id: 'ApiKeyRotation' })
  .prefault({});

/** The operations on API keys. */
export function apiKeyRoutes({ database }: Pick<Installation, 'database'>): readonly Route[] {
  const show = ({ key, row }: { readonly key: string; readonly row: ApiKeyRow }, now: string) => ({
    ...viewApiKey(row, row.tenant_id, now),
    key,
  });
  const common = { tag: 'API keys', scope: 'keys:write' } as const;
  const creating = { ...common, status: 201, result: CreatedApiKey, errors: ['forbidden'], showsSecret: true } as const;
  return [
    listRoute('/v1/api-keys', {
      ...common,
      operationId: 'listApiKeys',
      summary: 'List API keys, newest first',
      description:
        'The keys of the tenant, and shared keys of other tenants that can act for it; `tenantId` distinguishes them.',
      filters: { status: KeyStatus.optional() },
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(ApiKey),
      place: 'string',
      async find({ query: { status }, principal: { tenantId }, now }, { after, limit }) {
        const page = await listKeys(database.kysely, tenantId, { status, now }, after, limit);
        return mapPage(page, (row) => viewApiKey(row, tenantId, now));
      },
    }),
    defineRoute('POST /v1/api-keys', {
      ...creating,
      operationId: 'createApiKey',
      summary: 'Create an API key; it is shown only once',
      description:
        'A key has at most the rights of the caller: no scope that the caller lacks, no tenant in which the caller cannot create keys.',
      body: WantedApiKey,
      async change({ principal, source, body }, work) {
        const { tenantId } = principal;
        if (body.expiresAt !== null && body.expiresAt <= work.now)
          throw invalidValues([{ path: 'body.expiresAt', issue: 'must be in the future' }]);
        if (body.otherTenantIds.includes(tenantId))
          throw invalidValues([{ path: 'body.otherTenantIds', issue: 'must not name the tenant of the key itself' }]);
        await requireRights(work, principal, body);
        return show(await createApiKey(work, { tenantId, ...body }, source), work.now);
      },
    }),
    defineRoute('GET /v1/api-keys/{id}', {
      ...common,
      operationId: 'getApiKey',
      summary: 'Get an API key',
      params: KeyParams,
      result: ApiKey,
      async handle({ params: { id }, principal: { tenantId }, now }) {
        const row = await findReachingKey(database.kysely, tenantId, id);
        return viewApiKey(requireFound(row, 'API key'), tenantId, now);
      },
    }),
    defineRoute('DELETE /v1/api-keys/{id}', {
      ...common,
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key and its access tokens: their next requests fail',
      description:
        'A shared key of another tenant keeps working there and can no longer act for this one. Does nothing when the key was revoked before.',
      params: KeyParams,
      result: ApiKey,
      change: async (call, work) =>
        viewApiKey(await revokeKey(work, call, call.params.id), call.principal.tenantId, work.now),
    }),
    defineRoute('POST /v1/api-keys/{id}/rotate', {
      ...creating,
      operationId: 'rotateApiKey',
      summary: 'Rotate an API key; the new key is shown only once',
      description:
        'The new key has the name, scopes, environment and tenants of the old one, and the same lifetime from now on. The old one expires after the overlap, but not later than before.',
      params: KeyParams,
      body: Rotation,
      change: async (call, work) => show(await rotateKey(work, call, call.params.id, call.body.overlapHours), work.now),
    }),
  ];
}

/**
 * Revokes a key. A shared key of another tenant keeps working there and can no longer act for the caller's tenant. Does
 * nothing when the key was revoked before.
 * @throws {Problem} `not_found`.
 */
async function revokeKey(work: UnitOfWork, { principal, source }: PrincipalCall, id: string): Promise<ApiKeyRow> {
  const { tenantId } = principal;
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
  await recordChange(work, source(key.tenant_id), apiKeyRows, row, { ...change, targetRef: key.name });
  await recordSharing(work, source, row, 'unshared', isOwn ? before : [tenantId]);
  return row;
}

/**
 * Replaces a key by a new one with the same rights; the old one works until the overlap ends. The caller reads the new
 * key, so they need its rights as for creating it.
 * @throws {Problem} `not_found`, `conflict`, `forbidden`.
 */
async function rotateKey(
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
  const diff = { before: { expiresAt: old.expires_at }, after: { expiresAt }, replacedById: made.row.id };
  const columns = { expires_at: expiresAt, replaced_by: made.row.id };
  const row = await updateRow(work.transaction, 'api_keys', { tenant_id: tenantId, id }, columns);
  await recordChange(work, source(tenantId), apiKeyRows, row, { verb: 'rotated', targetRef: name, diff });
  return made;
}

/** Finds a key and locks its tenants. */
async function lockKey(work: UnitOfWork, tenantId: string, id: string, find = findKey): Promise<ApiKeyRow> {
  const seen = await find(work.transaction, tenantId, id);
  if (seen !== undefined) await work.lockTenant(seen.tenant_id, ...otherTenantsOf(seen));
  return requireFound(seen && (await find(work.transaction, tenantId, id)), 'API key');
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
