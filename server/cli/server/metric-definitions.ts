/** A metric as it is documented and exposed. No label names a tenant, a person or anything else that a client can choose. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The labels, and the values of those that have few. */
  readonly labels: Readonly<Record<string, string>>;
  readonly help: string;
  /** The upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

const route =
  'the path as a pattern, as in the API document; page for other pages and files; none for requests that lead to nothing';
const method = 'the method, or other';

/** Metrics of one process. */
export const processMetrics = {
  svc_build_info: {
    type: 'gauge',
    labels: { version: 'of the server', node: 'the version of Node' },
    help: 'Always 1.',
  },
  svc_http_requests_total: {
    type: 'counter',
    labels: { method, route, status: 'the status of the response' },
    help: 'Requests, without /healthz and /readyz.',
  },
  svc_http_request_duration_seconds: {
    type: 'histogram',
    labels: { method, route },
    help: 'Time from the headers of a request to the start of its response.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  svc_ledger_entries_total: {
    type: 'counter',
    labels: { ledger: 'consent: captures and withdrawals; audit: audit events' },
    help: 'Entries that this process appended to ledgers.',
  },
  svc_write_batch_size: {
    type: 'histogram',
    labels: {},
    help: 'Captures and other frequent changes that were written in one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  },
  svc_database_up: {
    type: 'gauge',
    labels: {},
    help: '1 if the database answered within 1.5 seconds; if 0, the metrics that are read from it are missing.',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** Metrics of one process on PostgreSQL. */
export const poolMetrics = {
  svc_database_pool_connections: {
    type: 'gauge',
    labels: { state: 'busy or idle' },
    help: 'Open connections to PostgreSQL.',
  },
  svc_database_pool_waiting: {
    type: 'gauge',
    labels: {},
    help: 'Queries and transactions that wait for a connection to PostgreSQL.',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** Metrics of one process with a read replica. */
export const replicaMetrics = {
  svc_read_replica_up: {
    type: 'gauge',
    labels: {},
    help: '1 while DATABASE_READ_URL answers reads; 0 while the primary does.',
  },
  svc_read_replica_lag_seconds: {
    type: 'gauge',
    labels: {},
    help: 'Age of the oldest change that the read replica lacks; missing while it does not answer.',
  },
  svc_read_replica_reads_total: {
    type: 'counter',
    labels: { target: 'replica or primary' },
    help: 'Reads that the read replica may answer, by the database that did.',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** Metrics that are read from the database: every server on it has the same. */
export const databaseMetrics = {
  svc_webhook_deliveries_pending: {
    type: 'gauge',
    labels: {},
    help: 'Deliveries that wait for an attempt, at most 100,000.',
  },
  svc_webhook_oldest_pending_delivery_age_seconds: {
    type: 'gauge',
    labels: {},
    help: 'Age of the oldest pending delivery of an enabled webhook, retries included; 0 without one.',
  },
  svc_webhook_oldest_due_delivery_age_seconds: {
    type: 'gauge',
    labels: {},
    help: 'How long the next attempt at a delivery of an enabled webhook has been due; 0 if none is.',
  },
  svc_webhook_dead_letters: {
    type: 'gauge',
    labels: {},
    help: 'Deliveries that were given up and not sent again, at most 100,000.',
  },
  svc_dsr_overdue: {
    type: 'gauge',
    labels: {},
    help: 'Open data-subject requests past their due date, at most 100,000.',
  },
  svc_breaches_overdue: {
    type: 'gauge',
    labels: {},
    help: 'Breaches whose authority was not notified within 72 hours, at most 100,000.',
  },
  svc_last_checkpoint_timestamp_seconds: {
    type: 'gauge',
    labels: {},
    help: 'When a checkpoint of a ledger was last signed. A ledger without new entries gets none.',
  },
  svc_last_verification_timestamp_seconds: {
    type: 'gauge',
    labels: {},
    help: 'When a server last finished to verify every ledger and row.',
  },
  svc_last_verification_success: {
    type: 'gauge',
    labels: {},
    help: '1 if that verification found nothing; 0 if something was changed or could not be checked.',
  },
  svc_last_backup_timestamp_seconds: {
    type: 'gauge',
    labels: { kind: 'backup, erasures (a copy of erasures.log) or rehearsal (of a restore)' },
    help: 'When a backup, a copy of erasures.log or a rehearsal of a restore last succeeded.',
  },
  svc_last_backup_success: {
    type: 'gauge',
    labels: { kind: 'backup, erasures (a copy of erasures.log) or rehearsal (of a restore)' },
    help: '1 if the latest one succeeded, 0 if it failed.',
  },
  svc_last_attestation_timestamp_seconds: {
    type: 'gauge',
    labels: { kind: 'timestamp (of an authority) or cosignature (of a witness)' },
    help: 'The time in the newest timestamp or cosignature of the log of the installation.',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;
