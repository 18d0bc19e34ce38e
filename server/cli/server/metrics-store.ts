import { sql } from 'kysely';
import type { Queries } from '../../storage/queries.ts';
import { listTasks } from '../backups/task-store.ts';
import { isPastDeadline } from '../operator/store.ts';
import type { databaseMetrics } from './metric-definitions.ts';

/** The value of a metric, by the value of its label if it has one; null where there is nothing to measure yet. */
export type StoredMetrics = Readonly<
  Record<keyof typeof databaseMetrics, number | null | Readonly<Record<string, number>>>
>;

/** Counting stops here: an answer must not take longer with the number of rows. */
const most = sql.lit(100_000);

/** Reads the metrics that the database has. Each statement reads indexes only, and a bounded part of them. */
export async function readStoredMetrics(queries: Queries, now: string): Promise<StoredMetrics> {
  const due = await readDue(queries);
  const verification = await queries
    .selectFrom('verification_runs')
    .select(['status', 'finished_at'])
    .where('status', 'in', ['holds', 'failed', 'could_not_check'])
    .orderBy('id', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst();
  const backups = await listTasks(queries);
  const secondsSince = (time: number) => Math.max(0, (Date.parse(now) - time) / 1000);
  return {
    svc_webhook_deliveries_pending: due.pending,
    svc_webhook_oldest_pending_delivery_age_seconds: due.oldest === null ? 0 : secondsSince(readIdTime(due.oldest)),
    svc_webhook_oldest_due_delivery_age_seconds: due.next === null ? 0 : secondsSince(Date.parse(due.next)),
    svc_webhook_dead_letters: await count(queries, sql`webhook_deliveries where status = 'dead'`),
    svc_dsr_overdue: await count(queries, sql`dsr_requests where status = 'open' and due_at < ${now}`),
    svc_breaches_overdue: await count(queries, sql`breach_incidents where ${isPastDeadline(now)}`),
    svc_last_checkpoint_timestamp_seconds: readSeconds(await findLastCheckpoint(queries)),
    svc_last_verification_timestamp_seconds: readSeconds(verification?.finished_at),
    svc_last_verification_success: verification === undefined ? null : Number(verification.status === 'holds'),
    svc_last_backup_timestamp_seconds: Object.fromEntries(
      backups.flatMap(({ task, completed_at: at }) => (at === null ? [] : [[task, Date.parse(at) / 1000]])),
    ),
    svc_last_backup_success: Object.fromEntries(
      backups
        .filter((row) => row.fault !== null || row.completed_at !== null)
        .map(({ task, fault }) => [task, Number(fault === null)]),
    ),
    svc_last_attestation_timestamp_seconds: await readAttested(queries),
  };
}

async function count(queries: Queries, rows: ReturnType<typeof sql>): Promise<number> {
  const counted = sql<{ count: number }>`select count(*) as count from (select 1 from ${rows} limit ${most}) as found`;
  return Number((await counted.execute(queries)).rows[0]?.count);
}

/** What waits for webhooks. That of a paused webhook waits on purpose. */
async function readDue(queries: Queries) {
  const { rows } = await sql<{ pending: number; oldest: string | null; next: string | null }>`
    select count(*) as pending,
      min(case when status = 'enabled' then id end) as oldest,
      min(case when status = 'enabled' then due_at end) as next
    from (
      select delivery.id, delivery.due_at, endpoint.status from webhook_deliveries as delivery
        join webhook_endpoints as endpoint
          on endpoint.tenant_id = delivery.tenant_id and endpoint.id = delivery.endpoint_id
        where delivery.due_at is not null limit ${most}
    ) as waiting`.execute(queries);
  const [{ pending, oldest, next } = { pending: 0, oldest: null, next: null }] = rows;
  return { pending: Number(pending), oldest, next };
}

async function findLastCheckpoint(queries: Queries): Promise<string | null | undefined> {
  const { rows } = await sql<{ at: string | null }>`
    select max(at) as at from (
      select (
        select at from checkpoints where tenant_id = head.tenant_id and ledger = head.ledger order by size desc limit 1
      ) as at from chain_heads as head
    ) as latest`.execute(queries);
  return rows[0]?.at;
}

/** The newest checkpoint that has one has the latest. */
async function readAttested(queries: Queries): Promise<Readonly<Record<string, number>>> {
  const kinds = ['timestamp', 'cosignature'];
  const newest = kinds.map(
    (kind) => sql`
      select ${sql.lit(kind)} as kind, (
        select at from log_attestations where kind = ${sql.lit(kind)} order by size desc limit 1
      ) as at`,
  );
  const { rows } = await sql<{ kind: string; at: string | null }>`${sql.join(newest, sql` union all `)}`.execute(
    queries,
  );
  return Object.fromEntries(rows.flatMap(({ kind, at }) => (at === null ? [] : [[kind, Date.parse(at) / 1000]])));
}

function readSeconds(time: string | null | undefined): number | null {
  return time == null ? null : Date.parse(time) / 1000;
}

/** When a UUIDv7 was made. The index of what is due has no other time. */
function readIdTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
