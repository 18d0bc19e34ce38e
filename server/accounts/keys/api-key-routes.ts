import { z } from 'zod';
import { invalidValues, requireFound } from '../../http/problem.ts';
import { defineRoute, listRoute, type Route } from '../../http/route.ts';
import { cursorPageOf, Id, namedObject } from '../../http/schemas.ts';
import type { Installation } from '../../installation/installation.ts';
import { mapPage } from '../../storage/rows.ts';
import { ApiKey, type ApiKeyRow, CreatedApiKey, KeyStatus, viewApiKey, WantedApiKey } from './api-key.ts';
import { requireRights, revokeKey, rotateKey } from './api-key-changes.ts';
import { createApiKey, findReachingKey, listKeys, mostKeys } from './api-key-store.ts';

const KeyParams = z.strictObject({ id: Id });

const Rotation = namedObject('ApiKeyRotation', {
  overlapHours: z
    .int()
    .min(0)
    .max(168)
    .default(24)
    .meta({ description: 'How long the old key keeps working; 0 revokes it at once.' }),
}).prefault({});

export function apiKeyRoutes({ database }: Installation): readonly Route[] {
  const show = ({ key, row }: { readonly key: string; readonly row: ApiKeyRow }, now: string) => ({
    ...viewApiKey(row, row.tenant_id, now),
    key,
  });
  const common = { tag: 'API keys', scope: 'keys:write' } as const;
  const reading = { tag: 'API keys', scope: 'keys:read' } as const;
  const creating = { ...common, status: 201, result: CreatedApiKey, showsSecret: true } as const;
  return [
    listRoute('/v1/api-keys', {
      ...reading,
      operationId: 'listApiKeys',
      sdkMethod: 'apiKeys.list',
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
      sdkMethod: 'apiKeys.create',
      summary: 'Create an API key; it is shown only once',
      description: `A key has at most the rights of the caller: no scope that the caller lacks, no tenant in which the caller cannot create keys. A tenant has at most ${mostKeys} keys that are neither expired nor revoked.`,
      body: WantedApiKey,
      async write({ principal, source, body }, tx) {
        const { tenantId } = principal;
        if (body.expiresAt !== null && body.expiresAt <= tx.now)
          throw invalidValues([{ path: 'body.expiresAt', issue: 'must be in the future' }]);
        if (body.otherTenantIds.includes(tenantId))
          throw invalidValues([{ path: 'body.otherTenantIds', issue: 'must not name the tenant of the key itself' }]);
        await requireRights(tx, principal, body);
        return show(await createApiKey(tx, { tenantId, ...body }, source), tx.now);
      },
    }),
    defineRoute('GET /v1/api-keys/{id}', {
      ...reading,
      operationId: 'getApiKey',
      sdkMethod: 'apiKeys.retrieve',
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
      sdkMethod: 'apiKeys.revoke',
      summary: 'Revoke an API key and its access tokens: their next requests fail',
      description:
        'A shared key of another tenant keeps working there and can no longer act for this one. Does nothing when the key was revoked before.',
      params: KeyParams,
      result: ApiKey,
      async write({ principal: { tenantId }, source, params }, tx) {
        return viewApiKey(await revokeKey(tx, tenantId, source, params.id), tenantId, tx.now);
      },
    }),
    defineRoute('POST /v1/api-keys/{id}/rotate', {
      ...creating,
      operationId: 'rotateApiKey',
      sdkMethod: 'apiKeys.rotate',
      summary: 'Rotate an API key; the new key is shown only once',
      description:
        'The new key has the name, scopes, environment and tenants of the old one, and the same lifetime from now on. The old one expires after the overlap, but not later than before. Answers 409 `conflict` for a key that was rotated, revoked or has expired, and 403 `forbidden` for one with a scope that the caller lacks.',
      params: KeyParams,
      body: Rotation,
      write: async (call, tx) => show(await rotateKey(tx, call, call.params.id, call.body.overlapHours), tx.now),
    }),
  ];
}
