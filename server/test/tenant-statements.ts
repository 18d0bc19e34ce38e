import assert from 'node:assert/strict';
import SQLite from 'better-sqlite3';
import { tenantTableNames } from '../storage/schema.ts';
import type { TestServer } from './harness.ts';

// A database that spreads tenants over machines finds a row by its tenant, so every statement of the server names it. Tests
// of every operation check what their servers have run.

/** Statements that name no tenant, as `normalize` writes them. */
const exceptions: readonly RegExp[] = [
  // A request shows it, or a page names it, without its tenant.
  /^select .* from (?:access_tokens|api_keys|scim_tokens) where hash = \?$/,
  /^select .* from invitations where token_hash = \?$/,
  /^select .* from dsr_requests where confirmation_hash = \?$/,
  /^select .* from (?:consent_notices|sign_in_challenges) where id = \?$/,
  // An event names a key, which may be of another tenant.
  /^select .* from api_keys where id = \?$/,
  // A person has memberships and sessions in several tenants.
  /^select .* from memberships where (?:deleted_at is null and )?user_id = /,
  /^delete from (?:sessions|sign_in_challenges) where user_id in /,
  // The tasks of the server do what waits, of whichever tenant.
  /^delete from (?:access_tokens|dsr_form_uses|sign_in_challenges|webhook_redeliveries) where \w+_at <=? \?/,
  /^delete from sessions where \(last_seen_at <= \? or expires_at <= \?\)$/,
  /^delete from (?:idempotency_keys|webhook_hours) where \(tenant_id, [\w, ]+\) in \(/,
  /^select (?:tenant_id, id|id, tenant_id, \w+) from \w+ where (?:finished|confirmation_expires|due)_at /,
  /^update webhook_deliveries set claimed_until = \? where due_at is not null and claimed_until is not null/,
  /^select \* from (?:erasure_jobs|user_erasures) order by id limit \?$/,
  /^select \* from webhook_redeliveries where status = 'running' order by/,
  // The server counts all that there is, and verification reads every row.
  /^select ledger(?:, sum\(sequence\) as entries)? from chain_heads /,
  /^select \* from chain_heads$/,
  // The keys of the installation.
  /^select \* from key_rotations order by number(?: desc)?$/,
  /^select count\(\*\) as count(?:, min\(created_at\) as oldest)? from webhook_deliveries where /,
  /^select \(select count\(\*\) from erasures\)/,
  /^select note from checkpoints limit \?$/,
  /^select size, count\(\*\) as attestations from log_attestations where /,
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

const references = new RegExp(`(?:from|join|into|update|,) (?:${tenantTableNames.join('|')})(?![\\w.])`, 'g');

/** Checks that a statement names the tenant of each of its tables, in a condition or among the columns that it inserts. */
function namesTenants(statement: string): boolean {
  if (!/^(?:select|insert|update|delete|with)\b/.test(statement)) return true;
  const conditions = statement
    .replace(/\bselect\b(?:(?!\bselect\b).)*?\bfrom\b/g, 'from')
    .replace(/\bset\b.*?\b(?=from|where)\b/g, '')
    .replace(/\breturning\b.*/, '')
    .replace(/\border by\b[^)]*/g, '');
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(conditions, /\btenant_id\b/g) >= count(statement, references);
}

/** The statements that name no tenant, by the file of their database. */
const unnamed = new Map<string, Set<string>>();

const { prepare } = SQLite.prototype;
SQLite.prototype.prepare = function (this: SQLite.Database, text: string) {
  const statement = normalize(text);
  if (!namesTenants(statement) && !exceptions.some((exception) => exception.test(statement))) {
    Error.stackTraceLimit = 50;
    const [, ...templates] = new Error().stack?.split('\n').slice(1) ?? [];
    const asked = templates.find((template) => /\/server\/(?!storage\/)/.test(template));
    const isOfTest = asked === undefined || asked.includes('/server/test/');
    if (!isOfTest) unnamed.set(this.name, (unnamed.get(this.name) ?? new Set()).add(statement));
  }
  return prepare.call(this, text);
} as typeof prepare;

/** Asserts it of what a server has run on SQLite. */
export function assertTenantsNamed({ installation }: TestServer): void {
  const { dataDir } = installation.settings;
  const found = [...unnamed].filter(([file]) => file.startsWith(dataDir)).flatMap(([, statements]) => [...statements]);
  assert.deepEqual(found, [], 'statements that name no tenant');
}
