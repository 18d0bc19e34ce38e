import { type CompiledQuery, sql, type Updateable } from 'kysely';
import { z } from 'zod';
import { namedObject, UtcTime } from '../http/schemas.ts';
import { dayMilliseconds } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { compileGiven } from '../storage/rows.ts';
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

const countColumns = {
  tenant_id: 'text',
  notice_id: 'text',
  day: 'text',
  purpose: 'text',
  granted: 'bigint',
  refused: 'bigint',
  visitors: 'bigint',
} as const;
type Counts = {
  -readonly [Column in keyof typeof countColumns]: (typeof countColumns)[Column] extends 'text' ? string : number;
};

/**
 * The statements that add records to the counts of their days, in the transaction that appends them: the counts are exact.
 * Imported ones are left out: all would be on the day of the import.
 */
export function countDecisions(
  queries: Queries,
  records: readonly (ConsentRecord & { readonly tenantId: string })[],
): readonly CompiledQuery[] {
  const counts = new Map<string, Counts>();
  const add = (
    { tenantId, noticeId, recordedAt, source }: (typeof records)[number],
    purpose: string,
    column: 'granted' | 'refused',
  ) => {
    const day = recordedAt.slice(0, 10);
    const name = `${tenantId} ${noticeId} ${day} ${purpose}`;
    let row = counts.get(name);
    if (row === undefined) {
      row = { tenant_id: tenantId, notice_id: noticeId, day, purpose, granted: 0, refused: 0, visitors: 0 };
      counts.set(name, row);
    }
    row[column] += 1;
    if (purpose === whole && source === 'public') row.visitors += 1;
  };
  for (const record of records) {
    if (record.source === 'import') continue;
    add(record, whole, record.kind === 'capture' ? 'granted' : 'refused');
    for (const [purpose, isGranted] of Object.entries(record.purposes))
      add(record, purpose, isGranted ? 'granted' : 'refused');
  }
  // In the order of the key: two transactions cannot wait for each other.
  const rows = [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  return compileGiven(queries, 'count decisions', countColumns, rows, addDecisions);
}

// `where true`, because SQLite would read `on conflict` as a condition of a join.
const addDecisions = () => sql`
  insert into consent_days (tenant_id, notice_id, day, purpose, granted, refused, visitors, reads)
  select tenant_id, notice_id, day, purpose, granted, refused, visitors, 0 from given where true
  on conflict (tenant_id, notice_id, day, purpose) do update set granted = consent_days.granted + excluded.granted,
    refused = consent_days.refused + excluded.refused, visitors = consent_days.visitors + excluded.visitors`;

/** The row of a day that counts whole records: captures are in `granted`, withdrawals in `refused`. */
const whole = '';

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

/** Keeps when hosts of the site of one notice were seen. */
export async function saveSightings(queries: Queries, hosts: readonly SeenHost[]): Promise<void> {
  const [first] = hosts;
  if (first === undefined) return;
  const { tenantId, noticeId } = first;
  const rows = hosts.map(({ host, readAt, capturedAt, widgetVersion }) => ({
    host,
    seen_at: findLatest([readAt, capturedAt]),
    refused_at: null,
    ...(readAt && { read_at: readAt }),
    ...(capturedAt && { captured_at: capturedAt }),
    ...(widgetVersion && { widget_version: widgetVersion }),
  }));
  const seenAt = findLatest(rows.map(({ seen_at }) => seen_at));
  await queries
    .updateTable('consent_notices')
    .set({ last_seen_at: seenAt })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', noticeId)
    .where((row) => row.or([row('last_seen_at', 'is', null), row('last_seen_at', '<', seenAt)]))
    .execute();
  await saveHosts(queries, { tenant_id: tenantId, notice_id: noticeId }, rows);
}

const findLatest = (times: readonly (string | null)[]) =>
  times
    .filter((time) => time !== null)
    .sort()
    .at(-1) as string;

/**
 * Keeps when decisions of hosts were refused. The notice was not seen by that: it is for another site.
 * @param refusals the time by host.
 */
export async function saveRefusals(
  queries: Queries,
  noticeId: string,
  refusals: ReadonlyMap<string, string>,
): Promise<void> {
  const notice = await findState(queries, noticeId);
  // A draft can be deleted, and no page shows it.
  if (notice === undefined || notice.version === 0) return;
  const rows = [...refusals].map(([host, time]) => ({ host, seen_at: time, refused_at: time }));
  await saveHosts(queries, { tenant_id: notice.tenant_id, notice_id: noticeId }, rows);
}

type HostTimes = Updateable<Tables['consent_sightings']> & {
  readonly host: string;
  readonly seen_at: string;
  readonly refused_at: string | null;
};

/**
 * Keeps hosts of a notice, all of its site or all refused. Each kind has a number of places: a new one takes the place of one
 * of its kind that was not seen for a day. The places are read once, because anyone can make up any number of hosts.
 */
async function saveHosts(
  queries: Queries,
  place: { readonly tenant_id: string; readonly notice_id: string },
  rows: readonly HostTimes[],
): Promise<void> {
  const areRefused = rows.some(({ refused_at }) => refused_at !== null);
  const ofKind = await queries
    .selectFrom('consent_sightings')
    .select(['host', 'seen_at'])
    .where((row) => row.and(place))
    .where('refused_at', areRefused ? 'is not' : 'is', null)
    .orderBy('seen_at')
    .execute();
  /** The longest unseen first. */
  const kept = new Map(ofKind.map(({ host, seen_at }) => [host, seen_at]));
  for (const row of rows) {
    const { host, seen_at: seenAt } = row;
    if (!kept.has(host) && kept.size >= (areRefused ? mostRefusedHosts : mostHosts)) {
      const [[stale, staleAt] = ['', seenAt]] = kept;
      if (Date.parse(seenAt) - Date.parse(staleAt) < dayMilliseconds) continue;
      await queries
        .deleteFrom('consent_sightings')
        .where((one) => one.and({ ...place, host: stale }))
        .execute();
      kept.delete(stale);
    }
    await queries
      .insertInto('consent_sightings')
      .values({ ...row, ...place })
      // Also if it is of the other kind: the domain of the notice has changed, so it belongs to its site now, or does not any more.
      .onConflict((conflict) => conflict.columns(['tenant_id', 'notice_id', 'host']).doUpdateSet(row))
      .execute();
    kept.delete(host);
    kept.set(host, seenAt);
  }
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
