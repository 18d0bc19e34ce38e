import { CompiledQuery, sql } from 'kysely';
import { z } from 'zod';
import { UtcTime } from '../../http/schemas.ts';
import type { Queries } from '../../storage/queries.ts';
import { rememberText } from '../../storage/rows.ts';
import type { EndpointKey } from '../endpoints/store.ts';

const Count = z.int().min(0);

/** The outcomes of the deliveries to a webhook in an hour or on a day. */
export const WebhookPeriod = z
  .strictObject({
    startsAt: UtcTime.meta({ description: 'The start of the hour or the day, in UTC.' }),
    delivered: Count,
    failedAttempts: Count,
    deadLetters: Count.meta({ description: 'Deliveries that failed for good, also those without an attempt.' }),
    responseTime: z
      .strictObject({ averageMilliseconds: Count, slowestMilliseconds: Count })
      .meta({ id: 'WebhookResponseTime', description: 'Of the attempts that were answered; null without any.' })
      .nullable(),
  })
  .meta({ id: 'WebhookPeriod' });
type WebhookPeriod = z.output<typeof WebhookPeriod>;

/** An outcome that is added to the counts of an endpoint. */
export interface WebhookOutcome {
  readonly endpoint: EndpointKey;
  readonly result: 'delivered' | 'failed' | 'dead';
  /** Milliseconds until the receiver had answered; null if it did not, or if there was no attempt. */
  readonly responseTime: number | null;
}

type Counts = [
  tenantId: string,
  endpointId: string,
  delivered: number,
  failed: number,
  dead: number,
  answers: number,
  milliseconds: number,
  slowest: number,
];

/** Adds to the counts of this hour, in the transaction that writes what is counted. */
export async function countOutcomes(queries: Queries, now: string, outcomes: readonly WebhookOutcome[]): Promise<void> {
  const counts = new Map<string, Counts>();
  for (const { endpoint, result, responseTime } of outcomes) {
    const { tenant_id, id } = endpoint;
    const row = counts.get(`${tenant_id} ${id}`) ?? [tenant_id, id, 0, 0, 0, 0, 0, 0];
    row[result === 'delivered' ? 2 : result === 'failed' ? 3 : 4] += 1;
    if (responseTime !== null) {
      row[5] += 1;
      row[6] += Math.round(responseTime);
      row[7] = Math.max(row[7], Math.round(responseTime));
    }
    counts.set(`${tenant_id} ${id}`, row);
  }
  // In the order of the key: two transactions cannot wait for each other.
  const rows = [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  const hour = now.slice(0, hourLength);
  for (let start = 0; start < rows.length; start += mostRows) {
    const some = rows.slice(start, start + mostRows);
    const text = rememberText(queries, `count outcomes ${some.length}`, () => {
      const row = sql`(${sql.join(['', '', '', 0, 0, 0, 0, 0, 0].map((value) => sql.val(value)))})`;
      return sql`insert into webhook_hours
          (hour, tenant_id, endpoint_id, delivered, failed, dead, answers, milliseconds, slowest)
        values ${sql.join(some.map(() => row))}
        on conflict (tenant_id, endpoint_id, hour) do update set delivered = webhook_hours.delivered + excluded.delivered,
          failed = webhook_hours.failed + excluded.failed, dead = webhook_hours.dead + excluded.dead,
          answers = webhook_hours.answers + excluded.answers,
          milliseconds = webhook_hours.milliseconds + excluded.milliseconds,
          slowest = case when excluded.slowest > webhook_hours.slowest then excluded.slowest
            else webhook_hours.slowest end`;
    });
    const values = some.flatMap((row) => [hour, ...row]);
    await queries.executeQuery(CompiledQuery.raw(text, values));
  }
}

const hourLength = '2026-11-23T07'.length;
const dayLength = '2026-11-23'.length;
const mostRows = 128;

/** The hours or days of an endpoint that have counts, newest first. @param first the earliest day, as YYYY-MM-DD. */
export async function listPeriods(
  queries: Queries,
  tenantId: string,
  endpointId: string,
  per: 'hour' | 'day',
  first: string,
): Promise<WebhookPeriod[]> {
  const start = sql<string>`substr(hour, 1, ${sql.lit(per === 'hour' ? hourLength : dayLength)})`;
  const rows = await queries
    .selectFrom('webhook_hours')
    .select(({ fn }) => [
      start.as('start'),
      ...(['delivered', 'failed', 'dead', 'answers', 'milliseconds'] as const).map((name) => fn.sum(name).as(name)),
      fn.max('slowest').as('slowest'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('endpoint_id', '=', endpointId)
    .where('hour', '>=', first)
    .groupBy(start)
    .orderBy(start, 'desc')
    .execute();
  return rows.map(({ start, delivered, failed, dead, answers, milliseconds, slowest }) => ({
    startsAt: `${start}${'T00:00:00.000Z'.slice(start.length - dayLength)}`,
    delivered: Number(delivered),
    failedAttempts: Number(failed),
    deadLetters: Number(dead),
    responseTime:
      Number(answers) === 0
        ? null
        : {
            averageMilliseconds: Math.round(Number(milliseconds) / Number(answers)),
            slowestMilliseconds: Number(slowest),
          },
  }));
}

/** Deletes a batch of counts. @param first the earliest hour that stays. @returns true if there may be more. */
export async function forgetPeriods(queries: Queries, first: string) {
  const { numAffectedRows } = await sql`
    delete from webhook_hours where (tenant_id, endpoint_id, hour) in (
      select tenant_id, endpoint_id, hour from webhook_hours
      where hour < ${first} order by hour limit ${sql.lit(batch)})`.execute(queries);
  return { webhookHours: Number(numAffectedRows), hasMore: numAffectedRows === BigInt(batch) };
}

const batch = 1000;
