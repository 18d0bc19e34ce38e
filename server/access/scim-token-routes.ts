import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { requireRoleToGive } from '../http/authorize.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Id, UtcTime } from '../http/schemas.ts';
import { findScimToken, revokeScimToken, rotateScimToken, type ScimTokenRow } from './scim-token-store.ts';
import type { AccessServices } from './services.ts';

const fields = {
  id: Id,
  displayPrefix: z.string().meta({ description: 'The first characters of the token, to tell tokens apart.' }),
  createdAt: UtcTime,
  lastUsedAt: UtcTime.nullable().meta({ description: 'A few seconds old at most.' }),
};

const ScimToken = z.strictObject(fields).meta({ id: 'ScimToken' });
const CreatedScimToken = z
  .strictObject({ ...fields, token: z.string().meta({ description: 'The token itself: shown this once.' }) })
  .meta({ id: 'CreatedScimToken' });

/** The operations on the SCIM token of a tenant (spec.md "Authentication", 4). */
export function scimTokenRoutes({ database, hasher }: AccessServices): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/scim-token',
      operationId: 'getScimToken',
      tag: 'SCIM token',
      summary: 'Get the SCIM token of the tenant, without its value',
      scope: 'keys:write',
      status: 200,
      result: ScimToken,
      handle: async ({ principal }) => view(await findScimToken(database.kysely, principal.tenantId)),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/scim-token',
      operationId: 'createScimToken',
      tag: 'SCIM token',
      summary: 'Create the SCIM token of the tenant; it is shown once',
      description:
        'The token before it ends in the same moment. Whoever has a token gives any role, so that the caller needs every scope of an administrator.',
      scope: 'keys:write',
      status: 201,
      result: CreatedScimToken,
      errors: ['forbidden'],
      showsSecret: true,
      async change(call, work) {
        requireRoleToGive(call.principal, 'admin');
        const { row, token } = await rotateScimToken(work, callSource(call, hasher));
        return { ...view(row), token };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/scim-token',
      operationId: 'revokeScimToken',
      tag: 'SCIM token',
      summary: 'Revoke the SCIM token of the tenant',
      scope: 'keys:write',
      status: 200,
      result: ScimToken,
      change: async (call, work) => view(await revokeScimToken(work, callSource(call, hasher))),
    }),
  ];
}

/** @throws {Problem} `not_found` where the tenant has none. */
function view(row: ScimTokenRow | undefined): z.output<typeof ScimToken> {
  if (row === undefined) throw notFound('SCIM token');
  const { id, display_prefix, created_at, last_used_at } = row;
  return { id, displayPrefix: display_prefix, createdAt: created_at, lastUsedAt: last_used_at };
}
