import type { Selectable } from 'kysely';
import { z } from 'zod';
import { describeRows, recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { requireRoleToGive } from '../http/authorize.ts';
import { requireFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Id, UtcTime, viewRow } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { displayPrefix, generateToken, hashToken, isToken } from '../installation/token.ts';
import type { Principal } from '../principal/principal.ts';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { findRow, insertRow, newId, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { selectCredential } from './api-key-store.ts';

const prefix = 'scim_';

export const scimTokenRows = describeRows('scim_tokens', 'access', 'scim_token', { counters: ['last_used_at'] });

export type ScimTokenRow = Selectable<Tables['scim_tokens']>;

/** Creates the SCIM token of a tenant and revokes the earlier one. @returns the token: the only time that it can be read. */
export async function rotateScimToken(work: UnitOfWork, source: AuditSource) {
  await revokeScimToken(work, source);
  const token = generateToken(prefix);
  const row = await insertRow(work.transaction, 'scim_tokens', {
    id: newId(),
    tenant_id: source.tenantId,
    hash: hashToken(token),
    display_prefix: displayPrefix(prefix, token),
    created_at: work.now,
  });
  await recordChange(work, source, scimTokenRows, row, { verb: 'created', targetRef: row.display_prefix });
  return { row, token };
}

/** Revokes the SCIM token of a tenant. @returns undefined where there was none. */
async function revokeScimToken(work: UnitOfWork, source: AuditSource): Promise<ScimTokenRow | undefined> {
  const { tenantId } = source;
  // Of two concurrent rotations, the second waits here and revokes the token of the first.
  await work.lockTenant(tenantId);
  const present = await findScimToken(work.transaction, tenantId);
  if (present === undefined) return undefined;
  const which = { tenant_id: tenantId, id: present.id };
  const row = await updateRow(work.transaction, 'scim_tokens', which, { revoked_at: work.now });
  await recordChange(work, source, scimTokenRows, row, { verb: 'revoked', targetRef: row.display_prefix });
  return row;
}

function findScimToken(queries: Queries, tenantId: string): Promise<ScimTokenRow | undefined> {
  return findRow(queries, 'scim_tokens', { tenant_id: tenantId, revoked_at: null });
}

/** Finds the principal of a SCIM token; undefined for an unknown or revoked one. */
export async function findScimTokenHolder(queries: Queries, token: string): Promise<Principal | undefined> {
  if (!isToken(prefix, token)) return undefined;
  const [row] = await selectToken(queries, { value: hashToken(token) });
  if (row === undefined || row.revoked_at !== null) return undefined;
  return {
    tenantId: row.tenant_id,
    actor: { type: 'api_key', id: row.id, email: null },
    scopes: new Set(),
    apiVersion: row.api_version,
    credential: { kind: 'scim_token', id: row.id },
    otherTenantIds: [],
  };
}

const selectToken = selectCredential('scim_tokens', ['id', 'tenant_id', 'revoked_at'], 'hash');

const fields = {
  id: Id,
  displayPrefix: z.string().meta({ description: 'The first characters of the token, to identify it.' }),
  createdAt: UtcTime,
  lastUsedAt: UtcTime.nullable().meta({ description: 'Written every few seconds.' }),
};

const ScimToken = z.strictObject(fields).meta({ id: 'ScimToken' });
const CreatedScimToken = z
  .strictObject({ ...fields, token: z.string().meta({ description: 'The token itself, shown only once.' }) })
  .meta({ id: 'CreatedScimToken' });

/** @throws {Problem} `not_found` where the tenant has no token. */
function view(row: ScimTokenRow | undefined): z.output<typeof ScimToken> {
  return viewRow(ScimToken, requireFound(row, 'SCIM token'), {});
}

/** The operations on the SCIM token of a tenant (spec.md "Authentication", 4). */
export function scimTokenRoutes({ database }: Pick<Installation, 'database'>): readonly Route[] {
  const common = { tag: 'SCIM token', scope: 'keys:write' } as const;
  return [
    defineRoute('GET /v1/scim-token', {
      ...common,
      operationId: 'getScimToken',
      summary: 'Get the SCIM token of the tenant, without its value',
      result: ScimToken,
      handle: async ({ principal }) => view(await findScimToken(database.kysely, principal.tenantId)),
    }),
    defineRoute('POST /v1/scim-token', {
      ...common,
      operationId: 'createScimToken',
      summary: 'Create the SCIM token of the tenant; it is shown only once',
      description:
        'Revokes the earlier token. A SCIM token can give any role, so the caller needs every scope of an administrator.',
      status: 201,
      result: CreatedScimToken,
      errors: ['forbidden'],
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
      summary: 'Revoke the SCIM token of the tenant',
      result: ScimToken,
      change: async (call, work) => view(await revokeScimToken(work, call.source())),
    }),
  ];
}
