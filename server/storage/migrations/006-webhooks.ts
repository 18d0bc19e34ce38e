/** Webhook endpoints, deliveries with their attempts, and events. */
export const webhooks = {
  statistics: {
    webhook_deliveries: {
      sqlite_autoindex_webhook_deliveries_1: [1000, 1],
      webhook_deliveries_tenant: [1000, 2, 1],
      webhook_deliveries_endpoint: [500, 2, 1],
      webhook_deliveries_event: [2],
      webhook_deliveries_due: [1000, 500, 2, 1],
      webhook_deliveries_dead_tenant: [200, 2, 1],
      webhook_deliveries_dead_endpoint: [100, 2, 1],
    },
  },
  sql: `
-- A webhook endpoint of a tenant.
create table webhook_endpoints (
  tenant_id text not null references tenants (id),
  id text not null,
  url text not null, -- Empty once it is deleted.
  description text,
  -- Event types, separated by spaces, in the order of the list; null for all, including future ones.
  event_types text,
  filter text, -- JSON: conditions on the data of events; null for none.
  rate_limit integer, -- The maximum number of attempts per second; null for no limit.
  retry_schedule text, -- JSON: when attempts are due, in seconds after the first; null for the default schedule.
  status text not null, -- enabled, paused or disabled.
  disabled_reason text, -- Why the server disabled it: gone or failing.
  disabled_at text,
  secret text not null, -- [encrypted] Empty once the endpoint is deleted.
  previous_secrets text not null, -- [encrypted] JSON: secrets with their expiry times, newest first; until then they also sign.
  signing_key text, -- [encrypted] An Ed25519 private key; null if the endpoint signs only with HMAC.
  public_key text, -- The public key as it is shown: whpk_….
  created_at text not null,
  updated_at text not null,
  deleted_at text,
  primary key (tenant_id, id)
);
-- Deleted endpoints are kept forever and must not slow down deliveries.
create index webhook_endpoints_present on webhook_endpoints (tenant_id, id) where deleted_at is null;

-- The health of endpoints; an endpoint has a row from its first failure on.
create table webhook_health (
  tenant_id text not null,
  endpoint_id text not null,
  failing_since text, -- When the current series of failures began; null if the last attempt succeeded.
  failed_at text, -- When an attempt last failed.
  last_error text,
  failures integer, -- The number of failed attempts since; null for none.
  notified_at text, -- When the other endpoints were notified that it is failing; null if they were not.
  paused_until text, -- Nothing is sent before this time, because the receiver asked for a pause.
  primary key (tenant_id, endpoint_id)
) without rowid;

-- One event for one endpoint.
create table webhook_deliveries (
  tenant_id text not null,
  id text not null, -- The value of the header Svc-Delivery.
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  status text not null, -- pending, delivered, dead, redelivered or canceled.
  reason text, -- Why the last attempt failed, or why there was none.
  response_status integer, -- The HTTP status of the last response.
  attempts integer not null,
  first_attempt_at text, -- The start of the 24 hours.
  due_at text, -- When the next attempt is due; null if there is none.
  claimed_until text, -- The end of the lease of the server that is making an attempt, by the clock of the database.
  redelivery_of text, -- The delivery that this one repeats.
  created_at text not null,
  finished_at text,
  primary key (tenant_id, id)
);
-- Lists are ordered by creation, which the ids of several servers follow only approximately.
create index webhook_deliveries_tenant on webhook_deliveries (tenant_id, created_at, id);
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, created_at, id);
create index webhook_deliveries_event on webhook_deliveries (event_id);
-- Most deliveries succeed: they cost these indexes a single entry, which is removed on success.
create index webhook_deliveries_due on webhook_deliveries (tenant_id, endpoint_id, due_at, id) where due_at is not null;
create index webhook_deliveries_dead_tenant on webhook_deliveries (tenant_id, created_at, id) where status = 'dead';
create index webhook_deliveries_dead_endpoint on webhook_deliveries (endpoint_id, created_at, id) where status = 'dead';

-- Every finished attempt at a delivery.
create table webhook_attempts (
  tenant_id text not null,
  delivery_id text not null,
  id text not null,
  at text not null,
  outcome text not null, -- delivered, or the failure reason.
  response_status integer,
  message text, -- A description of the failure.
  excerpt text, -- The start of the response body.
  milliseconds integer not null,
  primary key (tenant_id, delivery_id, id)
) without rowid;

-- Counts of what became of deliveries, kept as long as these. A failed attempt that makes a dead letter counts as both.
create table webhook_hours (
  tenant_id text not null,
  endpoint_id text not null,
  hour text not null, -- In UTC: 2026-11-23T07.
  delivered bigint not null,
  failed bigint not null, -- Attempts.
  dead bigint not null, -- Dead letters.
  answers bigint not null, -- The attempts that the receiver answered.
  milliseconds bigint not null, -- The sum of their response times.
  slowest bigint not null,
  primary key (tenant_id, endpoint_id, hour)
) without rowid;
create index webhook_hours_hour on webhook_hours (hour);

-- The token buckets of endpoints with a rate limit, which the servers share.
create table webhook_rates (
  tenant_id text not null,
  endpoint_id text not null,
  empty_at bigint not null, -- When the bucket was empty: microseconds since 1970.
  primary key (tenant_id, endpoint_id)
) without rowid;

-- Bulk redeliveries.
create table webhook_redeliveries (
  tenant_id text not null,
  id text not null,
  filter text not null, -- JSON.
  status text not null, -- running, finished or canceled.
  total bigint not null, -- The number of matching deliveries when it was created.
  queued bigint not null,
  position text, -- The id of the last processed delivery.
  created_at text not null,
  finished_at text,
  primary key (tenant_id, id)
);
create index webhook_redeliveries_running on webhook_redeliveries (id) where status = 'running';

-- Events for webhooks, written in the transaction of their change.
create table webhook_events (
  tenant_id text not null,
  id text not null,
  type text not null,
  data text not null, -- JSON.
  subject_id text, -- The person whom the data names, if it does: an erasure looks here.
  user_id text, -- The member whom the data names, likewise.
  dsr_id text, -- The data-subject request that the data is about, likewise.
  sequence bigint, -- The number of the record that the data is about: an erasure leaves later ones.
  trace_parent text, -- The traceparent header of the request that caused it.
  created_at text not null,
  primary key (tenant_id, id)
);
create index webhook_events_tenant on webhook_events (tenant_id, created_at);
create index webhook_events_subject on webhook_events (tenant_id, subject_id) where subject_id is not null;
create index webhook_events_user on webhook_events (tenant_id, user_id) where user_id is not null;
create index webhook_events_dsr on webhook_events (tenant_id, dsr_id) where dsr_id is not null;
`,
};
