import type { Generated } from 'kysely';

/** Columns are text or integer alone, so that one schema serves both databases; flags are 0 or 1, times RFC 3339 UTC. */
export interface Tables {
  readonly installation: InstallationTable;
  readonly tenants: TenantsTable;
  readonly api_keys: ApiKeysTable;
  readonly idempotency_keys: IdempotencyKeysTable;
  readonly rate_limits: RateLimitsTable;
  readonly chain_heads: ChainHeadsTable;
  readonly audit_events: AuditEventsTable;
  readonly consent_notices: ConsentNoticesTable;
  readonly consent_notice_versions: ConsentNoticeVersionsTable;
  readonly consent_records: ConsentRecordsTable;
}

/** One row: what every server on this database must agree on. */
interface InstallationTable {
  id: number;
  /** SHA-256 of the secret, to refuse a server that was started with another one. */
  secret_hash: string;
  created_at: string;
}

interface TenantsTable {
  id: string;
  slug: string;
  name: string;
  api_version: string;
  created_at: string;
}

interface ApiKeysTable {
  id: string;
  tenant_id: string;
  name: string;
  /** SHA-256 of the key; the key itself is shown once and never stored. */
  hash: string;
  /** The first characters, to tell keys apart on a screen. */
  display_prefix: string;
  /** Space-separated. */
  scopes: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

interface IdempotencyKeysTable {
  tenant_id: string;
  key: string;
  /** SHA-256 over method, path and body. */
  fingerprint: string;
  status: number;
  /** The answer, byte for byte. */
  body: string;
  created_at: string;
}

interface RateLimitsTable {
  bucket: string;
  /** The minute since the epoch that is counted. */
  minute: number;
  requests: number;
}

interface ChainHeadsTable {
  tenant_id: string;
  ledger: string;
  sequence: number;
  /** Null while the chain is empty. */
  hash: string | null;
  at: string;
}

/** A row of any ledger: `entry` is the canonical text that is hashed, what stands beside it serves look-ups. */
interface LedgerTable {
  tenant_id: string;
  sequence: number;
  id: string;
  entry: string;
  prev_hash: string | null;
  hash: string;
}

interface AuditEventsTable extends LedgerTable {
  at: string;
  module: string;
  actor_type: string;
}

interface ConsentRecordsTable extends LedgerTable {
  notice_id: string;
  subject_id: string;
}

interface ConsentNoticesTable {
  id: string;
  tenant_id: string;
  status: string;
  /** The content under edit, canonical JSON; publishing freezes it as the next version. */
  content: string;
  domain: string;
  /** Lower-case text that `search` looks in. */
  search_text: string;
  /** The latest published version; 0 before the first. */
  version: number;
  /** Kept beside the records, so that a page's total needs no counting. */
  record_count: Generated<number>;
  created_at: string;
  updated_at: string;
  published_at: string | null;
  archived_at: string | null;
}

interface ConsentNoticeVersionsTable {
  tenant_id: string;
  notice_id: string;
  version: number;
  /** Canonical JSON. */
  content: string;
  content_hash: string;
  published_at: string;
}
