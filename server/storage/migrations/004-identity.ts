/** People, their memberships and sign-in, and the tokens of programs. */
export const identity = {
  statistics: {
    memberships: {
      sqlite_autoindex_memberships_1: [100_000, 1],
      memberships_present: [100_000, 1],
      memberships_role: [100_000, 20_000, 1],
      memberships_external: [2, 2, 1],
      memberships_user: [1],
    },
  },
  sql: `
-- A person, whatever tenants they belong to.
create table users (
  id text not null primary key,
  email text not null unique, -- [personal] In the normalized form for comparison: see Email.
  password_hash text, -- [encrypted] argon2id in PHC form; null until the person has chosen a password.
  password_changed_at text,
  salt text not null, -- Of the commitments to personal values in the hash of the row.
  created_at text not null,
  seal text -- As in tenants.
);

-- A person's membership in one tenant, with everything that the tenant stores about the person, hidden from others.
create table memberships (
  tenant_id text not null references tenants (id),
  user_id text not null references users (id),
  user_name text not null, -- [personal] The e-mail address in the tenant's spelling.
  given_name text, -- [personal]
  family_name text, -- [personal]
  external_id text, -- [personal]
  role text not null,
  salt text not null, -- As in users.
  created_at text not null,
  updated_at text not null,
  -- When the person accepted an invitation of this tenant; before that, they cannot sign in to it.
  accepted_at text,
  deactivated_at text, -- Set while active is false.
  unassigned_at text, -- Set while the person is in no role group.
  deleted_at text,
  last_signed_in_at text, -- [unaudited] [unsealed] Only chooses the tenant of a sign-in that names none, among those that the user can sign in to.
  seal text, -- As in tenants.
  primary key (tenant_id, user_id)
);
create index memberships_present on memberships (tenant_id, user_id) where deleted_at is null;
create index memberships_role on memberships (tenant_id, role, user_id) where deleted_at is null;
create index memberships_external on memberships (external_id, tenant_id, user_id) where deleted_at is null;
create index memberships_user on memberships (user_id);

-- Every user has one, so that deleting the row does not turn the second factor off.
create table second_factors (
  user_id text not null primary key references users (id),
  state text not null, -- disabled, pending or enabled.
  secret text, -- [encrypted] The TOTP secret.
  codes_salt text, -- The salt of the backup codes' hashes.
  codes text, -- The hashes of the unused backup codes, with spaces between.
  last_step bigint, -- [unaudited] The last 30-second step whose code was accepted.
  updated_at text not null,
  seal text -- As in tenants.
) without rowid;

create table sessions (
  tenant_id text not null references tenants (id),
  id text not null,
  token_hash text not null,
  user_id text not null references users (id),
  password_changed_at text, -- That of the user at the start: with another one, the session is over, even if the row is put back.
  challenge_id text, -- The challenge that was completed with a code; null without a second factor.
  device text, -- The browser and system, without versions; null if unknown.
  created_at text not null,
  last_seen_at text not null,
  expires_at text not null,
  seal text, -- As in tenants.
  primary key (tenant_id, id)
);
create index sessions_token on sessions (token_hash);
create index sessions_user on sessions (user_id, tenant_id);
create index sessions_last_seen on sessions (last_seen_at);

-- A sign-in with a correct password that still needs a code.
create table sign_in_challenges (
  tenant_id text not null references tenants (id),
  id text not null,
  user_id text not null references users (id),
  password_changed_at text, -- As in sessions.
  attempts integer not null, -- The number of codes tried.
  expires_at text not null,
  seal text, -- As in tenants.
  primary key (tenant_id, id)
);
create index sign_in_challenges_id on sign_in_challenges (id);
create index sign_in_challenges_user on sign_in_challenges (user_id);
create index sign_in_challenges_expires on sign_in_challenges (expires_at);

-- The tokens of links that work once.
create table one_time_tokens (
  hash text not null primary key, -- Under the secret of the installation, so that only its servers can add one.
  purpose text not null, -- password_reset, start or setup.
  user_id text references users (id), -- The person for whom it was created.
  tenant_id text references tenants (id), -- The tenant whose administrator created it; null for the operator.
  password_changed_at text, -- As in sessions.
  expires_at text not null,
  seal text -- As in tenants.
) without rowid;
create index one_time_tokens_user on one_time_tokens (user_id);
create index one_time_tokens_expires on one_time_tokens (expires_at);

create table sign_in_failures (
  -- A keyed hash of what is counted: an e-mail address, or one device of a person.
  subject text not null primary key,
  failures integer not null, -- Since the last success.
  last_failed_at text not null,
  blocked_until text
) without rowid;
create index sign_in_failures_last on sign_in_failures (last_failed_at);

create table invitations (
  tenant_id text not null references tenants (id),
  id text not null,
  email text not null, -- [personal]
  role text not null,
  token_hash text not null,
  salt text not null, -- As in users.
  created_at text not null,
  expires_at text not null,
  accepted_at text,
  revoked_at text,
  seal text, -- As in tenants.
  primary key (tenant_id, id)
);
create index invitations_token on invitations (token_hash);

-- Erasures of people that go on in the background, because they are more than one transaction; removed at their end.
create table user_erasures (
  tenant_id text not null references tenants (id),
  id text not null,
  user_id text, -- Of the former member; null for an address that was only invited.
  names text not null, -- JSON: the e-mail address in every spelling that is searched.
  position text, -- The last idempotency key that was looked at; null before the first, empty after the last.
  created_at text not null,
  primary key (tenant_id, id)
);

create table scim_tokens (
  tenant_id text not null references tenants (id),
  id text not null,
  hash text not null,
  display_prefix text not null,
  created_at text not null,
  last_used_at text, -- [unaudited] [unsealed] Only shown: it has no idle time.
  revoked_at text,
  seal text, -- As in tenants.
  primary key (tenant_id, id)
);
create index scim_tokens_hash on scim_tokens (hash);
-- The database enforces a single valid token.
create unique index scim_tokens_valid on scim_tokens (tenant_id) where revoked_at is null;

-- OAuth 2.0 access tokens; each expires with its key at the latest.
create table access_tokens (
  tenant_id text not null,
  hash text not null,
  key_id text not null,
  scopes text not null,
  expires_at text not null,
  seal text, -- As in tenants.
  primary key (tenant_id, hash),
  foreign key (tenant_id, key_id) references api_keys (tenant_id, id)
) without rowid;
create index access_tokens_hash on access_tokens (hash);
create index access_tokens_expires on access_tokens (expires_at);
`,
};
