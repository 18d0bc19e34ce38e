import { type Expression, type SqlBool, sql } from 'kysely';
import { listMembers } from '../../accounts/members/membership-store.ts';
import { isSecondFactorEnabled } from '../../accounts/mfa/second-factor.ts';
import { requireTenant } from '../../accounts/tenants/store.ts';
import { rateReadiness, rateTestHealth } from '../../controls/overview.ts';
import { readControlsOf } from '../../controls/store.ts';
import type { Principal } from '../../http/principal.ts';
import { findCheckpoint } from '../../ledger/checkpoint-store.ts';
import { viewVerification } from '../../ledger/verification.ts';
import { addTime, dayMilliseconds } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow } from '../../storage/rows.ts';
import { mostCounted, type Overview } from './overview.ts';
import { countOfRows, isFailing, isPastDeadline } from './store.ts';

/** Reads what the scopes of the caller allow, with a bounded number of queries. */
export async function readOverview(queries: Queries, principal: Principal, now: string): Promise<Overview> {
  const { tenantId, scopes, actor, credential } = principal;
  const notices = scopes.has('consent:read') ? await readNotices(queries, tenantId, now) : null;
  const proofs = scopes.has('audit:read') ? await readProofs(queries, tenantId) : null;
  const userId = credential.kind === 'session' ? actor.id : null;
  const isNew = scopes.has('tenant:write') && (await requireTenant(queries, tenantId)).firstSteps;
  return {
    requests: scopes.has('dsr:read') ? await readRequests(queries, tenantId, now) : null,
    breaches: scopes.has('breach:read') ? await readBreaches(queries, tenantId, now) : null,
    controls: scopes.has('controls:read') ? await readControls(queries, tenantId, now) : null,
    webhooks: scopes.has('webhooks:read') ? await readWebhooks(queries, tenantId) : null,
    notices: notices && { published: notices.published, unseen: notices.unseen },
    proofs,
    firstSteps: !isNew
      ? null
      : {
          noticePublished: notices && notices.published > 0,
          bannerSeen: notices && notices.seen > 0,
          secondMember: (await listMembers(queries, tenantId, { canSignIn: true }, null, 2)).rows.length > 1,
          secondFactor: userId === null ? null : await isSecondFactorEnabled(queries, userId),
          checkpointMade: proofs && proofs.latestCheckpointAt !== null,
          webhookDelivered: scopes.has('webhooks:read') ? await hasDelivered(queries, tenantId) : null,
        },
  };
}

async function readRequests(queries: Queries, tenantId: string, now: string) {
  const isOpen = sql<SqlBool>`status = 'open'`;
  return {
    open: await countRows(queries, 'dsr_requests', tenantId, isOpen),
    overdue: await countRows(queries, 'dsr_requests', tenantId, sql`${isOpen} and due_at < ${now}`),
  };
}

async function readBreaches(queries: Queries, tenantId: string, now: string) {
  return {
    open: await countRows(queries, 'breach_incidents', tenantId, sql`status <> 'closed'`),
    pastDeadline: await countRows(queries, 'breach_incidents', tenantId, isPastDeadline(now)),
  };
}

async function readControls(queries: Queries, tenantId: string, now: string): Promise<Overview['controls']> {
  const own = (await readControlsOf(queries, [tenantId], now)).get(tenantId);
  if (own === undefined) return null;
  const { score, overdueEvidenceRequests } = rateReadiness(own);
  const { dueTests } = rateTestHealth(own.controls, now).summary;
  return { readiness: score, overdueEvidence: overdueEvidenceRequests, dueTests };
}

async function readNotices(queries: Queries, tenantId: string, now: string) {
  const weekAgo = addTime(now, -7 * dayMilliseconds);
  const isUnseen = sql<SqlBool>`status = 'published' and published_at < ${weekAgo}
    and (last_seen_at is null or last_seen_at < ${weekAgo})`;
  return {
    published: await countRows(queries, 'consent_notices', tenantId, sql`status = 'published'`),
    unseen: await countRows(queries, 'consent_notices', tenantId, isUnseen),
    seen: await countRows(queries, 'consent_notices', tenantId, sql`last_seen_at is not null`),
  };
}

async function readWebhooks(queries: Queries, tenantId: string) {
  return {
    failing: await countRows(queries, 'webhook_endpoints', tenantId, isFailing),
    // Written out: only then SQLite uses the index of dead letters.
    deadLetters: await countRows(queries, 'webhook_deliveries', tenantId, sql`status = 'dead'`),
  };
}

async function hasDelivered(queries: Queries, tenantId: string): Promise<boolean> {
  // Without an index by status: the latest ones only.
  const latest = queries
    .selectFrom('webhook_deliveries')
    .select('status')
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostCounted);
  const delivered = queries.selectFrom(latest.as('latest')).select('status').where('status', '=', 'delivered').limit(1);
  return (await delivered.executeTakeFirst()) !== undefined;
}

async function readProofs(queries: Queries, tenantId: string): Promise<Overview['proofs']> {
  const consent = await findCheckpoint(queries, { tenantId, ledger: 'consent' });
  const audit = await findCheckpoint(queries, { tenantId, ledger: 'audit' });
  const times = [consent, audit].flatMap((checkpoint) => checkpoint?.at ?? []);
  const row = await findRow(queries, 'verifications', { tenant_id: tenantId });
  return {
    latestCheckpointAt: times.sort().at(-1) ?? null,
    latestVerification: row === undefined ? null : viewVerification(row),
  };
}

/** Counts rows of a tenant up to the bound, however many there are. */
async function countRows(
  queries: Queries,
  table: 'consent_notices' | 'dsr_requests' | 'breach_incidents' | 'webhook_endpoints' | 'webhook_deliveries',
  tenantId: string,
  condition: Expression<SqlBool>,
): Promise<number> {
  const some = queries
    .selectFrom(table as 'consent_notices')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where(condition)
    .limit(mostCounted);
  const { count } = await queries.selectFrom(some.as('some')).select(countOfRows).executeTakeFirstOrThrow();
  return Number(count);
}
