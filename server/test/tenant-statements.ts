import assert from 'node:assert/strict';
import SQLite from 'better-sqlite3';
import { schemas } from '../storage/schema.ts';

// A database that spreads tenants over machines finds a row by its tenant, so every statement of the server names it. Each
// suite of tests checks what its servers have run.

/** Tables of the installation whose rows name a tenant. */
const ofInstallation = ['log_leaves'];

/** The tables whose rows belong to a tenant. */
export const tenantTables: readonly string[] = Object.values(schemas).flatMap(({ sql }) =>
  [...sql.matchAll(/create table (\w+) \(\n([\s\S]*?)\n\)/g)].flatMap(([, name = '', columns = '']) =>
    /^ {2}tenant_id text not null/m.test(columns) && !ofInstallation.includes(name) ? [name] : [],
  ),
);

/** Statements that name no tenant, as `normalize` writes them. */
const exceptions: readonly RegExp[] = [
  // What a request shows, or a page names: it finds its tenant.
  /from (?:access_tokens|api_keys|scim_tokens) where hash = \?$/,
  /from invitations where token_hash = \?$/,
  /from dsr_requests where confirmation_hash = \?$/,
  /from (?:consent_notices|sign_in_challenges) where id = \?$/,
  // An event names a key, which may be of another tenant.
  /from api_keys where id = \?$/,
  // A person has memberships and sessions in several tenants.
  /from (?:memberships|sessions|sign_in_challenges) where (?:deleted_at is null and )?user_id (?:=|in) /,
  // What waits for a task of the server, of any tenant.
  /^delete from \w+ where \(?\w+(?:_at)? <=? \?/,
  /^delete from (?:idempotency_keys|webhook_hours) where \(tenant_id, [\w, ]+\) in \(/,
  /^select (?:tenant_id, id|id, tenant_id, \w+) from \w+ where (?:finished|confirmation_expires|due)_at /,
  /^update webhook_deliveries set claimed_by = \? where due_at is not null and claimed_by is not null/,
  /from (?:erasure_jobs|user_erasures) order by id limit \?$/,
  /^select \* from webhook_redeliveries where status = 'running' order by/,
  // Verification reads every row, and the server counts what there is.
  /^select ledger(?:, sum\(sequence\) as entries)? from chain_heads /,
  /^select count\(\*\) as count(?:, min\(created_at\) as oldest)? from webhook_deliveries where /,
  /^select \(select count\(\*\) from erasures\)/,
  /^select distinct tenant_id as owner from/,
  /^select (?:distinct )?tenant_id from \w+ union /,
  /^select \* from \w+ order by [\w, ]+ limit \d+$/,
];

function normalize(statement: string): string {
  return statement
    .replace(/"|\+(?=\?)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const references = new RegExp(`(?:from|join|into|update|,) (?:${tenantTables.join('|')})(?![\\w.])`, 'g');

/** Whether a statement names the tenant of each of its tables, in a condition or among the columns that it inserts. */
function namesTenants(statement: string): boolean {
  if (!/^(?:select|insert|update|delete|with)\b/.test(statement)) return true;
  const conditions = statement
    .replace(/\bselect\b(?:(?!\bselect\b).)*?\bfrom\b/g, 'from')
    .replace(/\border by\b[^)]*/g, '');
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(conditions, /\btenant_id\b/g) >= count(statement, references);
}

const unnamed = new Set<string>();

const { prepare } = SQLite.prototype;
SQLite.prototype.prepare = function (this: SQLite.Database, text: string) {
  const statement = normalize(text);
  if (!namesTenants(statement) && !exceptions.some((exception) => exception.test(statement))) {
    Error.stackTraceLimit = 50;
    const [, ...frames] = new Error().stack?.split('\n').slice(1) ?? [];
    const asked = frames.find((frame) => /\/server\/(?!storage\/)/.test(frame));
    // Tests look into tables as they like.
    if (asked !== undefined && !asked.includes('/server/test/')) unnamed.add(statement);
  }
  return prepare.call(this, text);
} as typeof prepare;

/** Asserts it of what the server has run since the last call. */
export function assertTenantsNamed(): void {
  const found = [...unnamed];
  unnamed.clear();
  assert.deepEqual(found, [], 'statements that name no tenant');
}
