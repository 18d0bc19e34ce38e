import { z } from 'zod';
import { requireRoleToGive } from '../../http/authorize.ts';
import { requireFound } from '../../http/problem.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { Id, namedObject, UtcTime, viewRow } from '../../http/schemas.ts';
import type { Installation } from '../../installation/installation.ts';
import { findScimToken, revokeScimToken, rotateScimToken, type ScimTokenRow } from './scim-token-store.ts';

const ScimToken = namedObject('ScimToken', {
  id: Id,
  displayPrefix: z.string().meta({ description: 'The first characters of the token, to identify it.' }),
  createdAt: UtcTime,
  lastUsedAt: UtcTime.nullable().meta({ description: 'Written every few seconds.' }),
});
const CreatedScimToken = ScimToken.extend({
  token: z.string().meta({ description: 'The token itself, shown only once.' }),
}).meta({ id: 'CreatedScimToken' });

/** @throws {Problem} `not_found` where the tenant has no token. */
function view(row: ScimTokenRow | undefined): z.output<typeof ScimToken> {
  return viewRow(ScimToken, requireFound(row, 'SCIM token'), {});
}

/** The operations on the SCIM token of a tenant (spec.md "Authentication", 4). */
export function scimTokenRoutes({ database }: Pick<Installation, 'database'>): readonly Route[] {
  const common = { tag: 'SCIM token', scope: 'keys:write' } as const;
  return [
    defineRoute('GET /v1/scim-token', {
      tag: 'SCIM token',
      scope: 'keys:read',
      operationId: 'getScimToken',
      sdkMethod: 'scimToken.retrieve',
      summary: 'Get the SCIM token of the tenant, without its value',
      description: 'Answers 404 if the tenant has none.',
      result: ScimToken,
      handle: async ({ principal }) => view(await findScimToken(database.kysely, principal.tenantId)),
    }),
    defineRoute('POST /v1/scim-token', {
      ...common,
      operationId: 'createScimToken',
      sdkMethod: 'scimToken.create',
      summary: 'Create the SCIM token of the tenant; it is shown only once',
      description:
        'Revokes the earlier token. A SCIM token can give any role, so the caller needs every scope of an administrator.',
      status: 201,
      result: CreatedScimToken,
      showsSecret: true,
      async change(call, work) {
        requireRoleToGive(call.principal, 'admin');
        const { row, token } = await rotateScimToken(work, call.source());
        return { ...view(row), token };
      },
    }),
    defineRoute('DELETE /v1/scim-token', {
      ...common,
      operationId: 'revokeScimToken',
      sdkMethod: 'scimToken.revoke',
      summary: 'Revoke the SCIM token of the tenant',
      description: 'Answers 404 if the tenant has none.',
      result: ScimToken,
      change: async (call, work) => view(await revokeScimToken(work, call.source())),
    }),
  ];
}
