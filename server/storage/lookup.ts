import { type SelectQueryBuilder, sql } from 'kysely';
import { ByteCache } from './cache.ts';
import { isDistributed, type Queries } from './queries.ts';
import { prepareQuery } from './rows.ts';
import type { Tables } from './tables.ts';

/** By the adapter of a database: the tenants of the rows that were found without their tenant. */
const tenants = new WeakMap<object, ByteCache<string>>();

/**
 * Prepares the look-up of rows by what a request shows without their tenant: a token, or the id of a notice. On a distributed
 * database, the first look-up asks every node, and later ones that of the tenant: a row never changes its tenant, so that they
 * also work while another node is away.
 * @param build the query for a parameter `name`; it selects `tenant_id`.
 */
export function prepareLookup<Row extends { readonly tenant_id: string }>(
  table: keyof Tables & string,
  build: (queries: Queries, name: string) => SelectQueryBuilder<Tables, keyof Tables, Row>,
): (queries: Queries, name: string) => Promise<readonly Row[]> {
  const selectAll = prepareQuery<{ name: string }, Row>((queries, parameter) => build(queries, parameter('name')));
  const selectOf = prepareQuery<{ name: string; tenantId: string }, Row>((queries, parameter) =>
    build(queries, parameter('name')).where(sql<boolean>`${sql.ref(`${table}.tenant_id`)} = ${parameter('tenantId')}`),
  );
  return async (queries, name) => {
    if (!isDistributed(queries)) return selectAll(queries, { name });
    const { adapter } = queries.getExecutor();
    const known = tenants.get(adapter) ?? new ByteCache();
    tenants.set(adapter, known);
    const key = `${table} ${name}`;
    const tenantId = known.get(key);
    const rows = tenantId === undefined ? [] : await selectOf(queries, { name, tenantId });
    if (rows.length > 0) return rows;
    const found = await selectAll(queries, { name });
    const [first, other] = found;
    if (first !== undefined && other === undefined) known.set(key, first.tenant_id, key.length);
    return found;
  };
}
