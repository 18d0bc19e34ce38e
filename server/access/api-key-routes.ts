import { z } from 'zod';
import { clientSource } from '../audit/source.ts';
import { listRoute } from '../http/list-route.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type PrincipalCall, type Route } from '../http/route.ts';
import { cursorPageOf, Id } from '../http/schemas.ts';
import { mapPage } from '../storage/page.ts';
import { addKey, type KeyManager, revokeKey, rotateKey, type ShownKey } from './api-key-changes.ts';
import { ApiKey, CreatedApiKey, KeyStatus, viewApiKey, WantedApiKey } from './api-key-view.ts';
import { findReachingKey, listKeys } from './managed-key-store.ts';
import type { AccessServices } from './services.ts';

const KeyParams = z.strictObject({ id: Id });

const Rotation = z
  .strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .meta({ description: 'How long the old key goes on working; 0 ends it at once.' }),
  })
  .meta({ id: 'ApiKeyRotation' })
  .prefault({});

/** The operations on API keys. */
export function apiKeyRoutes({ database, hasher }: AccessServices): readonly Route[] {
  const managerOf = ({ principal, client }: PrincipalCall): KeyManager => ({
    principal,
    sourceOf: clientSource(principal.actor, client, hasher),
  });
  const show = ({ key, row }: ShownKey, now: string) => ({ ...viewApiKey(row, row.tenant_id, now), key });
  return [
    listRoute({
      path: '/v1/api-keys',
      operationId: 'listApiKeys',
      tag: 'API keys',
      summary: 'List API keys, newest first',
      description: 'Those of the tenant, and those of other tenants that may act for it: `tenantId` tells them apart.',
      scope: 'keys:write',
      filters: { status: KeyStatus.optional() },
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(ApiKey),
      place: 'string',
      async find({ query: { status }, principal: { tenantId }, now }, { after, limit }) {
        const page = await listKeys(database.kysely, tenantId, { status, now }, after, limit);
        return mapPage(page, (row) => viewApiKey(row, tenantId, now));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/api-keys',
      operationId: 'createApiKey',
      tag: 'API keys',
      summary: 'Create an API key; it is shown once',
      description:
        'A key has no more rights than its maker: no scope that the caller lacks, no tenant in which the caller could not create it.',
      scope: 'keys:write',
      body: WantedApiKey,
      status: 201,
      result: CreatedApiKey,
      errors: ['forbidden'],
      showsSecret: true,
      change: async (call, work) => show(await addKey(work, managerOf(call), call.body), work.now),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/api-keys/{id}',
      operationId: 'getApiKey',
      tag: 'API keys',
      summary: 'Get an API key',
      scope: 'keys:write',
      params: KeyParams,
      status: 200,
      result: ApiKey,
      async handle({ params: { id }, principal: { tenantId }, now }) {
        const row = await findReachingKey(database.kysely, tenantId, id);
        if (row === undefined) throw notFound('API key');
        return viewApiKey(row, tenantId, now);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/api-keys/{id}',
      operationId: 'revokeApiKey',
      tag: 'API keys',
      summary: 'Revoke an API key: its next request fails, and so does that of each of its access tokens',
      description:
        'A key of another tenant goes on working there; it no longer acts for this one. Nothing happens when it was revoked before.',
      scope: 'keys:write',
      params: KeyParams,
      status: 200,
      result: ApiKey,
      async change(call, work) {
        const row = await revokeKey(work, managerOf(call), call.params.id);
        return viewApiKey(row, call.principal.tenantId, work.now);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/api-keys/{id}/rotate',
      operationId: 'rotateApiKey',
      tag: 'API keys',
      summary: 'Rotate an API key; the new key is shown once',
      description:
        'The new key has the name, scopes, environment and tenants of the old one. If the old one was made to end, the new one lives as long from now on. The old one ends after the overlap, never later than it would have ended anyway.',
      scope: 'keys:write',
      params: KeyParams,
      body: Rotation,
      status: 201,
      result: CreatedApiKey,
      errors: ['forbidden'],
      showsSecret: true,
      async change(call, work) {
        const made = await rotateKey(work, managerOf(call), call.params.id, call.body.overlapHours);
        return show(made, work.now);
      },
    }),
  ];
}
