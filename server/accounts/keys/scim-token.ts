import type { Selectable } from 'kysely';
import { z } from 'zod';
import { requireRoleToGive } from '../../http/authorize.ts';
import type { AuditSource } from '../../http/principal.ts';
import { requireFound } from '../../http/problem.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { Id, namedObject, UtcTime, viewRow } from '../../http/schemas.ts';
import type { Installation } from '../../installation/installation.ts';
import { displayPrefix, generateToken, hashToken } from '../../installation/token.ts';
import { scimTokenRows } from '../../ledger/audit/rows.ts';
import { recordChange } from '../../ledger/audit/store.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, insertRow, newId, updateRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import { scimTokenPrefix } from '../credentials.ts';

const ScimToken = namedObject('ScimToken', {
  id: Id,
  displayPrefix: z.string().meta({ description: 'The first characters of the token, to identify it.' }),
  createdAt: UtcTime,
  lastUsedAt: UtcTime.nullable().meta({ description: 'Written every few seconds.' }),
});
const CreatedScimToken = ScimToken.extend({
  token: z.string().meta({ description: 'The token itself, shown only once.' }),
}).meta({ id: 'CreatedScimToken' });

type ScimTokenRow = Selectable<Tables['scim_tokens']>;

/** Creates the SCIM token of a tenant and revokes the earlier one. @returns the token: the only time that it can be read. */
export async function rotateScimToken(tx: Transaction, source: AuditSource) {
  await revokeScimToken(tx, source);
  const token = generateToken(scimTokenPrefix);
  const row = await insertRow(tx.queries, 'scim_tokens', {
    id: newId(),
    tenant_id: source.tenantId,
    hash: hashToken(token),
    display_prefix: displayPrefix(scimTokenPrefix, token),
    created_at: tx.now,
  });
  await recordChange(tx, source, scimTokenRows, row, { verb: 'created', targetRef: row.display_prefix });
  return { row, token };
}

/** Revokes the SCIM token of a tenant. @returns undefined where there was none. */
export async function revokeScimToken(tx: Transaction, source: AuditSource): Promise<ScimTokenRow | undefined> {
  const { tenantId } = source;
  // Of two concurrent rotations, the second waits here and revokes the token of the first.
  await tx.lockTenant(tenantId);
  const present = await findScimToken(tx.queries, tenantId);
  if (present === undefined) return undefined;
  const which = { tenant_id: tenantId, id: present.id };
  const row = await updateRow(tx.queries, 'scim_tokens', which, { revoked_at: tx.now });
  await recordChange(tx, source, scimTokenRows, row, { verb: 'revoked', targetRef: row.display_prefix });
  return row;
}

export function findScimToken(queries: Queries, tenantId: string): Promise<ScimTokenRow | undefined> {
  return findRow(queries, 'scim_tokens', { tenant_id: tenantId, revoked_at: null });
}

/** @throws {Problem} `not_found` where the tenant has no token. */
function view(row: ScimTokenRow | undefined): z.output<typeof ScimToken> {
  return viewRow(ScimToken, requireFound(row, 'SCIM token'), {});
}

/** The operations on the SCIM token of a tenant (spec.md "Authentication", 4). */
export function scimTokenRoutes({ database }: Installation): readonly Route[] {
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
      async write(call, tx) {
        requireRoleToGive(call.principal, 'admin');
        const { row, token } = await rotateScimToken(tx, call.source());
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
      write: async (call, tx) => view(await revokeScimToken(tx, call.source())),
    }),
  ];
}
