import type { Generated } from 'kysely';

/** Columns are only text or integer, so that one schema serves both databases; flags are 0 or 1, times RFC 3339 UTC. */
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
  readonly users: UsersTable;
  readonly memberships: MembershipsTable;
  readonly second_factors: SecondFactorsTable;
  readonly backup_codes: BackupCodesTable;
  readonly sessions: SessionsTable;
  readonly sign_in_challenges: SignInChallengesTable;
  readonly sign_in_failures: SignInFailuresTable;
  readonly invitations: InvitationsTable;
  readonly scim_tokens: ScimTokensTable;
  readonly access_tokens: AccessTokensTable;
  readonly webhook_events: WebhookEventsTable;
  readonly webhook_endpoints: WebhookEndpointsTable;
  readonly webhook_health: WebhookHealthTable;
  readonly webhook_deliveries: WebhookDeliveriesTable;
  readonly webhook_attempts: WebhookAttemptsTable;
  readonly webhook_senders: WebhookSendersTable;
  readonly webhook_redeliveries: WebhookRedeliveriesTable;
  readonly control_programs: ControlProgramsTable;
  readonly tenant_controls: TenantControlsTable;
  readonly control_evidence: ControlEvidenceTable;
  readonly control_tests: ControlTestsTable;
  readonly control_test_results: ControlTestResultsTable;
  readonly trust_centers: TrustCentersTable;
  readonly dsr_requests: DsrRequestsTable;
  readonly breach_incidents: BreachIncidentsTable;
  readonly checkpoints: CheckpointsTable;
  readonly merkle_trees: MerkleTreesTable;
  readonly merkle_tiles: MerkleTilesTable;
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
  /** The role of members that come without one; null for the least. */
  default_role: string | null;
  /** Null for `strict`. */
  scim_compatibility: string | null;
  /** The single sign-on configuration, canonical JSON. */
  sso: string | null;
  /** `yes` where members may do nothing without a second factor. */
  require_second_factor: string | null;
  /** Days in which a request of a data subject is answered; null for the default. */
  dsr_days: number | null;
}

