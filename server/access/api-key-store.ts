import type { Selectable } from 'kysely';
import { type RowKind, recordChange } from '../audit/row-state.ts';
import { type SourceOf, systemSource } from '../audit/source.ts';
import { recordEvents } from '../audit/store.ts';
import { hashToken } from '../installation/token.ts';
import { lockChain } from '../ledger/append.ts';
import type { Principal } from '../principal/principal.ts';
import { readScopes, type Scope } from '../principal/scopes.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { displayApiKey, generateApiKey, type KeyEnvironment } from './api-key.ts';

export const apiKeyRows: RowKind<'api_keys'> = {
  table: 'api_keys',
  module: 'access',
  noun: 'api_key',
  key: 'id',
  owner: 'tenant_id',
  counters: ['last_used_at'],
};

export interface NewApiKey {
  readonly tenantId: string;
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  /** RFC 3339; null for a key that does not expire. */
  readonly expiresAt: string | null;
  /** The other tenants that Svc-Tenant may name. */
  readonly otherTenantIds?: readonly string[];
}

export type ApiKeyRow = Selectable<Tables['api_keys']>;

/** Creates a key, tells the audit log, and returns the key: the only time that it can be seen. */
export async function createApiKey(
  work: UnitOfWork,
  wanted: NewApiKey,
  sourceOf: SourceOf = systemSource,
): Promise<{ readonly id: string; readonly key: string; readonly row: ApiKeyRow }> {
  const { otherTenantIds = [] } = wanted;
  const id = newId();
  const key = generateApiKey(wanted.environment);
  const row = {
    id,
    tenant_id: wanted.tenantId,
    name: wanted.name,
    hash: hashToken(key),
    display_prefix: displayApiKey(key),
    scopes: wanted.scopes.join(' '),
    created_at: work.now,
    expires_at: wanted.expiresAt,
    revoked_at: null,
    tenant_ids: writeOtherTenants(otherTenantIds),
    last_used_at: null,
    replaced_by: null,
  };
  await lockKeyTenants(work, row);
  await work.transaction.insertInto('api_keys').values(row).execute();
  await recordChange(work, sourceOf(wanted.tenantId), apiKeyRows, row, {
    verb: 'created',
    targetRef: wanted.name,
    diff: { scopes: wanted.scopes, expiresAt: wanted.expiresAt, otherTenantIds },
  });
  await tellOtherTenants(work, sourceOf, row, 'shared');
  return { id, key, row };
}

/** The tenants besides its own that a key may act for. */
export function otherTenantsOf({ tenant_ids }: Pick<ApiKeyRow, 'tenant_ids'>): readonly string[] {
  return tenant_ids?.split(' ') ?? [];
}

/** The tenants besides its own that a key may act for, as they are stored. */
export function writeOtherTenants(tenantIds: readonly string[]): string | null {
  return tenantIds.length === 0 ? null : tenantIds.join(' ');
}

/** Locks the audit logs of all tenants of a key, in one order: two changes that need the same ones wait in turn. */
export async function lockKeyTenants(
  work: UnitOfWork,
  key: Pick<ApiKeyRow, 'tenant_id' | 'tenant_ids'>,
): Promise<void> {
  for (const tenantId of [key.tenant_id, ...otherTenantsOf(key)].sort())
    await lockChain(work.transaction, tenantId, 'audit');
}

/**
 * Tells the audit logs of other tenants that a key may act for them, or no longer may.
 * @param tenantIds those that are told: all that the key may act for, unless said otherwise.
 */
export async function tellOtherTenants(
  work: UnitOfWork,
  sourceOf: SourceOf,
  row: ApiKeyRow,
  verb: 'shared' | 'unshared',
  tenantIds: readonly string[] = otherTenantsOf(row),
): Promise<void> {
  const events = tenantIds.map((tenantId) => ({
    source: sourceOf(tenantId),
    event: {
      module: apiKeyRows.module,
      action: `${apiKeyRows.noun}.${verb}`,
      targetId: row.id,
      targetRef: row.name,
      diff: { tenantId: row.tenant_id, scopes: [...readScopes(row.scopes)], expiresAt: row.expires_at },
    },
  }));
  await recordEvents(work, events);
}

/** Finds who holds the key; undefined when it is unknown, expired or revoked. */
export async function findKeyHolder(queries: Queries, key: string, now: string): Promise<Principal | undefined> {
  const [row] = await selectKey(queries, { hash: hashToken(key) });
  return row && principalOf(row, now);
}

/** Finds the caller that a key stands for, by the id of the key. */
export async function findKeyHolderById(queries: Queries, id: string, now: string): Promise<Principal | undefined> {
  const [row] = await selectKeyById(queries, { id });
  return row && principalOf(row, now);
}

/** The caller that a key stands for; undefined when it has expired or was revoked. */
function principalOf(row: KeyRow, now: string): Principal | undefined {
  if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  return {
    tenantId: row.tenant_id,
    actor: { type: 'api_key', id: row.id, email: null },
    scopes: readScopes(row.scopes),
    apiVersion: row.api_version,
    credential: { kind: 'api_key', id: row.id },
    otherTenantIds: otherTenantsOf(row),
  };
}

/** What makes a caller of a key. */
const keyColumns = [
  'api_keys.id',
  'api_keys.tenant_id',
  'api_keys.scopes',
  'api_keys.expires_at',
  'api_keys.revoked_at',
  'api_keys.tenant_ids',
] as const;

type KeyRow = Pick<ApiKeyRow, 'id' | 'tenant_id' | 'scopes' | 'expires_at' | 'revoked_at' | 'tenant_ids'> &
  Pick<Selectable<Tables['tenants']>, 'api_version'>;

const selectKey = prepareQuery<{ hash: string }, KeyRow>((queries, parameter) =>
  selectKeys(queries).where('hash', '=', parameter('hash')).$castTo<KeyRow>(),
);

const selectKeyById = prepareQuery<{ id: string }, KeyRow>((queries, parameter) =>
  selectKeys(queries).where('id', '=', parameter('id')).$castTo<KeyRow>(),
);

// A look-up beside the row, not a join: SQLite plans a join anew each time that another key is bound.
function selectKeys(queries: Queries) {
  return queries
    .selectFrom('api_keys')
    .select(keyColumns)
    .select((key) =>
      key
        .selectFrom('tenants')
        .select('api_version')
        .whereRef('tenants.id', '=', 'api_keys.tenant_id')
        .as('api_version'),
    );
}
