import type { Selectable } from 'kysely';
import { type RowKind, recordChange } from '../audit/row-state.ts';
import { type AuditSource, systemSource } from '../audit/source.ts';
import { newId } from '../ids.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { displayPrefix, generateApiKey, hashApiKey, type KeyEnvironment } from './api-key.ts';
import type { Principal } from './principal.ts';
import { readScopes, type Scope } from './scopes.ts';

export const apiKeyRows: RowKind<'api_keys'> = {
  table: 'api_keys',
  module: 'access',
  noun: 'api_key',
  owner: 'tenant_id',
  counters: [],
};

export interface NewApiKey {
  readonly tenantId: string;
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  /** RFC 3339; null for a key that does not expire. */
  readonly expiresAt: string | null;
}

/** Creates a key, tells the audit log, and returns the key: the only time that it can be seen. */
export async function createApiKey(
  work: UnitOfWork,
  wanted: NewApiKey,
  source: AuditSource = systemSource(wanted.tenantId),
): Promise<{ id: string; key: string }> {
  const id = newId();
  const key = generateApiKey(wanted.environment);
  const row = {
    id,
    tenant_id: wanted.tenantId,
    name: wanted.name,
    hash: hashApiKey(key),
    display_prefix: displayPrefix(key),
    scopes: wanted.scopes.join(' '),
    created_at: work.now,
    expires_at: wanted.expiresAt,
    revoked_at: null,
  };
  await work.transaction.insertInto('api_keys').values(row).execute();
  await recordChange(work, source, apiKeyRows, row, {
    verb: 'created',
    targetRef: wanted.name,
    diff: { scopes: wanted.scopes, expiresAt: wanted.expiresAt },
  });
  return { id, key };
}

/** Finds who holds the key; undefined when it is unknown, expired or revoked. */
export async function findKeyHolder(queries: Queries, key: string, now: string): Promise<Principal | undefined> {
  const [row] = await selectKey(queries, { hash: hashApiKey(key) });
  if (row === undefined || row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now))
    return undefined;
  return {
    tenantId: row.tenant_id,
    actor: { type: 'api_key', id: row.id, email: null },
    scopes: readScopes(row.scopes),
    apiVersion: row.api_version,
  };
}

// A look-up beside the row, not a join: SQLite plans a join anew each time that another key is bound.
const selectKey = prepareQuery<{ hash: string }, KeyRow>((queries, parameter) =>
  queries
    .selectFrom('api_keys')
    .select(['api_keys.id', 'tenant_id', 'scopes', 'expires_at', 'revoked_at'])
    .select((key) =>
      key
        .selectFrom('tenants')
        .select('api_version')
        .whereRef('tenants.id', '=', 'api_keys.tenant_id')
        .as('api_version'),
    )
    .where('hash', '=', parameter('hash'))
    .$castTo<KeyRow>(),
);

type KeyRow = Pick<Selectable<Tables['api_keys']>, 'id' | 'tenant_id' | 'scopes' | 'expires_at' | 'revoked_at'> &
  Pick<Tables['tenants'], 'api_version'>;