interface ApiKeysTable {
  id: string;
  tenant_id: string;
  name: string;
  /** SHA-256 of the key; the key itself is shown once and never stored. */
  hash: string;
  /** The first characters, by which people recognize a key. */
  display_prefix: string;
  /** Space-separated. */
  scopes: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Space-separated ids of the other tenants that the key may act for; null for a key of one tenant. */
  tenant_ids: string | null;
  last_used_at: string | null;
  /** The key that a rotation made in its place. */
  replaced_by: string | null;
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
  /** The key that the row is sealed with. */
  key_id: string;
  /** HMAC over the row: who has only the database cannot write a head. */
  mac: string;
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
  space: string;
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

/** A person, whatever tenants they belong to. */
interface UsersTable {
  id: string;
  /** In the form that is compared: see `Email`. */
  email: string;
  /** argon2id in PHC form; null until the person has chosen a password. */
  password_hash: string | null;
  password_changed_at: string | null;
  created_at: string;
}

/** A person's place in one tenant. What a tenant writes of a person stands here, where no other tenant sees it. */
interface MembershipsTable {
  tenant_id: string;
  user_id: string;
  /** The e-mail address as the tenant writes it. */
  user_name: string;
  given_name: string | null;
  family_name: string | null;
  external_id: string | null;
  role: string;
  created_at: string;
  updated_at: string;
  /** When the person took an invitation of this tenant; before, they cannot sign in to it. */
  accepted_at: string | null;
  /** Set while `active` is false. */
  deactivated_at: string | null;
  /** Set while the person is in no role group. */
  unassigned_at: string | null;
  deleted_at: string | null;
  last_signed_in_at: string | null;
}

interface SecondFactorsTable {
  user_id: string;
  /** `disabled`, `pending` or `enabled`. */
  state: string;
  /** The TOTP secret, sealed with a key outside of the database. */
  secret: string | null;
  /** What the backup codes are hashed with. */
  codes_salt: string | null;
  /** The last 30-second step whose code was accepted. */
  last_step: number | null;
  updated_at: string;
}

/** The codes that were not used yet. */
interface BackupCodesTable {
  user_id: string;
  hash: string;
}

interface SessionsTable {
  id: string;
  token_hash: string;
  tenant_id: string;
  user_id: string;
  /** The challenge that was answered with a code; null without a second factor. */
  challenge_id: string | null;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
}

/** A password was right, the code is still to come. */
interface SignInChallengesTable {
  id: string;
  tenant_id: string;
  user_id: string;
  /** How many codes were tried. */
  attempts: number;
  expires_at: string;
}

interface SignInFailuresTable {
  /** A keyed hash of what is counted: an e-mail address, or one device of a person. */
  subject: string;
  /** Since the last success. */
  failures: number;
  last_failed_at: string;
  blocked_until: string | null;
}

interface InvitationsTable {
  id: string;
  tenant_id: string;
  email: string;
  role: string;
  token_hash: string;
  created_at: string;
  expires_at: string;
  accepted_at: string | null;
  revoked_at: string | null;
}

interface ScimTokensTable {
  id: string;
  tenant_id: string;
  hash: string;
  display_prefix: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** OAuth 2.0 access tokens; each expires with its key at the latest. */
interface AccessTokensTable {
  hash: string;
  key_id: string;
  scopes: string;
  expires_at: string;
}

/** What happened, for webhooks: written with the change, so that neither is without the other. */
interface WebhookEventsTable {
  id: string;
  tenant_id: string;
  type: string;
  /** JSON. */
  data: string;
  created_at: string;
}

/** Where a tenant wants its events to be sent. */
interface WebhookEndpointsTable {
  id: string;
  tenant_id: string;
  /** Empty once it is deleted, as is the secret. */
  url: string;
  description: string | null;
  /** Types of events, separated by spaces, in the order of the list; null for all, also future ones. */
  event_types: string | null;
  /** JSON: what the data of events must hold; null for any. */
  filter: string | null;
  /** none, all or subject. */
  /** Attempts a second, at most; null for as many as it keeps up with. */
  rate_limit: number | null;
  /** JSON: when attempts are due, in seconds after the first; null for the usual ones. */
  retry_schedule: string | null;
  /** enabled, paused or disabled. */
  status: string;
  /** Why the server itself disabled it: gone or failing. */
  disabled_reason: string | null;
  disabled_at: string | null;
  /** Sealed. */
  secret: string;
  /** JSON: sealed secrets with the times at which they expire, the newest first; they sign along until then. */
  previous_secrets: string;
  /** A private key of Ed25519, sealed; null where it signs only by HMAC. */
  signing_key: string | null;
  /** What belongs to it, as it is shown: `whpk_…`. */
  public_key: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

/** How endpoints fare; a row from the first failure on. */
interface WebhookHealthTable {
  endpoint_id: string;
  /** When the failures began that no success has ended; null while all is well. */
  failing_since: string | null;
  /** When an attempt last failed. */
  failed_at: string | null;
  last_error: string | null;
  /** How many attempts have failed since; null for none. */
  failures: number | null;
  /** When the other endpoints were notified that it is failing; null while they need not know. */
  notified_at: string | null;
  /** Nothing is sent before, because the receiver asked for a pause. */
  paused_until: string | null;
}

/** One event for one endpoint. */
interface WebhookDeliveriesTable {
  /** What receivers know as Svc-Delivery. */
  id: string;
  tenant_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  /** pending, delivered, dead, redelivered or canceled. */
  status: string;
  /** Why the last attempt failed, or why there was none. */
  reason: string | null;
  /** The HTTP status of the last answer. */
  response_status: number | null;
  attempts: number;
  /** The 24 hours run from here. */
  first_attempt_at: string | null;
  /** When the next attempt is to be made; null when there is none. */
  due_at: string | null;
  /** The sender that makes an attempt at this moment. */
  claimed_by: string | null;
  /** Deliveries of one endpoint with the same key are sent one after the other; null where the order does not matter. */
  /** The delivery that this one repeats. */
  redelivery_of: string | null;
  created_at: string;
  finished_at: string | null;
}

/** Every attempt at a delivery, as it ended. */
interface WebhookAttemptsTable {
  delivery_id: string;
  id: string;
  at: string;
  /** delivered, or the reason of the failure. */
  outcome: string;
  response_status: number | null;
  /** What went wrong, in words. */
  message: string | null;
  /** The beginning of the answer. */
  excerpt: string | null;
  /** JSON: milliseconds. */
  timing: string;
}

/** The processes that send: what a process has claimed is free again when its beats end. */
interface WebhookSendersTable {
  id: string;
  beats: number;
}

/** Orders to send many deliveries again. */
interface WebhookRedeliveriesTable {
  id: string;
  tenant_id: string;
  /** JSON. */
  filter: string;
  /** running, finished or canceled. */
  status: string;
  /** How many deliveries fitted when it was ordered. */
  total: number;
  queued: number;
  /** The id of the last delivery that was looked at. */
  position: string | null;
  created_at: string;
  finished_at: string | null;
}

/** What a tenant adopted; a row from the first adoption on. */
interface ControlProgramsTable {
  id: string;
  tenant_id: string;
  /** Codes of frameworks, separated by spaces, in the order of the catalogue. */
  frameworks: string;
  created_at: string;
  updated_at: string;
}

interface TenantControlsTable {
  id: string;
  tenant_id: string;
  /** The control of the catalogue; the row's own id where the tenant defined the control. */
  control_id: string;
  /** What a control of the tenant's own is, canonical JSON; null for one of the catalogue. */
  definition: string | null;
  /** As it was set last; what time makes of it is not stored. */
  status: string;
  cadence: string;
  owner_user_id: string | null;
  /** Why it is excepted or does not apply. */
  reason: string | null;
  exception_ends_at: string | null;
  evidence_due_at: string | null;
  /** When it was last set to implemented or accepted. */
  reviewed_at: string | null;
  created_at: string;
  updated_at: string;
  /** When the tenant took a control of its own out of use. */
  retired_at: string | null;
}

interface ControlEvidenceTable {
  id: string;
  tenant_id: string;
  tenant_control_id: string;
  title: string;
  kind: string;
  description: string | null;
  url: string | null;
  /** Of the file that the evidence is, hex. */
  sha256: string | null;
  collected_at: string;
  expires_at: string | null;
  created_at: string;
  withdrawn_at: string | null;
  withdrawal_reason: string | null;
}

interface ControlTestsTable {
  id: string;
  tenant_id: string;
  tenant_control_id: string;
  title: string;
  procedure: string | null;
  /** Null for the cadence of the control. */
  cadence: string | null;
  created_at: string;
  retired_at: string | null;
}

interface ControlTestResultsTable {
  id: string;
  tenant_id: string;
  test_id: string;
  status: string;
  notes: string | null;
  url: string | null;
  tested_at: string;
  created_at: string;
}

interface TrustCentersTable {
  id: string;
  tenant_id: string;
  /** Canonical JSON. */
  content: string;
  /** Null while it is not published. */
  published_at: string | null;
  created_at: string;
  updated_at: string;
}

interface DsrRequestsTable {
  id: string;
  tenant_id: string;
  subject_id: string;
  type: string;
  channel: string | null;
  notes: string | null;
  status: string;
  outcome: string | null;
  reason: string | null;
  received_at: string;
  due_at: string;
  extended_at: string | null;
  extension_reason: string | null;
  completed_at: string | null;
  /** Random, so that the hashes of the row in the audit log confirm no guess of what stood in it. */
  salt: string;
  created_at: string;
  updated_at: string;
}

interface BreachIncidentsTable {
  id: string;
  tenant_id: string;
  title: string;
  description: string;
  severity: string;
  status: string;
  affected_subjects: number | null;
  /** JSON array of texts. */
  data_categories: string;
  discovered_at: string;
  authority_notified_at: string | null;
  subjects_notified_at: string | null;
  /** Why no notification was sent, or why it took longer than the law allows. */
  notification_reason: string | null;
  closed_at: string | null;
  /** Random, so that the hashes of the row in the audit log confirm no guess of what stood in it. */
  salt: string;
  created_at: string;
  updated_at: string;
}

/** Signed statements of what a ledger held. */
interface CheckpointsTable {
  tenant_id: string;
  ledger: string;
  /** How many entries it speaks of. */
  size: number;
  /** RFC 6962 Merkle tree hash, base64. */
  root_hash: string;
  at: string;
  /** The signed note (C2SP signed-note, tlog-checkpoint). */
  note: string;
}

/** How far the tiles of a ledger reach. */
interface MerkleTreesTable {
  tenant_id: string;
  ledger: string;
  size: number;
}

/** Hashes of a Merkle tree, 256 to a tile (C2SP tlog-tiles); the last of a level may hold fewer. */
interface MerkleTilesTable {
  tenant_id: string;
  ledger: string;
  level: number;
  number: number;
  /** Base64 of the hashes, one after the other. */
  hashes: string;
}
