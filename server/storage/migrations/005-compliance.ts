/** Controls with their evidence and tests, trust centers, data-subject requests, and breaches. */
export const compliance = {
  sql: `
-- The frameworks that a tenant adopted; a tenant has a row from the first adoption on.
create table control_programs (
  tenant_id text not null primary key references tenants (id),
  id text not null,
  frameworks text not null, -- Codes of frameworks, separated by spaces, in the order of the catalogue.
  created_at text not null,
  updated_at text not null
);

create table tenant_controls (
  tenant_id text not null references tenants (id),
  id text not null,
  control_id text not null, -- The control of the catalogue; the row's own id for a custom control.
  definition text, -- The definition of a custom control, canonical JSON; null for one of the catalogue.
  status text not null, -- The last status that was set; status changes due to time are not stored.
  cadence text not null,
  owner_user_id text,
  reason text, -- Why it has an exception or does not apply.
  exception_ends_at text,
  evidence_due_at text,
  reviewed_at text, -- When it was last set to implemented or accepted.
  created_at text not null,
  updated_at text not null,
  retired_at text, -- When the tenant retired a custom control.
  constraint tenant_controls_control unique (tenant_id, control_id),
  primary key (tenant_id, id)
);

-- The files of evidence. Their bytes are in control_evidence_chunks, so that backups and several servers need nothing else.
create table control_evidence_files (
  tenant_id text not null references tenants (id),
  id text not null,
  size integer not null, -- In bytes; while the file arrives, the most that it may have; 0 once it is erased.
  created_at text not null,
  finished_at text, -- Null while the file arrives. Housekeeping deletes what never became evidence.
  primary key (tenant_id, id)
);
-- What counts towards the quota of a tenant is summed in this index.
create index control_evidence_files_size on control_evidence_files (tenant_id, size);
create index control_evidence_files_unfinished on control_evidence_files (created_at) where finished_at is null;

create table control_evidence_chunks (
  tenant_id text not null,
  file_id text not null,
  position integer not null, -- From 0.
  bytes blob not null,
  primary key (tenant_id, file_id, position),
  foreign key (tenant_id, file_id) references control_evidence_files (tenant_id, id)
);

create table control_evidence (
  tenant_id text not null references tenants (id),
  id text not null,
  tenant_control_id text not null,
  title text, -- [personal] Null once it is erased, like the other texts and the bytes of the file.
  kind text not null,
  description text, -- [personal]
  url text, -- [personal]
  sha256 text, -- SHA-256 of the evidence file, hex; of an uploaded one computed by the server.
  file_id text, -- Null unless a file was uploaded.
  file_name text, -- [personal]
  file_size integer,
  media_type text,
  collected_at text not null,
  expires_at text,
  created_at text not null,
  withdrawn_at text,
  withdrawal_reason text, -- [personal]
  salt text, -- Of the commitments to personal values in the hash of the row; erased with these.
  erased_at text, -- When its texts and its file were erased.
  primary key (tenant_id, id),
  foreign key (tenant_id, tenant_control_id) references tenant_controls (tenant_id, id),
  foreign key (tenant_id, file_id) references control_evidence_files (tenant_id, id)
);
create index control_evidence_control on control_evidence (tenant_id, tenant_control_id, id);
-- The freshness of all controls of a tenant is read only from this index, except for withdrawn_at on SQLite.
create index control_evidence_freshness
  on control_evidence (tenant_id, tenant_control_id, collected_at, expires_at, withdrawn_at) where withdrawn_at is null;

create table control_tests (
  tenant_id text not null references tenants (id),
  id text not null,
  tenant_control_id text not null,
  title text not null,
  procedure text,
  cadence text, -- Null for the cadence of the control.
  created_at text not null,
  retired_at text,
  primary key (tenant_id, id),
  foreign key (tenant_id, tenant_control_id) references tenant_controls (tenant_id, id)
);
create index control_tests_control on control_tests (tenant_id, tenant_control_id, id);

create table control_test_results (
  tenant_id text not null references tenants (id),
  id text not null,
  test_id text not null,
  status text not null,
  notes text,
  url text,
  tested_at text not null,
  created_at text not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, test_id) references control_tests (tenant_id, id)
);
create index control_test_results_latest on control_test_results (tenant_id, test_id, tested_at, id, status);

create table trust_centers (
  tenant_id text not null primary key references tenants (id),
  id text not null,
  content text not null, -- Canonical JSON.
  published_at text, -- Null while it is not published.
  draft text, -- Canonical JSON of the content that replaces it when it is next published; null for none.
  draft_updated_at text,
  created_at text not null,
  updated_at text not null
);

create table dsr_requests (
  tenant_id text not null references tenants (id),
  id text not null,
  subject_id text, -- [personal] Null once it is erased, like the other texts.
  type text not null,
  channel text,
  notes text, -- [personal]
  status text not null,
  outcome text,
  reason text, -- [personal]
  received_at text not null,
  due_at text not null,
  extended_at text,
  extension_reason text, -- [personal]
  completed_at text,
  assignee_user_id text,
  identity_checked_at text,
  identity_checked_by text, -- The user or the API key.
  identity_check_method text, -- [personal]
  source text not null, -- api, or public: the form.
  requester_email text, -- [personal] These as the person typed them into the form.
  requester_name text, -- [personal]
  message text, -- [personal]
  confirmed_at text, -- When the link that was sent to the address was used.
  confirmation_hash text, -- Of the token of that link; null once it is used.
  confirmation_expires_at text,
  salt text, -- Of the commitments to personal values in the hash of the row; erased with these.
  created_at text not null,
  updated_at text not null,
  erased_at text, -- When its texts were erased.
  primary key (tenant_id, id)
);
-- Requests that are overdue, of all tenants: the metrics count them.
create index dsr_requests_open on dsr_requests (due_at) where status = 'open';
create index dsr_requests_status on dsr_requests (tenant_id, status, id);
create index dsr_requests_type on dsr_requests (tenant_id, type, id);
create index dsr_requests_subject on dsr_requests (tenant_id, subject_id, id);
create index dsr_requests_assignee on dsr_requests (tenant_id, assignee_user_id, id);
-- What housekeeping erases after the time that the tenant chose.
create index dsr_requests_completed on dsr_requests (tenant_id, completed_at)
  where completed_at is not null and erased_at is null;
-- The link names no tenant.
create index dsr_requests_confirmation on dsr_requests (confirmation_hash) where confirmation_hash is not null;
create index dsr_requests_unconfirmed on dsr_requests (confirmation_expires_at) where confirmation_expires_at is not null;

-- How often the form was used lately; housekeeping deletes what is older than a day.
create table dsr_form_uses (
  tenant_id text not null references tenants (id),
  id text not null,
  client text not null, -- A keyed hash of the address, or of its IPv6 /64.
  site text not null, -- The same of the address, or of its IPv6 /48.
  network text not null, -- The same of its /16, or of its IPv6 /32.
  used_at text not null,
  primary key (tenant_id, id)
);
create index dsr_form_uses_tenant on dsr_form_uses (tenant_id, used_at);
create index dsr_form_uses_used on dsr_form_uses (used_at);

create table breach_incidents (
  tenant_id text not null references tenants (id),
  id text not null,
  title text, -- [personal] Null once it is erased, like the other texts.
  description text, -- [personal]
  severity text not null,
  status text not null,
  affected_subjects bigint,
  data_categories text, -- [personal] JSON array of texts.
  discovered_at text not null,
  authority_notified_at text,
  subjects_notified_at text,
  notification_reason text, -- [personal] Why no notification was sent, or why it took longer than the law allows.
  closed_at text,
  salt text, -- Of the commitments to personal values in the hash of the row; erased with these.
  created_at text not null,
  updated_at text not null,
  erased_at text, -- When its texts were erased.
  primary key (tenant_id, id)
);
-- Breaches whose notification is overdue, of all tenants.
create index breach_incidents_unnotified on breach_incidents (discovered_at)
  where authority_notified_at is null and notification_reason is null and erased_at is null;
create index breach_incidents_closed on breach_incidents (tenant_id, closed_at)
  where closed_at is not null and erased_at is null;
`,
};
