import type { ExpressionBuilder } from 'kysely';
import type { Principal } from '../principal/principal.ts';
import type { Queries } from '../storage/database.ts';
import { type Page, takePage } from '../storage/page.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { type ApiKeyRow, otherTenantsOf } from './api-key-store.ts';
import type { KeyStatus } from './api-key-view.ts';
import { maySignIn } from './session-store.ts';

/** Finds a key of a tenant. */
export async function findKey(queries: Queries, tenantId: string, id: string): Promise<ApiKeyRow | undefined> {
  return queries
    .selectFrom('api_keys')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Finds a key that may act for a tenant: one of its own, or of another tenant that names it. */
export async function findReachingKey(queries: Queries, tenantId: string, id: string): Promise<ApiKeyRow | undefined> {
  return queries.selectFrom('api_keys').selectAll().where('id', '=', id).where(reaches(tenantId)).executeTakeFirst();
}

/** Ids all have the same length, and stand apart by spaces: one is never found across others. */
function reaches(tenantId: string) {
  return (row: ExpressionBuilder<Tables, 'api_keys'>) =>
    row.or([
      row('tenant_id', '=', tenantId),
      row.and([row('tenant_ids', 'is not', null), row('tenant_ids', 'like', `%${tenantId}%`)]),
    ]);
}

/** Which keys a list has. */
export interface KeyFilter {
  readonly status?: KeyStatus | undefined;
  /** When the status is looked at. */
  readonly now: string;
}

function fits({ status, now }: KeyFilter) {
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

/**
 * Lists the keys that may act for a tenant, those of other tenants among them, newest first.
 * @param before the id of the last key already seen; null for the first page.
 */
export async function listKeys(
  queries: Queries,
  tenantId: string,
  filter: KeyFilter,
  before: string | null,
  limit: number,
): Promise<Page<ApiKeyRow>> {
  let query = queries
    .selectFrom('api_keys')
    .selectAll()
    .where(reaches(tenantId))
    .where(fits(filter))
    .orderBy('id', 'desc');
  if (before !== null) query = query.where('id', '<', before);
  return takePage(query, limit, ({ id }) => id);
}

/** Stores how a key ends, or whom it reaches. @returns the row as it is now, for the event of the change. */
export async function updateKey(
  work: UnitOfWork,
  { tenant_id, id }: ApiKeyRow,
  columns: Partial<Pick<ApiKeyRow, 'expires_at' | 'revoked_at' | 'replaced_by' | 'tenant_ids'>>,
): Promise<ApiKeyRow> {
  return work.transaction
    .updateTable('api_keys')
    .set(columns)
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * The tenants in which a caller that may create keys here may do so too: those of the key that calls; for a person,
 * those that they administer.
 */
export async function listKeyTenants(queries: Queries, principal: Principal): Promise<ReadonlySet<string>> {
  if (principal.credential.kind === 'api_key') {
    const key = await queries
      .selectFrom('api_keys')
      .select(['tenant_id', 'tenant_ids'])
      .where('id', '=', principal.credential.id)
      .executeTakeFirst();
    return new Set(key && [key.tenant_id, ...otherTenantsOf(key)]);
  }
  const memberships = await queries
    .selectFrom('memberships')
    .select('tenant_id')
    .where('user_id', '=', principal.actor.id)
    .where('role', '=', 'admin')
    .where(maySignIn)
    .execute();
  return new Set(memberships.map((row) => row.tenant_id));
}
