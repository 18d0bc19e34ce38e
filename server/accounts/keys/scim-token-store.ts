import type { Selectable } from 'kysely';
import type { AuditSource, Principal } from '../../http/principal.ts';
import { displayPrefix, generateToken, hashToken, isToken } from '../../installation/token.ts';
import { describeRows, recordChange } from '../../ledger/audit/store.ts';
import type { UnitOfWork } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findHeld, findRow, insertRow, newId, updateRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import { readHeldTenant } from '../tenants/store.ts';
import { selectByHash } from './api-key-store.ts';

const prefix = 'scim_';

export const scimTokenRows = describeRows('scim_tokens', 'access', 'scim_token');

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
export async function revokeScimToken(work: UnitOfWork, source: AuditSource): Promise<ScimTokenRow | undefined> {
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

export function findScimToken(queries: Queries, tenantId: string): Promise<ScimTokenRow | undefined> {
  return findRow(queries, 'scim_tokens', { tenant_id: tenantId, revoked_at: null });
}

/** Finds the principal of a SCIM token; undefined for an unknown or revoked one. */
export async function findScimTokenHolder(queries: Queries, token: string): Promise<Principal | undefined> {
  if (!isToken(prefix, token)) return undefined;
  const row = findHeld(queries, 'scim_tokens', await selectToken(queries, { hash: hashToken(token) }));
  if (row === undefined || row.revoked_at !== null) return undefined;
  const tenant = readHeldTenant(queries, row.tenant_id, row.tenant);
  if (tenant === undefined) return undefined;
  return {
    tenantId: row.tenant_id,
    actor: { type: 'api_key', id: row.id, email: null },
    scopes: new Set(),
    apiVersion: tenant.api_version,
    credential: { kind: 'scim_token', id: row.id, tenantId: row.tenant_id },
    otherTenantIds: [],
  };
}

const selectToken = selectByHash('scim_tokens');
