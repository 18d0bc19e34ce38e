/** Hash chains, the audit log, the Merkle trees over the ledgers and their signed checkpoints. */
export const ledger = {
  appendOnly: ['audit_events', 'audit_openings', 'checkpoints', 'key_rotations', 'log_leaves', 'log_attestations'],
  statistics: {
    audit_events: {
      sqlite_autoindex_audit_events_1: [100_000, 1],
      audit_events_id: [100_000, 1, 1],
      audit_events_at: [100_000, 2, 1],
      audit_events_module: [100_000, 20_000, 1],
      audit_events_actor_type: [100_000, 30_000, 1],
      audit_events_actor: [100_000, 2000, 1],
      audit_events_action: [100_000, 5000, 1],
      audit_events_target: [100_000, 3, 1],
    },
    audit_openings: {
      audit_openings: [100_000, 2, 1],
      audit_openings_value: [100_000, 20, 2],
    },
  },
  sql: `
create table chain_heads (
  tenant_id text not null,
  ledger text not null,
  sequence bigint not null,
  hash text, -- Null while the chain is empty.
  at text not null,
  key_id text not null, -- The key that the row is sealed with.
  mac text not null, -- HMAC over the row: an attacker with only the database cannot write a head.
  primary key (tenant_id, ledger)
) without rowid;

-- The entry is the canonical text that is hashed; the other columns serve queries.
create table audit_events (
  tenant_id text not null,
  sequence bigint not null,
  id text not null,
  at text not null,
  module text not null,
  actor_type text not null,
  actor_id text,
  action text not null,
  target_id text,
  entry text not null,
  hash text not null,
  primary key (tenant_id, sequence)
);
create index audit_events_id on audit_events (tenant_id, id, sequence);
create index audit_events_at on audit_events (tenant_id, at, sequence);
create index audit_events_module on audit_events (tenant_id, module, sequence);
create index audit_events_actor_type on audit_events (tenant_id, actor_type, sequence);
create index audit_events_actor on audit_events (tenant_id, actor_id, sequence);
create index audit_events_action on audit_events (tenant_id, action, sequence);
create index audit_events_target on audit_events (tenant_id, target_id, sequence);

-- The values of events that identify a person: an entry has commitments to them. An erasure sets both columns to null.
create table audit_openings (
  tenant_id text not null,
  sequence bigint not null,
  path text not null, -- Of the field in the event: diff.after.userName.
  salt text, -- 16 random bytes, base64url.
  value text, -- [personal]
  primary key (tenant_id, sequence, path)
) without rowid;
-- PostgreSQL indexes no text of more than 2.7 kB.
create index audit_openings_value on audit_openings (tenant_id, substr(value, 1, 200), sequence) where value is not null;

-- Signed states of a ledger.
create table checkpoints (
  tenant_id text not null,
  ledger text not null,
  size bigint not null, -- The number of entries that it covers.
  root_hash text not null, -- RFC 6962 Merkle tree hash, base64.
  at text not null,
  note text not null, -- The signed note (C2SP signed-note, tlog-checkpoint).
  primary key (tenant_id, ledger, size)
) without rowid;

-- Where the keys that sign the checkpoints of a ledger follow each other: signed by both.
create table key_rotations (
  tenant_id text not null,
  ledger text not null,
  number integer not null, -- Counts the rotations of the installation, from 1.
  note text not null,
  primary key (tenant_id, ledger, number)
) without rowid;

-- The log of the installation: each hour, the checkpoints that are new. Its own checkpoints and tiles are those of the
-- tenant 'installation' and the ledger 'log'.
create table log_leaves (
  sequence bigint not null primary key, -- From 1, without gaps.
  tenant_id text not null, -- The checkpoint: its tenant, its ledger and its size.
  ledger text not null,
  size bigint not null,
  hash text not null -- SHA-256 of its signed note, hex.
) without rowid;
create unique index log_leaves_checkpoint on log_leaves (tenant_id, ledger, size);

-- What others state about a checkpoint of the log.
create table log_attestations (
  kind text not null, -- timestamp or cosignature.
  size bigint not null, -- The number of leaves that the checkpoint covers.
  source text not null, -- The SHA-256 of the authority's certificate, hex, or the verifier key of the witness.
  at text not null, -- The time that it states.
  content text not null, -- The token (RFC 3161), base64, or the signature line (C2SP tlog-cosignature).
  primary key (kind, size, source)
);

-- The hourly tasks of the log: to get a timestamp, and the cosignature of each witness.
create table log_tasks (
  kind text not null, -- timestamp or cosignature.
  source text not null, -- The verifier key of the witness; otherwise empty.
  tried_at text, -- When a server last began it.
  size bigint, -- The size that the witness answered that it knows.
  fault text, -- Why the latest try failed.
  primary key (kind, source)
) without rowid;

-- How many entries the tiles of a ledger cover.
create table merkle_trees (
  tenant_id text not null,
  ledger text not null,
  size bigint not null,
  primary key (tenant_id, ledger)
) without rowid;

-- Hashes of a Merkle tree, 256 per tile (C2SP tlog-tiles); the last of a level may hold fewer.
create table merkle_tiles (
  tenant_id text not null,
  ledger text not null,
  level integer not null,
  number bigint not null,
  -- Base64 of the concatenated hashes: with eleven kilobytes too much for a row without rowid.
  hashes text not null,
  primary key (tenant_id, ledger, level, number)
);

-- Verifications of every ledger and row by a server.
create table verification_runs (
  id text not null primary key,
  status text not null, -- running, holds, failed, could_not_check or interrupted.
  claimed_by text not null, -- The server that runs it.
  heartbeat_at text not null, -- When that server last worked on it.
  started_at text not null,
  finished_at text,
  tenants bigint not null, -- How many there are to verify.
  verified_tenants bigint not null,
  entries bigint not null, -- The entries of ledgers that were checked.
  checked_rows bigint not null,
  findings bigint not null,
  fault text -- The most severe finding.
);
create unique index verification_runs_running on verification_runs (status) where status = 'running';

-- The latest backup, copy of erasures.log and rehearsal of a restore.
create table backup_tasks (
  task text not null primary key, -- backup, erasures or rehearsal.
  status text not null, -- running, completed, failed or interrupted.
  claimed_by text not null, -- The process that runs it.
  heartbeat_at text not null, -- When that process last worked on it.
  started_at text not null,
  finished_at text, -- Null until the first one has ended.
  fault text, -- Why the last one that ended failed; null if it succeeded.
  completed_at text, -- When one last succeeded.
  name text, -- Of the file that it wrote or restored.
  bytes bigint -- The size of that file.
);

-- The latest verification of each tenant.
create table verifications (
  tenant_id text not null primary key,
  status text not null, -- holds, failed or could_not_check.
  started_at text not null,
  finished_at text not null,
  entries bigint not null,
  checked_rows bigint not null,
  fault text
);
`,
};
