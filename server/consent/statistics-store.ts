import { CompiledQuery, sql } from 'kysely';
import { z } from 'zod';
import { namedObject, UtcTime } from '../http/schemas.ts';
import { dayMilliseconds, type Queries } from '../storage/database.ts';
import { rememberText } from '../storage/rows.ts';
import type { ConsentRecord } from './record.ts';

const Count = z.int().min(0);

/** What visitors and callers decided on one day. */
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
  lastCaptureAt: UtcTime.nullable().meta({ description: 'When a page last sent a decision.' }),
  widgetVersion: z.string().nullable().meta({
    description:
      'Of the banner that a page last loaded from this server; a page that has it cached, or loads it from elsewhere, does not say.',
  }),
});
type NoticeSighting = z.output<typeof NoticeSighting>;

type Counts = [noticeId: string, day: string, purpose: string, granted: number, refused: number, visitors: number];

/**
 * Adds records to the counts of their days, in the transaction that appends them: the counts are exact. Imported ones are
 * left out: all would be on the day of the import.
 */
export async function countDecisions(queries: Queries, records: readonly ConsentRecord[]): Promise<void> {
  const counts = new Map<string, Counts>();
  const add = (record: ConsentRecord, purpose: string, isFirst: boolean) => {
    const day = record.recordedAt.slice(0, 10);
    const name = `${record.noticeId} ${day} ${purpose}`;
    const row = counts.get(name) ?? [record.noticeId, day, purpose, 0, 0, 0];
    row[isFirst ? 3 : 4] += 1;
    if (purpose === whole && record.source === 'public') row[5] += 1;
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
      const row = sql`(${sql.join(['', '', '', 0, 0, 0].map((value) => sql.val(value)))}, 0)`;
      return sql`insert into consent_days (notice_id, day, purpose, granted, refused, visitors, reads)
        values ${sql.join(some.map(() => row))}
        on conflict (notice_id, day, purpose) do update set granted = consent_days.granted + excluded.granted,
          refused = consent_days.refused + excluded.refused, visitors = consent_days.visitors + excluded.visitors`;
    });
    await queries.executeQuery(CompiledQuery.raw(text, some.flat()));
  }
}

/** The row of a day that counts whole records: captures are in `granted`, withdrawals in `refused`. */
const whole = '';
const mostRows = 128;

/** Adds to the reads of a notice on a day. */
export async function countReads(
  queries: Queries,
  { noticeId, day, count }: { readonly noticeId: string; readonly day: string; readonly count: number },
): Promise<void> {
  const none = { granted: 0, refused: 0, visitors: 0 };
  await queries
    .insertInto('consent_days')
    .values({ notice_id: noticeId, day, purpose: whole, ...none, reads: count })
    .onConflict((conflict) =>
      conflict.columns(['notice_id', 'day', 'purpose']).doUpdateSet({ reads: sql`consent_days.reads + ${count}` }),
    )
    .execute();
}

/** The days of a notice that have counts, newest first. @param first the earliest, as YYYY-MM-DD. */
export async function listDays(queries: Queries, noticeId: string, first: string): Promise<NoticeDay[]> {
  const rows = await queries
    .selectFrom('consent_days')
    .selectAll()
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

/** Hosts that are kept of a notice. */
export const mostHosts = 50;

/** Keeps when a host was seen. A notice has few hosts: a new one takes the place of one that was not seen for a day. */
export async function saveSighting(queries: Queries, seen: SeenHost): Promise<void> {
  const { noticeId, host, readAt, capturedAt, widgetVersion } = seen;
  const seenAt = [readAt, capturedAt]
    .filter((time) => time !== null)
    .sort()
    .at(-1) as string;
  const notice = queries.updateTable('consent_notices').set({ last_seen_at: seenAt }).where('id', '=', noticeId);
  await notice.where((row) => row.or([row('last_seen_at', 'is', null), row('last_seen_at', '<', seenAt)])).execute();
  const known = {
    seen_at: seenAt,
    ...(readAt && { read_at: readAt }),
    ...(capturedAt && { captured_at: capturedAt }),
    ...(widgetVersion && { widget_version: widgetVersion }),
  };
  const ofNotice = queries.selectFrom('consent_sightings').where('notice_id', '=', noticeId);
  const change = queries.updateTable('consent_sightings').set(known).where('notice_id', '=', noticeId);
  const { numUpdatedRows } = await change.where('host', '=', host).executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return;
  const oldest = await ofNotice.select(['host', 'seen_at']).orderBy('seen_at').execute();
  if (oldest.length >= mostHosts) {
    const [stale] = oldest;
    if (stale === undefined || Date.parse(seenAt) - Date.parse(stale.seen_at) < dayMilliseconds) return;
    const gone = queries.deleteFrom('consent_sightings').where('notice_id', '=', noticeId);
    await gone.where('host', '=', stale.host).execute();
  }
  await queries
    .insertInto('consent_sightings')
    .values({ ...known, notice_id: noticeId, host })
    .onConflict((conflict) => conflict.columns(['notice_id', 'host']).doUpdateSet(known))
    .execute();
}

/** What the pages of one host did with a notice. */
export interface SeenHost {
  readonly noticeId: string;
  readonly host: string;
  readAt: string | null;
  capturedAt: string | null;
  widgetVersion: string | null;
}

/** The hosts of a notice, the latest seen first. */
export async function listSightings(queries: Queries, noticeId: string): Promise<NoticeSighting[]> {
  const rows = await queries
    .selectFrom('consent_sightings')
    .selectAll()
    .where('notice_id', '=', noticeId)
    .orderBy('seen_at', 'desc')
    .execute();
  return rows.map(({ host, read_at, captured_at, widget_version }) => {
    return { host, lastReadAt: read_at, lastCaptureAt: captured_at, widgetVersion: widget_version };
  });
}
