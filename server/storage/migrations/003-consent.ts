/** Notices, their published versions, and the ledger of records. */
export const consent = {
  appendOnly: ['consent_notice_versions', 'consent_notice_texts', 'record_templates', 'consent_records'],
  statistics: {
    consent_records: {
      sqlite_autoindex_consent_records_1: [100_000, 1],
      consent_records_notice: [100_000, 20_000, 1],
      consent_records_newest: [20_000, 1],
      consent_records_subject: [100_000, 3, 2, 2, 1],
    },
  },
  sql: `
create table consent_notices (
  tenant_id text not null references tenants (id),
  id text not null,
  status text not null,
  content text not null, -- The content under edit, canonical JSON; publishing freezes it as the next version.
  domain text not null,
  search_text text not null, -- Lower-case text for search.
  version integer not null, -- The latest published version; 0 before the first.
  -- Stored beside the records, so that the total of a page needs no counting.
  record_count bigint default 0 not null, -- [unaudited]
  last_seen_at text, -- [unaudited] When a page of the site last read it or recorded against it.
  created_at text not null,
  updated_at text not null,
  published_at text,
  archived_at text,
  primary key (tenant_id, id)
);
-- A page names its notice, but no tenant.
create index consent_notices_id on consent_notices (id);

create table consent_notice_versions (
  tenant_id text not null,
  notice_id text not null,
  version integer not null,
  content text not null, -- Canonical JSON.
  content_hash text not null,
  asks_since integer not null, -- Visitors who decided on an earlier version are asked again.
  shown text not null, -- Canonical JSON: language to the hash of its text.
  published_at text not null,
  primary key (tenant_id, notice_id, version),
  foreign key (tenant_id, notice_id) references consent_notices (tenant_id, id)
) without rowid;

-- What visitors got of a version in one language, as it was sent.
create table consent_notice_texts (
  tenant_id text not null,
  notice_id text not null,
  hash text not null,
  body text not null,
  primary key (tenant_id, notice_id, hash),
  foreign key (tenant_id, notice_id) references consent_notices (tenant_id, id)
) without rowid;

-- What the entries of many records have in common: their canonical text without the values that are columns of a record.
create table record_templates (
  tenant_id text not null,
  number bigint not null, -- That of the first record that has it.
  hash text not null, -- SHA-256 of the parts, hex, by which it is found.
  parts text not null, -- The text with a tab in place of each value of a record.
  primary key (tenant_id, number)
) without rowid;
create index record_templates_hash on record_templates (tenant_id, hash);

-- The columns before subject_id make the entry, with the template. It has commitments to the values that identify a person; an
-- erasure sets these and their salt to null.
create table consent_records (
  tenant_id text not null,
  sequence bigint not null,
  id text not null,
  notice_id text not null,
  space text not null,
  template bigint not null, -- The number of its template.
  captured_at text not null,
  recorded_at text not null,
  withdraws_record_id text,
  other_purposes text, -- Canonical JSON; null if it is empty.
  subject_commitment text not null,
  ip_commitment text,
  ua_commitment text,
  subject_id text, -- [personal]
  ip_hash text, -- [personal]
  ua_hash text, -- [personal]
  salt text, -- 16 random bytes, base64url.
  hash text not null,
  erased_at text, -- The time of the audit event of its erasure.
  primary key (tenant_id, sequence),
  foreign key (tenant_id, notice_id) references consent_notices (tenant_id, id)
);

-- The ids of subjects that differ from the form by which their other spellings are found; ids in that form have no row.
-- An erasure of the subject removes its row.
create table consent_spellings (
  tenant_id text not null,
  form text not null, -- NFKC, without differences of case and white space around it.
  subject_id text not null,
  primary key (tenant_id, form, subject_id)
) without rowid;

-- Erasures that go on in the background, because they are more than one transaction; removed at their end.
create table erasure_jobs (
  tenant_id text not null references tenants (id),
  id text not null,
  kind text not null, -- subject, dsr, breach or evidence.
  target text not null, -- The subject, or the ids of requests, breaches or an item of evidence, with spaces between.
  through bigint not null, -- The last record of the tenant at the time of the last request for a subject.
  audit_through bigint not null, -- The last audit event at that time.
  position text, -- The last idempotency key that was looked at; null before the first, empty after the last.
  requests text not null, -- JSON: the ids of the requests of the subject, which have lost it themselves.
  counts text not null, -- JSON: what was erased so far.
  created_at text not null,
  primary key (tenant_id, id)
);
create index erasure_jobs_target on erasure_jobs (tenant_id, kind, target);

-- What was erased, without values: each server appends it to its erasures.log.
create table erasures (
  tenant_id text not null references tenants (id),
  number bigint not null, -- From 1, without gaps.
  line text not null, -- As it is in the log, with its HMAC.
  primary key (tenant_id, number)
);

-- Counts of a notice by day: of its records under an empty purpose (captures as granted, withdrawals as refused), and of
-- the choices for each purpose.
create table consent_days (
  tenant_id text not null,
  notice_id text not null,
  day text not null,
  purpose text not null,
  granted bigint not null,
  refused bigint not null,
  visitors bigint not null,
  reads bigint not null,
  primary key (tenant_id, notice_id, day, purpose)
) without rowid;

-- The hosts whose pages show a notice: at most fifty each, and ten whose decisions are refused.
create table consent_sightings (
  tenant_id text not null,
  notice_id text not null,
  host text not null,
  read_at text,
  captured_at text,
  refused_at text, -- When a decision was last refused, because the host is outside of the domain; null for a host of the site.
  seen_at text not null, -- The latest of these.
  widget_version text, -- Of the banner that the host last loaded.
  primary key (tenant_id, notice_id, host),
  foreign key (tenant_id, notice_id) references consent_notices (tenant_id, id)
) without rowid;

-- Three indexes cover all queries: the records of a notice by id and newest first, and those of a subject.
create unique index consent_records_notice on consent_records (tenant_id, notice_id, id);
create index consent_records_newest on consent_records (notice_id, sequence);
create index consent_records_subject on consent_records (tenant_id, subject_id, notice_id, space, sequence);
`,
};
