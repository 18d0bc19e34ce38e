// Generated from server/storage/migrations by tools/types/write-tables.ts.
import type { Generated } from 'kysely';

/** Flags are 0 or 1, times RFC 3339 in UTC. */
export interface Tables {
  /** A single row: values that all servers on this database must agree on. */
  readonly installation: {
    id: number;
    /** SHA-256 of the secret, to reject a server that was started with another one. */
    secret_hash: string;
    created_at: string;
    /** The database that svc move copies here; null once everything is copied. Until then, no server starts. */
    moving_from: string | null;
    /** Where svc move took the data; null if it is here. No server starts where it was. */
    moved_to: string | null;
    moved_at: string | null;
  };
  /** Data that came from elsewhere, for the administrator of the server. */
  readonly transfers: {
    id: string;
    /** move or import. */
    kind: string;
    /** Of a move its end, of an import its beginning. */
    at: string;
    /** Of a move the database that it came from, of an import the SHA-256 of the file. */
    source: string;
    /** Of an import. */
    tenant_id: string | null;
    /** Of an import. */
    notice_id: string | null;
    /** How many rows or records came; null where the command that counted them was interrupted. */
    row_count: number | null;
    /** How many records an import has to write; equal to row_count at its end, null for a move. */
    total_count: number | null;
  };
  readonly tenants: {
    id: string;
    slug: string;
    name: string;
    api_version: string;
    created_at: string;
    /** The role of members that are provisioned without one; null for the least privileged. */
    default_role: string | null;
    /** Null for strict. */
    scim_compatibility: string | null;
    /** The single sign-on configuration, canonical JSON. */
    sso: string | null;
    /** "yes" if members must use a second factor. */
    require_second_factor: string | null;
    /** Days in which a data-subject request must be answered; null for the default. */
    dsr_days: number | null;
    /** yes where everyone can make a request with the form; otherwise null. */
    dsr_form: string | null;
    /** Days after which the texts of completed requests are erased; null for never. */
    dsr_text_days: number | null;
    /** The same for closed breaches. */
    breach_text_days: number | null;
    /** Days after which events for webhooks are forgotten; null for the default. */
    webhook_days: number | null;
    /** hidden once they are done or dismissed; otherwise null. */
    first_steps: string | null;
    /** yes for the tenant that svc demo created, removed after svc demo remove; null for every other. */
    demo: string | null;
    /**
     * As in every table of storage/secrets.ts: a keyed hash of the columns. A row whose seal does not hold grants
     * nothing.
     */
    seal: string | null;
  };
  readonly api_keys: {
    tenant_id: string;
    id: string;
    name: string;
    /** SHA-256 of the key; the key itself is shown once and never stored. */
    hash: string;
    /** The first characters, by which users recognize a key. */
    display_prefix: string;
    /** Space-separated. */
    scopes: string;
    created_at: string;
    expires_at: string | null;
    revoked_at: string | null;
    /** Space-separated ids of further tenants that the key may act for; null for a key of one tenant. */
    tenant_ids: string | null;
    /** Only shown: a key has no idle time. */
    last_used_at: string | null;
    /** The key that replaced it in a rotation. */
    replaced_by: string | null;
    /** As in tenants. */
    seal: string | null;
  };
  readonly idempotency_keys: {
    tenant_id: string;
    key: string;
    /** Keyed hash of method, path and body. */
    fingerprint: string;
    status: number;
    /** The response body, byte for byte; encrypted if it has a secret. */
    body: string;
    created_at: string;
  };
  readonly rate_limits: {
    bucket: string;
    /** The counted minute, since the epoch. */
    minute: number;
    requests: number;
  };
  readonly read_positions: {
    credential_id: string;
    /** In the write-ahead log of PostgreSQL, in bytes: a standby that replayed it has the changes of the caller. */
    position: number;
    /** When it was noted, since the epoch. */
    minute: number;
  };
  readonly chain_heads: {
    tenant_id: string;
    ledger: string;
    sequence: number;
    /** Null while the chain is empty. */
    hash: string | null;
    at: string;
    /** The key that the row is sealed with. */
    key_id: string;
    /** HMAC over the row: an attacker with only the database cannot write a head. */
    mac: string;
  };
  /** The entry is the canonical text that is hashed; the other columns serve queries. */
  readonly audit_events: {
    tenant_id: string;
    sequence: number;
    id: string;
    at: string;
    module: string;
    actor_type: string;
    actor_id: string | null;
    action: string;
    target_id: string | null;
    entry: string;
    hash: string;
  };
  /**
   * The values of events that identify a person: an entry has commitments to them. An erasure sets both columns to
   * null.
   */
  readonly audit_openings: {
    tenant_id: string;
    sequence: number;
    /** Of the field in the event: diff.after.userName. */
    path: string;
    /** 16 random bytes, base64url. */
    salt: string | null;
    value: string | null;
  };
  /** Signed states of a ledger. */
  readonly checkpoints: {
    tenant_id: string;
    ledger: string;
    /** The number of entries that it covers. */
    size: number;
    /** RFC 6962 Merkle tree hash, base64. */
    root_hash: string;
    at: string;
    /** The signed note (C2SP signed-note, tlog-checkpoint). */
    note: string;
  };
  /** Where the keys that sign the checkpoints of a ledger follow each other: signed by both. */
  readonly key_rotations: {
    tenant_id: string;
    ledger: string;
    /** Counts the rotations of the installation, from 1. */
    number: number;
    note: string;
  };
  /**
   * The log of the installation: each hour, the checkpoints that are new. Its own checkpoints and tiles are those of
   * the tenant 'installation' and the ledger 'log'.
   */
  readonly log_leaves: {
    /** From 1, without gaps. */
    sequence: number;
    /** The checkpoint: its tenant, its ledger and its size. */
    tenant_id: string;
    ledger: string;
    size: number;
    /** SHA-256 of its signed note, hex. */
    hash: string;
  };
  /** What others state about a checkpoint of the log. */
  readonly log_attestations: {
    /** timestamp or cosignature. */
    kind: string;
    /** The number of leaves that the checkpoint covers. */
    size: number;
    /** The SHA-256 of the authority's certificate, hex, or the verifier key of the witness. */
    source: string;
    /** The time that it states. */
    at: string;
    /** The token (RFC 3161), base64, or the signature line (C2SP tlog-cosignature). */
    content: string;
  };
  /** The hourly tasks of the log: to get a timestamp, and the cosignature of each witness. */
  readonly log_tasks: {
    /** timestamp or cosignature. */
    kind: string;
    /** The verifier key of the witness; otherwise empty. */
    source: string;
    /** When a server last began it. */
    tried_at: string | null;
    /** The size that the witness answered that it knows. */
    size: number | null;
    /** Why the latest try failed. */
    fault: string | null;
  };
  /** How many entries the tiles of a ledger cover. */
  readonly merkle_trees: {
    tenant_id: string;
    ledger: string;
    size: number;
  };
  /** Hashes of a Merkle tree, 256 per tile (C2SP tlog-tiles); the last of a level may hold fewer. */
  readonly merkle_tiles: {
    tenant_id: string;
    ledger: string;
    level: number;
    number: number;
    /** Base64 of the concatenated hashes: with eleven kilobytes too much for a row without rowid. */
    hashes: string;
  };
  /** Verifications of every ledger and row by a server. */
  readonly verification_runs: {
    id: string;
    /** running, holds, failed, could_not_check or interrupted. */
    status: string;
    /** The server that runs it. */
    claimed_by: string;
    /** When that server last worked on it. */
    heartbeat_at: string;
    started_at: string;
    finished_at: string | null;
    /** How many there are to verify. */
    tenants: number;
    verified_tenants: number;
    /** The entries of ledgers that were checked. */
    entries: number;
    checked_rows: number;
    findings: number;
    /** The most severe finding. */
    fault: string | null;
  };
  /** The latest backup, copy of erasures.log and rehearsal of a restore. */
  readonly backup_tasks: {
    /** backup, erasures or rehearsal. */
    task: string;
    /** running, completed, failed or interrupted. */
    status: string;
    /** The process that runs it. */
    claimed_by: string;
    /** When that process last worked on it. */
    heartbeat_at: string;
    started_at: string;
    /** Null until the first one has ended. */
    finished_at: string | null;
    /** Why the last one that ended failed; null if it succeeded. */
    fault: string | null;
    /** When one last succeeded. */
    completed_at: string | null;
    /** Of the file that it wrote or restored. */
    name: string | null;
    /** The size of that file. */
    bytes: number | null;
  };
  /** The latest verification of each tenant. */
  readonly verifications: {
    tenant_id: string;
    /** holds, failed or could_not_check. */
    status: string;
    started_at: string;
    finished_at: string;
    entries: number;
    checked_rows: number;
    fault: string | null;
  };
  readonly consent_notices: {
    tenant_id: string;
    id: string;
    status: string;
    /** The content under edit, canonical JSON; publishing freezes it as the next version. */
    content: string;
    domain: string;
    /** Lower-case text for search. */
    search_text: string;
    /** The latest published version; 0 before the first. */
    version: number;
    /** Stored beside the records, so that the total of a page needs no counting. */
    record_count: Generated<number>;
    /** When a page of the site last read it or recorded against it. */
    last_seen_at: string | null;
    created_at: string;
    updated_at: string;
    published_at: string | null;
    archived_at: string | null;
  };
  readonly consent_notice_versions: {
    tenant_id: string;
    notice_id: string;
    version: number;
    /** Canonical JSON. */
    content: string;
    content_hash: string;
    /** Visitors who decided on an earlier version are asked again. */
    asks_since: number;
    /** Canonical JSON: language to the hash of its text. */
    shown: string;
    published_at: string;
  };
  /** What visitors got of a version in one language, as it was sent. */
  readonly consent_notice_texts: {
    tenant_id: string;
    notice_id: string;
    hash: string;
    body: string;
  };
  /**
   * What the entries of many records have in common: their canonical text without the values that are columns of a
   * record.
   */
  readonly record_templates: {
    tenant_id: string;
    /** That of the first record that has it. */
    number: number;
    /** SHA-256 of the parts, hex, by which it is found. */
    hash: string;
    /** The text with a tab in place of each value of a record. */
    parts: string;
  };
  /**
   * The columns before subject_id make the entry, with the template. It has commitments to the values that identify a
   * person; an erasure sets these and their salt to null.
   */
  readonly consent_records: {
    tenant_id: string;
    sequence: number;
    id: string;
    notice_id: string;
    space: string;
    /** The number of its template. */
    template: number;
    captured_at: string;
    recorded_at: string;
    withdraws_record_id: string | null;
    /** Canonical JSON; null if it is empty. */
    other_purposes: string | null;
    subject_commitment: string;
    ip_commitment: string | null;
    ua_commitment: string | null;
    subject_id: string | null;
    ip_hash: string | null;
    ua_hash: string | null;
    /** 16 random bytes, base64url. */
    salt: string | null;
    hash: string;
    /** The time of the audit event of its erasure. */
    erased_at: string | null;
  };
  /**
   * The ids of subjects that differ from the form by which their other spellings are found; ids in that form have no
   * row. An erasure of the subject removes its row.
   */
  readonly consent_spellings: {
    tenant_id: string;
    /** NFKC, without differences of case and white space around it. */
    form: string;
    subject_id: string;
  };
  /** Erasures that go on in the background, because they are more than one transaction; removed at their end. */
  readonly erasure_jobs: {
    tenant_id: string;
    id: string;
    /** subject, dsr, breach or evidence. */
    kind: string;
    /** The subject, or the ids of requests, breaches or an item of evidence, with spaces between. */
    target: string;
    /** The last record of the tenant at the time of the last request for a subject. */
    through: number;
    /** The last audit event at that time. */
    audit_through: number;
    /** The last idempotency key that was looked at; null before the first, empty after the last. */
    position: string | null;
    /** JSON: the ids of the requests of the subject, which have lost it themselves. */
    requests: string;
    /** JSON: what was erased so far. */
    counts: string;
    created_at: string;
  };
  /** What was erased, without values: each server appends it to its erasures.log. */
  readonly erasures: {
    tenant_id: string;
    /** From 1, without gaps. */
    number: number;
    /** As it is in the log, with its HMAC. */
    line: string;
  };
  /**
   * Counts of a notice by day: of its records under an empty purpose (captures as granted, withdrawals as refused), and
   * of the choices for each purpose.
   */
  readonly consent_days: {
    tenant_id: string;
    notice_id: string;
    day: string;
    purpose: string;
    granted: number;
    refused: number;
    visitors: number;
    reads: number;
  };
  /** The hosts whose pages show a notice: at most fifty each, and ten whose decisions are refused. */
  readonly consent_sightings: {
    tenant_id: string;
    notice_id: string;
    host: string;
    read_at: string | null;
    captured_at: string | null;
    /** When a decision was last refused, because the host is outside of the domain; null for a host of the site. */
    refused_at: string | null;
    /** The latest of these. */
    seen_at: string;
    /** Of the banner that the host last loaded. */
    widget_version: string | null;
  };
  /** A person, whatever tenants they belong to. */
  readonly users: {
    id: string;
    /** In the normalized form for comparison: see Email. */
    email: string;
    /** argon2id in PHC form; null until the person has chosen a password. */
    password_hash: string | null;
    password_changed_at: string | null;
    /** Of the commitments to personal values in the hash of the row. */
    salt: string;
    created_at: string;
    /** As in tenants. */
    seal: string | null;
  };
  /**
   * A person's membership in one tenant, with everything that the tenant stores about the person, hidden from others.
   */
  readonly memberships: {
    tenant_id: string;
    user_id: string;
    /** The e-mail address in the tenant's spelling. */
    user_name: string;
    given_name: string | null;
    family_name: string | null;
    external_id: string | null;
    role: string;
    /** As in users. */
    salt: string;
    created_at: string;
    updated_at: string;
    /** When the person accepted an invitation of this tenant; before that, they cannot sign in to it. */
    accepted_at: string | null;
    /** Set while active is false. */
    deactivated_at: string | null;
    /** Set while the person is in no role group. */
    unassigned_at: string | null;
    deleted_at: string | null;
    /** Only chooses the tenant of a sign-in that names none, among those that the user can sign in to. */
    last_signed_in_at: string | null;
    /** As in tenants. */
    seal: string | null;
  };
  /** Every user has one, so that deleting the row does not turn the second factor off. */
  readonly second_factors: {
    user_id: string;
    /** disabled, pending or enabled. */
    state: string;
    /** The TOTP secret. */
    secret: string | null;
    /** The salt of the backup codes' hashes. */
    codes_salt: string | null;
    /** The hashes of the unused backup codes, with spaces between. */
    codes: string | null;
    /** The last 30-second step whose code was accepted. */
    last_step: number | null;
    updated_at: string;
    /** As in tenants. */
    seal: string | null;
  };
  readonly sessions: {
    tenant_id: string;
    id: string;
    token_hash: string;
    user_id: string;
    /** That of the user at the start: with another one, the session is over, even if the row is put back. */
    password_changed_at: string | null;
    /** The challenge that was completed with a code; null without a second factor. */
    challenge_id: string | null;
    /** The browser and system, without versions; null if unknown. */
    device: string | null;
    created_at: string;
    last_seen_at: string;
    expires_at: string;
    /** As in tenants. */
    seal: string | null;
  };
  /** A sign-in with a correct password that still needs a code. */
  readonly sign_in_challenges: {
    tenant_id: string;
    id: string;
    user_id: string;
    /** As in sessions. */
    password_changed_at: string | null;
    /** The number of codes tried. */
    attempts: number;
    expires_at: string;
    /** As in tenants. */
    seal: string | null;
  };
  /** The tokens of links that work once. */
  readonly one_time_tokens: {
    /** Under the secret of the installation, so that only its servers can add one. */
    hash: string;
    /** password_reset, start or setup. */
    purpose: string;
    /** The person for whom it was created. */
    user_id: string | null;
    /** The tenant whose administrator created it; null for the operator. */
    tenant_id: string | null;
    /** As in sessions. */
    password_changed_at: string | null;
    expires_at: string;
    /** As in tenants. */
    seal: string | null;
  };
  readonly sign_in_failures: {
    /** A keyed hash of what is counted: an e-mail address, or one device of a person. */
    subject: string;
    /** Since the last success. */
    failures: number;
    last_failed_at: string;
    blocked_until: string | null;
  };
  readonly invitations: {
    tenant_id: string;
    id: string;
    email: string;
    role: string;
    token_hash: string;
    /** As in users. */
    salt: string;
    created_at: string;
    expires_at: string;
    accepted_at: string | null;
    revoked_at: string | null;
    /** As in tenants. */
    seal: string | null;
  };
  /**
   * Erasures of people that go on in the background, because they are more than one transaction; removed at their end.
   */
  readonly user_erasures: {
    tenant_id: string;
    id: string;
    /** Of the former member; null for an address that was only invited. */
    user_id: string | null;
    /** JSON: the e-mail address in every spelling that is searched. */
    names: string;
    /** The last idempotency key that was looked at; null before the first, empty after the last. */
    position: string | null;
    created_at: string;
  };
  readonly scim_tokens: {
    tenant_id: string;
    id: string;
    hash: string;
    display_prefix: string;
    created_at: string;
    /** Only shown: it has no idle time. */
    last_used_at: string | null;
    revoked_at: string | null;
    /** As in tenants. */
    seal: string | null;
  };
  /** OAuth 2.0 access tokens; each expires with its key at the latest. */
  readonly access_tokens: {
    tenant_id: string;
    hash: string;
    key_id: string;
    scopes: string;
    expires_at: string;
    /** As in tenants. */
    seal: string | null;
  };
  /** The frameworks that a tenant adopted; a tenant has a row from the first adoption on. */
  readonly control_programs: {
    tenant_id: string;
    id: string;
    /** Codes of frameworks, separated by spaces, in the order of the catalogue. */
    frameworks: string;
    created_at: string;
    updated_at: string;
  };
  readonly tenant_controls: {
    tenant_id: string;
    id: string;
    /** The control of the catalogue; the row's own id for a custom control. */
    control_id: string;
    /** The definition of a custom control, canonical JSON; null for one of the catalogue. */
    definition: string | null;
    /** The last status that was set; status changes due to time are not stored. */
    status: string;
    cadence: string;
    owner_user_id: string | null;
    /** Why it has an exception or does not apply. */
    reason: string | null;
    exception_ends_at: string | null;
    evidence_due_at: string | null;
    /** When it was last set to implemented or accepted. */
    reviewed_at: string | null;
    created_at: string;
    updated_at: string;
    /** When the tenant retired a custom control. */
    retired_at: string | null;
  };
  /**
   * The files of evidence. Their bytes are in control_evidence_chunks, so that backups and several servers need nothing
   * else.
   */
  readonly control_evidence_files: {
    tenant_id: string;
    id: string;
    /** In bytes; while the file arrives, the most that it may have; 0 once it is erased. */
    size: number;
    created_at: string;
    /** Null while the file arrives. Housekeeping deletes what never became evidence. */
    finished_at: string | null;
  };
  readonly control_evidence_chunks: {
    tenant_id: string;
    file_id: string;
    /** From 0. */
    position: number;
    bytes: Buffer;
  };
  readonly control_evidence: {
    tenant_id: string;
    id: string;
    tenant_control_id: string;
    /** Null once it is erased, like the other texts and the bytes of the file. */
    title: string | null;
    kind: string;
    description: string | null;
    url: string | null;
    /** SHA-256 of the evidence file, hex; of an uploaded one computed by the server. */
    sha256: string | null;
    /** Null unless a file was uploaded. */
    file_id: string | null;
    file_name: string | null;
    file_size: number | null;
    media_type: string | null;
    collected_at: string;
    expires_at: string | null;
    created_at: string;
    withdrawn_at: string | null;
    withdrawal_reason: string | null;
    /** Of the commitments to personal values in the hash of the row; erased with these. */
    salt: string | null;
    /** When its texts and its file were erased. */
    erased_at: string | null;
  };
  readonly control_tests: {
    tenant_id: string;
    id: string;
    tenant_control_id: string;
    title: string;
    procedure: string | null;
    /** Null for the cadence of the control. */
    cadence: string | null;
    created_at: string;
    retired_at: string | null;
  };
  readonly control_test_results: {
    tenant_id: string;
    id: string;
    test_id: string;
    status: string;
    notes: string | null;
    url: string | null;
    tested_at: string;
    created_at: string;
  };
  readonly trust_centers: {
    tenant_id: string;
    id: string;
    /** Canonical JSON. */
    content: string;
    /** Null while it is not published. */
    published_at: string | null;
    /** Canonical JSON of the content that replaces it when it is next published; null for none. */
    draft: string | null;
    draft_updated_at: string | null;
    created_at: string;
    updated_at: string;
  };
  readonly dsr_requests: {
    tenant_id: string;
    id: string;
    /** Null once it is erased, like the other texts. */
    subject_id: string | null;
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
    assignee_user_id: string | null;
    identity_checked_at: string | null;
    /** The user or the API key. */
    identity_checked_by: string | null;
    identity_check_method: string | null;
    /** api, or public: the form. */
    source: string;
    /** These as the person typed them into the form. */
    requester_email: string | null;
    requester_name: string | null;
    message: string | null;
    /** When the link that was sent to the address was used. */
    confirmed_at: string | null;
    /** Of the token of that link; null once it is used. */
    confirmation_hash: string | null;
    confirmation_expires_at: string | null;
    /** Of the commitments to personal values in the hash of the row; erased with these. */
    salt: string | null;
    created_at: string;
    updated_at: string;
    /** When its texts were erased. */
    erased_at: string | null;
  };
  /** How often the form was used lately; housekeeping deletes what is older than a day. */
  readonly dsr_form_uses: {
    tenant_id: string;
    id: string;
    /** A keyed hash of the address, or of its IPv6 /64. */
    client: string;
    /** The same of the address, or of its IPv6 /48. */
    site: string;
    /** The same of its /16, or of its IPv6 /32. */
    network: string;
    used_at: string;
  };
  readonly breach_incidents: {
    tenant_id: string;
    id: string;
    /** Null once it is erased, like the other texts. */
    title: string | null;
    description: string | null;
    severity: string;
    status: string;
    affected_subjects: number | null;
    /** JSON array of texts. */
    data_categories: string | null;
    discovered_at: string;
    authority_notified_at: string | null;
    subjects_notified_at: string | null;
    /** Why no notification was sent, or why it took longer than the law allows. */
    notification_reason: string | null;
    closed_at: string | null;
    /** Of the commitments to personal values in the hash of the row; erased with these. */
    salt: string | null;
    created_at: string;
    updated_at: string;
    /** When its texts were erased. */
    erased_at: string | null;
  };
  /** A webhook endpoint of a tenant. */
  readonly webhook_endpoints: {
    tenant_id: string;
    id: string;
    /** Empty once it is deleted. */
    url: string;
    description: string | null;
    /** Event types, separated by spaces, in the order of the list; null for all, including future ones. */
    event_types: string | null;
    /** JSON: conditions on the data of events; null for none. */
    filter: string | null;
    /** The maximum number of attempts per second; null for no limit. */
    rate_limit: number | null;
    /** JSON: when attempts are due, in seconds after the first; null for the default schedule. */
    retry_schedule: string | null;
    /** enabled, paused or disabled. */
    status: string;
    /** Why the server disabled it: gone or failing. */
    disabled_reason: string | null;
    disabled_at: string | null;
    /** Empty once the endpoint is deleted. */
    secret: string;
    /** JSON: secrets with their expiry times, newest first; until then they also sign. */
    previous_secrets: string;
    /** An Ed25519 private key; null if the endpoint signs only with HMAC. */
    signing_key: string | null;
    /** The public key as it is shown: whpk_…. */
    public_key: string | null;
    created_at: string;
    updated_at: string;
    deleted_at: string | null;
  };
  /** The health of endpoints; an endpoint has a row from its first failure on. */
  readonly webhook_health: {
    tenant_id: string;
    endpoint_id: string;
    /** When the current series of failures began; null if the last attempt succeeded. */
    failing_since: string | null;
    /** When an attempt last failed. */
    failed_at: string | null;
    last_error: string | null;
    /** The number of failed attempts since; null for none. */
    failures: number | null;
    /** When the other endpoints were notified that it is failing; null if they were not. */
    notified_at: string | null;
    /** Nothing is sent before this time, because the receiver asked for a pause. */
    paused_until: string | null;
  };
  /** One event for one endpoint. */
  readonly webhook_deliveries: {
    tenant_id: string;
    /** The value of the header Svc-Delivery. */
    id: string;
    endpoint_id: string;
    event_id: string;
    event_type: string;
    /** pending, delivered, dead, redelivered or canceled. */
    status: string;
    /** Why the last attempt failed, or why there was none. */
    reason: string | null;
    /** The HTTP status of the last response. */
    response_status: number | null;
    attempts: number;
    /** The start of the 24 hours. */
    first_attempt_at: string | null;
    /** When the next attempt is due; null if there is none. */
    due_at: string | null;
    /** The end of the lease of the server that is making an attempt, by the clock of the database. */
    claimed_until: string | null;
    /** The delivery that this one repeats. */
    redelivery_of: string | null;
    created_at: string;
    finished_at: string | null;
  };
  /** Every finished attempt at a delivery. */
  readonly webhook_attempts: {
    tenant_id: string;
    delivery_id: string;
    id: string;
    at: string;
    /** delivered, or the failure reason. */
    outcome: string;
    response_status: number | null;
    /** A description of the failure. */
    message: string | null;
    /** The start of the response body. */
    excerpt: string | null;
    milliseconds: number;
  };
  /**
   * Counts of what became of deliveries, kept as long as these. A failed attempt that makes a dead letter counts as
   * both.
   */
  readonly webhook_hours: {
    tenant_id: string;
    endpoint_id: string;
    /** In UTC: 2026-11-23T07. */
    hour: string;
    delivered: number;
    /** Attempts. */
    failed: number;
    /** Dead letters. */
    dead: number;
    /** The attempts that the receiver answered. */
    answers: number;
    /** The sum of their response times. */
    milliseconds: number;
    slowest: number;
  };
  /** The token buckets of endpoints with a rate limit, which the servers share. */
  readonly webhook_rates: {
    tenant_id: string;
    endpoint_id: string;
    /** When the bucket was empty: microseconds since 1970. */
    empty_at: number;
  };
  /** Bulk redeliveries. */
  readonly webhook_redeliveries: {
    tenant_id: string;
    id: string;
    /** JSON. */
    filter: string;
    /** running, finished or canceled. */
    status: string;
    /** The number of matching deliveries when it was created. */
    total: number;
    queued: number;
    /** The id of the last processed delivery. */
    position: string | null;
    created_at: string;
    finished_at: string | null;
  };
  /** Events for webhooks, written in the transaction of their change. */
  readonly webhook_events: {
    tenant_id: string;
    id: string;
    type: string;
    /** JSON. */
    data: string;
    /** The person whom the data names, if it does: an erasure looks here. */
    subject_id: string | null;
    /** The member whom the data names, likewise. */
    user_id: string | null;
    /** The data-subject request that the data is about, likewise. */
    dsr_id: string | null;
    /** The number of the record that the data is about: an erasure leaves later ones. */
    sequence: number | null;
    /** The traceparent header of the request that caused it. */
    trace_parent: string | null;
    created_at: string;
  };
}
