import type { Selectable } from 'kysely';
import { type RowKind, recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { displayPrefix, generateToken, hashToken, isToken } from '../installation/token.ts';
import { lockChain } from '../ledger/append.ts';
import type { Principal } from '../principal/principal.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';

const prefix = 'scim_';

export const scimTokenRows: RowKind<'scim_tokens'> = {
  table: 'scim_tokens',
  module: 'access',
  noun: 'scim_token',
  key: 'id',
  owner: 'tenant_id',
  counters: ['last_used_at'],
};

export type ScimTokenRow = Selectable<Tables['scim_tokens']>;

/** Makes the SCIM token of a tenant; the one before it ends in the same moment. @returns the token: shown once. */
export async function rotateScimToken(
  work: UnitOfWork,
  source: AuditSource,
): Promise<{ readonly row: ScimTokenRow; readonly token: string }> {
  await revokeScimToken(work, source);
  const token = generateToken(prefix);
  const row = {
    id: newId(),
    tenant_id: source.tenantId,
    hash: hashToken(token),
    display_prefix: displayPrefix(prefix, token),
    created_at: work.now,
    last_used_at: null,
    revoked_at: null,
  };
  await work.transaction.insertInto('scim_tokens').values(row).execute();
  await recordChange(work, source, scimTokenRows, row, { verb: 'created', targetRef: row.display_prefix });
  return { row, token };
}

/** Ends the SCIM token of a tenant. @returns undefined where there was none. */
export async function revokeScimToken(work: UnitOfWork, source: AuditSource): Promise<ScimTokenRow | undefined> {
  // Two rotations at once: the second waits here, and ends the token of the first.
  await lockChain(work.transaction, source.tenantId, 'audit');
  const row = await work.transaction
    .updateTable('scim_tokens')
    .set({ revoked_at: work.now })
    .where('tenant_id', '=', source.tenantId)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined)
    await recordChange(work, source, scimTokenRows, row, { verb: 'revoked', targetRef: row.display_prefix });
  return row;
}

/** The valid SCIM token of a tenant. */
export async function findScimToken(queries: Queries, tenantId: string): Promise<ScimTokenRow | undefined> {
  return queries
    .selectFrom('scim_tokens')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Finds for which tenant a SCIM token stands; undefined when it is none or was replaced. */
export async function findScimTokenHolder(queries: Queries, token: string): Promise<Principal | undefined> {
  if (!isToken(prefix, token)) return undefined;
  const [row] = await selectToken(queries, { hash: hashToken(token) });
  if (row === undefined) return undefined;
  return {
    tenantId: row.tenant_id,
    actor: { type: 'api_key', id: row.id, email: null },
    scopes: new Set(),
    apiVersion: row.api_version,
    credential: { kind: 'scim_token', id: row.id },
    otherTenantIds: [],
  };
}

type TokenHolder = Pick<ScimTokenRow, 'id' | 'tenant_id'> & { readonly api_version: string };

// A look-up beside the row, not a join: SQLite plans a join anew each time that another token is bound.
const selectToken = prepareQuery<{ hash: string }, TokenHolder>((queries, parameter) =>
  queries
    .selectFrom('scim_tokens')
    .select(['id', 'tenant_id'])
    .select((token) =>
      token
        .selectFrom('tenants')
        .select('api_version')
        .whereRef('tenants.id', '=', 'scim_tokens.tenant_id')
        .as('api_version'),
    )
    .where('hash', '=', parameter('hash'))
    .where('revoked_at', 'is', null)
    .$castTo<TokenHolder>(),
);
