import { type RawBuilder, sql } from 'kysely';
import type { LedgerOf } from '../../ledger/entry.ts';
import { ledgerTables } from '../../ledger/entry.ts';
import { readEntries } from '../../ledger/tree-store.ts';
import type { Database } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';

/** The append-only tables, with the columns that identify a row. */
export const protectedTables = {
  consent_records: ['tenant_id', 'sequence'],
  record_templates: ['tenant_id', 'number'],
  audit_events: ['tenant_id', 'sequence'],
  audit_openings: ['tenant_id', 'sequence', 'path'],
  consent_notice_versions: ['tenant_id', 'notice_id', 'version'],
  consent_notice_texts: ['tenant_id', 'notice_id', 'hash'],
  chain_heads: ['tenant_id', 'ledger'],
  tenants: ['id'],
  api_keys: ['tenant_id', 'id'],
  scim_tokens: ['tenant_id', 'id'],
  users: ['id'],
  second_factors: ['user_id'],
  memberships: ['tenant_id', 'user_id'],
  invitations: ['tenant_id', 'id'],
  consent_notices: ['tenant_id', 'id'],
  control_programs: ['tenant_id'],
  tenant_controls: ['tenant_id', 'id'],
  control_evidence: ['tenant_id', 'id'],
  control_tests: ['tenant_id', 'id'],
  control_test_results: ['tenant_id', 'id'],
  dsr_requests: ['tenant_id', 'id'],
  breach_incidents: ['tenant_id', 'id'],
  trust_centers: ['tenant_id'],
  webhook_endpoints: ['tenant_id', 'id'],
  checkpoints: ['tenant_id', 'ledger', 'size'],
  merkle_tiles: ['tenant_id', 'ledger', 'level', 'number'],
} as const;

/** The files of evidence, whose bytes are checked against the hash in the row of the evidence, with their keys. */
export const fileTables = {
  control_evidence_files: ['tenant_id', 'id'],
  control_evidence_chunks: ['tenant_id', 'file_id', 'position'],
} as const;

/** The log of the installation, which belongs to no tenant, with its keys. */
export const logTables = {
  log_leaves: ['sequence'],
  log_attestations: ['kind', 'size', 'source'],
} as const;

/** The tables that only their seals cover, with their keys. */
export const sealedTables = {
  sessions: ['tenant_id', 'id'],
  sign_in_challenges: ['tenant_id', 'id'],
  one_time_tokens: ['hash'],
  access_tokens: ['tenant_id', 'hash'],
} as const;

const keys = { ...protectedTables, ...fileTables, ...logTables, ...sealedTables };

/** A table whose changes are found. */
export type CheckedTable = keyof typeof keys;
export type ProtectedTable = keyof typeof protectedTables;
export type Row = Readonly<Record<string, string | number | Buffer | null>>;

/**
 * Changes rows with triggers and references disabled, and restores the triggers afterwards, as a careful attacker with
 * the file or an administrator's password would.
 */
export async function tamper<Result>(
  { dialect, kysely }: Database,
  step: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  if (dialect === 'postgres')
    return kysely.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      return step(transaction);
    });
  const { rows: kept } = await sql<{ foreign_keys: number }>`pragma foreign_keys`.execute(kysely);
  await sql`pragma foreign_keys = off`.execute(kysely);
  try {
    return await kysely.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ name: string; sql: string }>`
        select name, sql from sqlite_schema where type = 'trigger' order by rowid`.execute(transaction);
      for (const { name } of rows) await sql`drop trigger ${sql.id(name)}`.execute(transaction);
      const done = await step(transaction);
      for (const trigger of rows) await sql.raw(trigger.sql).execute(transaction);
      return done;
    });
  } finally {
    await sql`pragma foreign_keys = ${sql.lit(kept[0]?.foreign_keys ?? 1)}`.execute(kysely);
  }
}

/** Drops the triggers and references, as an attacker with the file or an administrator's password would. */
export async function liftProtection({ dialect, kysely }: Database): Promise<void> {
  if (dialect === 'postgres') {
    for (const table of Object.keys(protectedTables))
      await sql`alter table ${sql.table(table)} disable trigger all`.execute(kysely);
    return;
  }
  await sql`pragma foreign_keys = off`.execute(kysely);
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema where type = 'trigger'`.execute(kysely);
  for (const { name } of rows) await sql`drop trigger ${sql.id(name)}`.execute(kysely);
}

/** Every row of a table, ordered by its key. */
export async function readRows({ kysely }: Database, table: string): Promise<readonly Row[]> {
  const order = sql.join((keys[table as CheckedTable] ?? ['id']).map((column) => sql.id(column)));
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by ${order}`.execute(kysely);
  return rows;
}

export type LedgerRow = Row & {
  readonly id: string;
  readonly sequence: number;
  readonly hash: string;
  readonly entry: string;
};

/** The rows of a ledger of a tenant, each with its entry, which the row of a record does not have as text. */
export async function readLedger(database: Database, of: LedgerOf): Promise<readonly LedgerRow[]> {
  const rows = (await readRows(database, ledgerTables[of.ledger])).filter((row) => row.tenant_id === of.tenantId);
  const everything = { start: Number.MIN_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER };
  const entries = await readEntries(database.kysely, of, everything);
  const texts = new Map(entries.map(({ sequence, entry }) => [sequence, entry]));
  return rows.map((row) => ({ ...row, entry: texts.get(row.sequence as number) })) as unknown as readonly LedgerRow[];
}

/** Sets columns of one row. */
export async function changeRow(database: Database, table: CheckedTable, row: Row, values: Row): Promise<void> {
  const set = Object.entries(values).map(([column, value]) => sql`${sql.id(column)} = ${value}`);
  await tamper(database, (queries) =>
    sql`update ${sql.table(table)} set ${sql.join(set)} where ${nameRow(table, row)}`.execute(queries),
  );
}

export async function deleteRow(database: Database, table: CheckedTable, row: Row): Promise<void> {
  await tamper(database, (queries) =>
    sql`delete from ${sql.table(table)} where ${nameRow(table, row)}`.execute(queries),
  );
}

export async function insertRow(database: Database, table: CheckedTable, row: Row): Promise<void> {
  const columns = sql.join(Object.keys(row).map((column) => sql.id(column)));
  const values = sql.join(Object.values(row));
  await tamper(database, (queries) =>
    sql`insert into ${sql.table(table)} (${columns}) values (${values})`.execute(queries),
  );
}

function nameRow(table: CheckedTable, row: Row): RawBuilder<unknown> {
  // A test that has one tenant need not name it.
  const named = keys[table].filter((column) => row[column] !== undefined);
  const conditions = named.map((column) => sql`${sql.id(column)} = ${row[column]}`);
  return sql.join(conditions, sql` and `);
}

/** Tables that `svc verify` does not check: they contain no record, event, notice, key or tenant. */
export const workingState = [
  'idempotency_keys',
  'rate_limits',
  'read_positions',
  'dsr_form_uses',
  'consent_days',
  'consent_sightings',
  'consent_spellings',
  'sign_in_failures',
  'webhook_events',
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_health',
  'webhook_hours',
  'webhook_rates',
  'webhook_redeliveries',
  'erasure_jobs',
  'user_erasures',
  'transfers',
  'merkle_trees',
  'log_tasks',
  'backup_tasks',
  'verification_runs',
  'verifications',
];
