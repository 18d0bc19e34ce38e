import { CompiledQuery, sql, type Updateable } from 'kysely';
import { z } from 'zod';
import { namedObject, UtcTime } from '../http/schemas.ts';
import { dayMilliseconds } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { rememberText } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { findState } from './notice-store.ts';
import type { ConsentRecord } from './record.ts';

const Count = z.int().min(0);

/** The decisions of visitors and callers on one day. */
export const NoticeDay = z
  .strictObject({
    date: z.iso.date().meta({ description: 'The day in UTC on which they were recorded.' }),
    reads: Count.meta({
      description:
        'How often pages fetched the notice from this server: undecided visitors on each page, others at most once a day. What a cache in front answers is not counted, nor are the last seconds before a crash.',
    }),
    captures: Count.meta({ description: 'Records that are no withdrawals.' }),
    withdrawals: Count,
    visitorRecords: Count.meta({ description: 'How many of both pages sent.' }),
    purposes: z
      .array(
        z
          .strictObject({ key: z.string(), granted: Count, refused: Count })
          .meta({ id: 'PurposeCount', description: 'How many records granted and refused a purpose.' }),
      )
      .meta({ description: 'By key.' }),
  })
  .meta({ id: 'NoticeDay' });
type NoticeDay = z.output<typeof NoticeDay>;

/** A host whose pages show a notice. */
export const NoticeSighting = namedObject('NoticeSighting', {
  host: z.string().meta({ description: 'Without the port.' }),
  lastReadAt: UtcTime.nullable().meta({ description: 'When a page last fetched the notice.' }),
  lastCaptureAt: UtcTime.nullable().meta({ description: 'When a page last sent a decision that was recorded.' }),
  lastRefusedAt: UtcTime.nullable().meta({
    description:
      'When a decision of a page was last refused with `consent_origin_not_allowed`, because the host does not belong to the domain of the notice; null for a host that does. Change the domain and publish the notice, or remove the tag from the host.',
  }),
  widgetVersion: z.string().nullable().meta({
    description:
      'Of the banner that a page last loaded from this server; a page that has it cached, or loads it from elsewhere, does not say.',
  }),
});
export type NoticeSighting = z.output<typeof NoticeSighting>;

type Counts = [
  tenantId: string,
  noticeId: string,
  day: string,
  purpose: string,
  granted: number,
  refused: number,
  visitors: number,
];

/**
 * Adds records to the counts of their days, in the transaction that appends them: the counts are exact. Imported ones are
 * left out: all would be on the day of the import.
 */
export async function countDecisions(
  queries: Queries,
  records: readonly (ConsentRecord & { readonly tenantId: string })[],
): Promise<void> {
  const counts = new Map<string, Counts>();
  const add = (record: (typeof records)[number], purpose: string, isFirst: boolean) => {
    const day = record.recordedAt.slice(0, 10);
    const name = `${record.tenantId} ${record.noticeId} ${day} ${purpose}`;
    const row = counts.get(name) ?? [record.tenantId, record.noticeId, day, purpose, 0, 0, 0];
    row[isFirst ? 4 : 5] += 1;
    if (purpose === whole && record.source === 'public') row[6] += 1;
    counts.set(name, row);
  };
  for (const record of records) {
    if (record.source === 'import') continue;
    add(record, whole, record.kind === 'capture');
    for (const [purpose, isGranted] of Object.entries(record.purposes)) add(record, purpose, isGranted);
  }
  // In the order of the key: two transactions cannot wait for each other.
  const rows = [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  for (let start = 0; start < rows.length; start += mostRows) {
    const some = rows.slice(start, start + mostRows);
    const text = rememberText(queries, `count decisions ${some.length}`, () => {
      const row = sql`(${sql.join(['', '', '', '', 0, 0, 0].map((value) => sql.val(value)))}, 0)`;
      return sql`insert into consent_days (tenant_id, notice_id, day, purpose, granted, refused, visitors, reads)
        values ${sql.join(some.map(() => row))}
        on conflict (tenant_id, notice_id, day, purpose) do update set granted = consent_days.granted + excluded.granted,
          refused = consent_days.refused + excluded.refused, visitors = consent_days.visitors + excluded.visitors`;
    });
    await queries.executeQuery(CompiledQuery.raw(text, some.flat()));
  }
}

/** The row of a day that counts whole records: captures are in `granted`, withdrawals in `refused`. */
const whole = '';
const mostRows = 128;

/** How often a notice was read on a day. */
export interface NoticeReads {
  readonly tenantId: string;
  readonly noticeId: string;
  readonly day: string;
  count: number;
}

/** Adds to the reads of a notice on a day. */
export async function countReads(queries: Queries, { tenantId, noticeId, day, count }: NoticeReads): Promise<void> {
  const none = { granted: 0, refused: 0, visitors: 0 };
  await queries
    .insertInto('consent_days')
    .values({ tenant_id: tenantId, notice_id: noticeId, day, purpose: whole, ...none, reads: count })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'notice_id', 'day', 'purpose'])
        .doUpdateSet({ reads: sql`consent_days.reads + ${count}` }),
    )
    .execute();
}

