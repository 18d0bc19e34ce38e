import type { ExpressionBuilder } from 'kysely';
import type { z } from 'zod';
import type { Principal } from '../../http/principal.ts';
import { Problem } from '../../http/problem.ts';
import { adminRoles, readScopes, type Scope } from '../../http/roles.ts';
import { hashToken } from '../../installation/token.ts';
import { apiKeyRows } from '../../ledger/audit/rows.ts';
import { recordChange, recordEvents, type SourceOf, systemSource } from '../../ledger/audit/store.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findHeld, findRow, insertRow, newId, type Page, takeNewest } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import { otherTenantsOf } from '../credentials.ts';
import { listTenantIds } from '../sign-in/session-store.ts';
import {
  type ApiKeyRow,
  displayApiKey,
  generateApiKey,
  type KeyStatus,
  type WantedApiKey,
  writeOtherTenants,
} from './api-key.ts';

export interface NewApiKey extends Omit<z.output<typeof WantedApiKey>, 'scopes' | 'otherTenantIds'> {
  readonly tenantId: string;
  readonly scopes: readonly Scope[];
  readonly otherTenantIds?: readonly string[];
  /** A key that ends at the same time, so that it does not count. */
  readonly endingKeyId?: string | undefined;
}

/** The most keys of a tenant that are neither expired nor revoked. */
export const mostKeys = 500;

/**
 * Creates a key and records it in the audit logs of its tenants.
 * @returns the key: the only time that it can be read.
 * @throws {Problem} `conflict` if the tenant has as many as it may have.
 */
export async function createApiKey(
  tx: Transaction,
  { tenantId, name, environment, scopes, expiresAt, otherTenantIds = [], endingKeyId = '' }: NewApiKey,
  sourceOf: SourceOf = systemSource,
): Promise<{ readonly key: string; readonly row: ApiKeyRow }> {
  await tx.lockTenant(tenantId, ...otherTenantIds);
  const { count } = await tx.queries
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('id', '!=', endingKeyId)
    .where(hasStatus('active', tx.now))
    .executeTakeFirstOrThrow();
  if (Number(count) >= mostKeys)
    throw new Problem('conflict', `A tenant may have at most ${mostKeys} API keys; revoke those that are not used.`);
  const key = generateApiKey(environment);
  const row = await insertRow(tx.queries, 'api_keys', {
    id: newId(),
    tenant_id: tenantId,
    name,
    hash: hashToken(key),
    display_prefix: displayApiKey(key),
    scopes: scopes.join(' '),
    created_at: tx.now,
    expires_at: expiresAt,
    tenant_ids: writeOtherTenants(otherTenantIds),
  });
  const diff = { scopes, expiresAt, otherTenantIds };
  await recordChange(tx, sourceOf(tenantId), apiKeyRows, row, { verb: 'created', targetRef: name, diff });
  await recordSharing(tx, sourceOf, row, 'shared');
  return { key, row };
}

/** Records in the audit logs of other tenants that a key can act for them, or no longer can. */
export async function recordSharing(
  tx: Transaction,
  sourceOf: SourceOf,
  row: ApiKeyRow,
  verb: 'shared' | 'unshared',
  tenantIds: readonly string[] = otherTenantsOf(row),
): Promise<void> {
  const event = {
    module: apiKeyRows.module,
    action: `${apiKeyRows.noun}.${verb}`,
    targetId: row.id,
    targetRef: row.name,
    diff: { tenantId: row.tenant_id, scopes: [...readScopes(row.scopes)], expiresAt: row.expires_at },
  };
  const events = tenantIds.map((tenantId) => ({ source: sourceOf(tenantId), event }));
  await recordEvents(tx, events);
}

/** Deletes a key with its access tokens. */
export async function deleteKeyRow(queries: Queries, tenantId: string, id: string): Promise<void> {
  await queries.deleteFrom('access_tokens').where('tenant_id', '=', tenantId).where('key_id', '=', id).execute();
  await queries.deleteFrom('api_keys').where('tenant_id', '=', tenantId).where('id', '=', id).execute();
}

/**
 * Finds the user who created a key, with a session or with a key that they had created: they have read it. The audit log
 * names them.
 * @returns null for a key of the operator.
 */
export async function findKeyCreator(queries: Queries, keyId: string): Promise<string | null> {
  const key = await findRow(queries, 'api_keys', { id: keyId });
  const event =
    key &&
    (await queries
      .selectFrom('audit_events')
      .select(['actor_type', 'actor_id'])
      .where('tenant_id', '=', key.tenant_id)
      .where('target_id', '=', keyId)
      .where('action', '=', `${apiKeyRows.noun}.created`)
      .executeTakeFirst());
  if (event === undefined || event.actor_id === null) return null;
  return event.actor_type === 'api_key' ? findKeyCreator(queries, event.actor_id) : event.actor_id;
}

export function findKey(queries: Queries, tenantId: string, id: string): Promise<ApiKeyRow | undefined> {
  return findRow(queries, 'api_keys', { tenant_id: tenantId, id });
}

/** Finds a key that can act for a tenant: its own key, or a shared one of another tenant. */
export async function findReachingKey(queries: Queries, tenantId: string, id: string): Promise<ApiKeyRow | undefined> {
  const query = queries.selectFrom('api_keys').selectAll().where('id', '=', id).where(reaches(tenantId));
  return findHeld(queries, 'api_keys', await query.execute());
}

/** Finds every key that can act for a tenant. */
export function findReachingKeys(queries: Queries, tenantId: string): Promise<ApiKeyRow[]> {
  return queries.selectFrom('api_keys').selectAll().where(reaches(tenantId)).orderBy('id').execute();
}

/** The pattern is safe: all ids have the same length and are separated by spaces. */
function reaches(tenantId: string) {
  return (row: ExpressionBuilder<Tables, 'api_keys'>) =>
    row.or([
      row('tenant_id', '=', tenantId),
      row.and([row('tenant_ids', 'is not', null), row('tenant_ids', 'like', `%${tenantId}%`)]),
    ]);
}

function hasStatus(status: KeyStatus | undefined, now: string) {
  return (row: ExpressionBuilder<Tables, 'api_keys'>) => {
    if (status === undefined) return row.and([]);
    if (status === 'revoked') return row('revoked_at', 'is not', null);
    const end =
      status === 'expired'
        ? row('expires_at', '<=', now)
        : row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]);
    return row.and([row('revoked_at', 'is', null), end]);
  };
}

/** Reads a page of the keys that can act for a tenant, including shared ones of other tenants, newest first. */
export async function listKeys(
  queries: Queries,
  tenantId: string,
  { status, now }: { readonly status?: KeyStatus | undefined; readonly now: string },
  before: string | null,
  limit: number,
): Promise<Page<ApiKeyRow>> {
  const query = queries.selectFrom('api_keys').selectAll().where(reaches(tenantId)).where(hasStatus(status, now));
  return takeNewest(query, before, limit);
}

/** The tenants in which a caller can create keys: the tenants of an API key, or those that a user administers. */
export async function listKeyTenants(queries: Queries, { actor, credential }: Principal): Promise<ReadonlySet<string>> {
  if (credential.kind === 'api_key') {
    const key = await findRow(queries, 'api_keys', { tenant_id: credential.tenantId, id: credential.id });
    return new Set(key && [key.tenant_id, ...otherTenantsOf(key)]);
  }
  return new Set(await listTenantIds(queries, actor.id as string, adminRoles));
}
