import { sql } from 'kysely';
import type { Queries } from '../storage/queries.ts';
import { hasInvalidBytes } from '../storage/rows.ts';
import { type GrantTable, grantTables, isSealed } from '../storage/secrets.ts';
import type { Scene } from './verify-tenant.ts';

/** A row that grants nothing, because something other than Svc wrote it. */
interface GrantFault {
  readonly table: GrantTable;
  /** Its primary key without the tenant. The hash of a token does not reveal the token. */
  readonly key: string;
  readonly issue: string;
  /** The tenants that it concerns; none if no tenant can be found. */
  readonly tenantIds: readonly string[];
}

const batchSize = 2000;

/** Reads a table in the order of its primary key, in batches. */
async function* readAll(queries: Queries, table: GrantTable, key: readonly string[]): AsyncGenerator<StoredRow> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let last: StoredRow | undefined; ; ) {
    const place = last;
    const values = place && sql.join(key.map((column) => place[column]));
    const after = values === undefined ? sql`` : sql`where (${columns}) > (${values})`;
    const { rows } = await sql<StoredRow>`
      select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(batchSize)}`.execute(queries);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < batchSize) return;
  }
}

const ownTenant: TenantsOf = ({ tenant_id }) => [tenant_id];

/** The primary key of each table, and the tenants of a row. */
const tables: Readonly<Record<GrantTable, { readonly key: readonly string[]; readonly tenants: TenantsOf }>> = {
  tenants: { key: ['id'], tenants: ({ id }) => [id] },
  users: { key: ['id'], tenants: ({ id }, queries) => listTenantsOfUser(queries, id) },
  second_factors: { key: ['user_id'], tenants: ({ user_id }, queries) => listTenantsOfUser(queries, user_id) },
  memberships: { key: ['tenant_id', 'user_id'], tenants: ownTenant },
  sessions: { key: ['tenant_id', 'id'], tenants: ownTenant },
  sign_in_challenges: { key: ['tenant_id', 'id'], tenants: ownTenant },
  one_time_tokens: {
    key: ['hash'],
    tenants: ({ tenant_id, user_id }, queries) =>
      tenant_id === null ? listTenantsOfUser(queries, user_id) : [tenant_id],
  },
  invitations: { key: ['tenant_id', 'id'], tenants: ownTenant },
  api_keys: { key: ['tenant_id', 'id'], tenants: ownTenant },
  access_tokens: { key: ['tenant_id', 'hash'], tenants: ownTenant },
  scim_tokens: { key: ['tenant_id', 'id'], tenants: ownTenant },
};

type StoredRow = Readonly<Record<string, unknown>>;
type TenantsOf = (row: StoredRow, queries: Queries) => readonly unknown[] | Promise<readonly unknown[]>;

async function listTenantsOfUser(queries: Queries, userId: unknown): Promise<readonly string[]> {
  const rows = queries.selectFrom('memberships').select('tenant_id').where('user_id', '=', String(userId));
  return (await rows.execute()).map(({ tenant_id }) => tenant_id);
}

/** The faults that were found in seals. */
export interface GrantReport {
  readonly checked: number;
  readonly faults: readonly GrantFault[];
}

/**
 * Checks the seals of all rows that grant access, and that every user has the row of a second factor.
 * @param tenants the ones that are verified.
 * @param isComplete true if these are all.
 */
export async function verifyGrants(
  { queries, keys, progress, findings }: Scene,
  tenants: readonly { readonly id: string; readonly slug: string }[],
  isComplete: boolean,
): Promise<GrantReport> {
  if (keys === null) return { checked: 0, faults: [] };
  const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]));
  const faults: GrantFault[] = [];
  let checked = 0;
  for (const table of grantTables) {
    const { key, tenants: tenantsOf } = tables[table];
    for await (const row of readAll(queries, table, key)) {
      checked += 1;
      const isHeld = isSealed(keys.seal, table, row) && !(await hasInvalidBytes(queries, table, row));
      if (isHeld) continue;
      const tenantIds = (await tenantsOf(row, queries)).map(String);
      const named = key.filter((column) => column !== 'tenant_id').map((column) => String(row[column]));
      faults.push({ table, key: named.join(' '), issue: brokenSeal, tenantIds });
    }
  }
  const bare = await queries
    .selectFrom('users')
    .select('id')
    .where('id', 'not in', (factors) => factors.selectFrom('second_factors').select('user_id'))
    .orderBy('id')
    .execute();
  for (const { id } of bare) {
    const tenantIds = await listTenantsOfUser(queries, id);
    faults.push({ table: 'second_factors', key: id, issue: missing, tenantIds });
  }
  const concerning = faults.filter(({ tenantIds }) => isComplete || tenantIds.some((id) => slugs.has(id)));
  for (const { table, key, issue, tenantIds } of concerning) {
    const known = tenantIds.filter((id) => slugs.has(id));
    for (const id of known.length === 0 ? [null] : known) {
      const place = id === null ? ['database', ...tenantIds].join(' ') : slugs.get(id);
      findings.add('tampered', 'grant', `${place}: ${table} ${key}: ${issue}`, id);
    }
  }
  if (concerning.length === 0) progress.say(`✓ the seals of ${checked} rows that grant access`);
  return { checked, faults: concerning };
}

const brokenSeal = 'the seal does not hold: something other than Svc wrote the row, and it grants nothing';
const missing = 'the row is missing, so the user cannot sign in';
