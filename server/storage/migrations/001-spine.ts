/** Tenants and their keys, stored responses and rate limits. */
export const spine = {
  sql: `
-- A single row: values that all servers on this database must agree on.
create table installation (
  id integer not null primary key,
  secret_hash text not null, -- SHA-256 of the secret, to reject a server that was started with another one.
  created_at text not null,
  moving_from text, -- The database that svc move copies here; null once everything is copied. Until then, no server starts.
  moved_to text, -- Where svc move took the data; null if it is here. No server starts where it was.
  moved_at text
);

-- Data that came from elsewhere, for the administrator of the server.
create table transfers (
  id text not null primary key,
  kind text not null, -- move or import.
  at text not null, -- Of a move its end, of an import its beginning.
  source text not null, -- Of a move the database that it came from, of an import the SHA-256 of the file.
  tenant_id text, -- Of an import.
  notice_id text, -- Of an import.
  row_count bigint, -- How many rows or records came; null where the command that counted them was interrupted.
  total_count bigint -- How many records an import has to write; equal to row_count at its end, null for a move.
);

create table tenants (
  id text not null primary key,
  slug text not null unique,
  name text not null,
  api_version text not null,
  created_at text not null,
  default_role text, -- The role of members that are provisioned without one; null for the least privileged.
  scim_compatibility text, -- Null for strict.
  sso text, -- The single sign-on configuration, canonical JSON.
  require_second_factor text, -- "yes" if members must use a second factor.
  dsr_days integer, -- Days in which a data-subject request must be answered; null for the default.
  dsr_form text, -- yes where everyone can make a request with the form; otherwise null.
  dsr_text_days integer, -- Days after which the texts of completed requests are erased; null for never.
  breach_text_days integer, -- The same for closed breaches.
  webhook_days integer, -- Days after which events for webhooks are forgotten; null for the default.
  first_steps text, -- hidden once they are done or dismissed; otherwise null.
  demo text, -- yes for the tenant that svc demo created, removed after svc demo remove; null for every other.
  seal text -- As in every table of storage/secrets.ts: a keyed hash of the columns. A row whose seal does not hold grants nothing.
);

create table api_keys (
  tenant_id text not null references tenants (id),
  id text not null,
  name text not null,
  hash text not null, -- SHA-256 of the key; the key itself is shown once and never stored.
  display_prefix text not null, -- The first characters, by which users recognize a key.
  scopes text not null, -- Space-separated.
  created_at text not null,
  expires_at text,
  revoked_at text,
  tenant_ids text, -- Space-separated ids of further tenants that the key may act for; null for a key of one tenant.
  last_used_at text, -- [unaudited] [unsealed] Only shown: a key has no idle time.
  replaced_by text, -- The key that replaced it in a rotation.
  seal text, -- As in tenants.
  primary key (tenant_id, id)
);
-- A request shows a key, but no tenant; events name the keys of other tenants.
create index api_keys_hash on api_keys (hash);
create index api_keys_id on api_keys (id);
-- Few keys act for several tenants; each tenant scans these for those that include it.
create index api_keys_shared on api_keys (id) where tenant_ids is not null;

create table idempotency_keys (
  tenant_id text not null,
  key text not null,
  fingerprint text not null, -- Keyed hash of method, path and body.
  status integer not null,
  body text not null, -- [encrypted] The response body, byte for byte; encrypted if it has a secret.
  created_at text not null,
  primary key (tenant_id, key)
) without rowid;
create index idempotency_keys_created_at on idempotency_keys (created_at);

create table rate_limits (
  bucket text not null,
  minute bigint not null, -- The counted minute, since the epoch.
  requests bigint not null,
  primary key (minute, bucket)
) without rowid;

create table read_positions (
  credential_id text not null,
  position bigint not null, -- In the write-ahead log of PostgreSQL, in bytes: a standby that replayed it has the changes of the caller.
  minute bigint not null, -- When it was noted, since the epoch.
  primary key (credential_id)
) without rowid;
`,
};