/** The days of a notice that have counts, newest first. @param first the earliest, as YYYY-MM-DD. */
export async function listDays(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  first: string,
): Promise<NoticeDay[]> {
  const rows = await queries
    .selectFrom('consent_days')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('notice_id', '=', noticeId)
    .where('day', '>=', first)
    .orderBy('day', 'desc')
    .orderBy('purpose')
    .execute();
  return [...Map.groupBy(rows, ({ day }) => day)].map(([date, ofDay]) => {
    const all = ofDay.find(({ purpose }) => purpose === whole);
    return {
      date,
      reads: all?.reads ?? 0,
      captures: all?.granted ?? 0,
      withdrawals: all?.refused ?? 0,
      visitorRecords: all?.visitors ?? 0,
      purposes: ofDay
        .filter(({ purpose }) => purpose !== whole)
        .map(({ purpose: key, granted, refused }) => ({ key, granted, refused })),
    };
  });
}

/** Hosts of its site that are kept of a notice. */
export const mostHosts = 50;
/** Other hosts: few, because any client can make them up. */
export const mostRefusedHosts = 10;

/** Keeps when a host was seen. */
export async function saveSighting(queries: Queries, seen: SeenHost): Promise<void> {
  const { tenantId, noticeId, readAt, capturedAt, widgetVersion } = seen;
  const seenAt = [readAt, capturedAt]
    .filter((time) => time !== null)
    .sort()
    .at(-1) as string;
  await queries
    .updateTable('consent_notices')
    .set({ last_seen_at: seenAt })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', noticeId)
    .where((row) => row.or([row('last_seen_at', 'is', null), row('last_seen_at', '<', seenAt)]))
    .execute();
  await saveHost(queries, seen, {
    seen_at: seenAt,
    refused_at: null,
    ...(readAt && { read_at: readAt }),
    ...(capturedAt && { captured_at: capturedAt }),
    ...(widgetVersion && { widget_version: widgetVersion }),
  });
}

/** Keeps when a decision of a host was refused. The notice was not seen by that: it is for another site. */
export async function saveRefusal(queries: Queries, { noticeId, host, refusedAt }: RefusedHost): Promise<void> {
  const notice = await findState(queries, noticeId);
  // A draft can be deleted, and no page shows it.
  if (notice === undefined || notice.version === 0) return;
  await saveHost(
    queries,
    { tenantId: notice.tenant_id, noticeId, host },
    { seen_at: refusedAt, refused_at: refusedAt },
  );
}

/**
 * Keeps a host of a notice. Those of its site, and those that are refused, have a number of places each: a new one takes
 * the place of one of its kind that was not seen for a day.
 */
async function saveHost(
  queries: Queries,
  { tenantId, noticeId, host }: Pick<SeenHost, 'tenantId' | 'noticeId' | 'host'>,
  known: Updateable<Tables['consent_sightings']> & { readonly seen_at: string; readonly refused_at: string | null },
): Promise<void> {
  const isRefused = known.refused_at !== null;
  const kind = isRefused ? 'is not' : 'is';
  const place = { tenant_id: tenantId, notice_id: noticeId };
  const { numUpdatedRows } = await queries
    .updateTable('consent_sightings')
    .set(known)
    .where((row) => row.and({ ...place, host }))
    .where('refused_at', kind, null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return;
  const ofNotice = queries
    .selectFrom('consent_sightings')
    .select(['host', 'seen_at'])
    .where((row) => row.and(place));
  const oldest = await ofNotice.where('refused_at', kind, null).orderBy('seen_at').execute();
  if (oldest.length >= (isRefused ? mostRefusedHosts : mostHosts)) {
    const [stale] = oldest;
    if (stale === undefined || Date.parse(known.seen_at) - Date.parse(stale.seen_at) < dayMilliseconds) return;
    const gone = { ...place, host: stale.host };
    await queries
      .deleteFrom('consent_sightings')
      .where((row) => row.and(gone))
      .execute();
  }
  await queries
    .insertInto('consent_sightings')
    .values({ ...known, ...place, host })
    // The domain of the notice has changed: the host belongs to its site now, or does not any more.
    .onConflict((conflict) => conflict.columns(['tenant_id', 'notice_id', 'host']).doUpdateSet(known))
    .execute();
}

/** When the pages of one host last read a notice and sent a decision, and the version of their widget. */
export interface SeenHost {
  readonly tenantId: string;
  readonly noticeId: string;
  readonly host: string;
  readAt: string | null;
  capturedAt: string | null;
  widgetVersion: string | null;
}

/** A host whose decision on a notice was refused. */
export interface RefusedHost {
  readonly noticeId: string;
  readonly host: string;
  readonly refusedAt: string;
}

/** The hosts of a notice, the latest seen first. */
export async function listSightings(queries: Queries, tenantId: string, noticeId: string): Promise<NoticeSighting[]> {
  const rows = await queries
    .selectFrom('consent_sightings')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('notice_id', '=', noticeId)
    .orderBy('seen_at', 'desc')
    .orderBy('host')
    .execute();
  return rows.map(({ host, read_at, captured_at, refused_at, widget_version }) => ({
    host,
    lastReadAt: read_at,
    lastCaptureAt: captured_at,
    lastRefusedAt: refused_at,
    widgetVersion: widget_version,
  }));
}
