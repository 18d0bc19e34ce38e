import { sql } from 'kysely';
import { z } from 'zod';
import { actorTypes } from '../../http/principal.ts';
import { AnyJson, namedObject, UtcTime } from '../../http/schemas.ts';
import type { Queries } from '../../storage/queries.ts';
import { type Page, scanPage, takeNewest } from '../../storage/rows.ts';
import type { Opening } from '../entry.ts';
import { findEntry, openEvents, type StoredEntry, selectEvents } from '../tree-store.ts';

/** The modules that write events. */
const AuditModule = z
  .enum(['access', 'consent', 'controls', 'identity', 'ledger', 'mfa', 'privacy', 'tenants', 'trust', 'webhooks'])
  .meta({ id: 'AuditModule' });
export type AuditModule = z.output<typeof AuditModule>;

export const ActorType = z.enum(actorTypes).meta({ id: 'ActorType' });

const fields = {
  id: z.string(),
  at: UtcTime,
  actorId: z.string().nullable(),
  actorEmail: z.string().nullable(),
  actorType: ActorType,
  action: z.string(),
  module: AuditModule,
  targetId: z.string().nullable(),
  targetRef: z.string().nullable(),
  hash: z.string().meta({ description: 'SHA-256 over prevHash and the canonical event, hex.' }),
  prevHash: z.string().nullable().meta({ description: 'Hash of the preceding event of the tenant.' }),
};

/** spec.md "Audit event (list item)". */
export const AuditEvent = namedObject('AuditEvent', fields);
export type AuditEvent = z.output<typeof AuditEvent>;

/** spec.md "Audit event (detail)". */
export const AuditEventDetail = namedObject('AuditEventDetail', {
  ...fields,
  ip: z.string().nullable().meta({ description: 'Keyed hash of the client address; the address is not kept.' }),
  userAgent: z.string().nullable().meta({ description: 'Keyed hash of the User-Agent; the text is not kept.' }),
  diff: AnyJson.optional().meta({ description: 'What changed: any JSON value.' }),
  reason: z.string().nullable(),
});
export type AuditEventDetail = z.output<typeof AuditEventDetail>;

/** The filters of an event and their columns: the first of them leads through its index, the rarest values come first. */
const filterColumns = [
  ['targetId', 'target_id'],
  ['actorId', 'actor_id'],
  ['action', 'action'],
  ['module', 'module'],
  ['actor', 'actor_type'],
] as const;

type EventFilter = Readonly<Partial<Record<(typeof filterColumns)[number][0] | 'from' | 'to', string | undefined>>>;

/**
 * Lists events, newest first.
 * @param filter `from` includes its time, `to` does not. One other field has an index; of two or more, the rest is a filter
 *   of at most `mostScanned` events a page.
 * @param before the sequence number of the last event of the previous page; null for the first page.
 * @returns the events, and the sequence number to continue from, if there are more.
 */
export async function listEvents(
  queries: Queries,
  tenantId: string,
  { from, to, ...filter }: EventFilter,
  before: number | null,
  limit: number,
): Promise<Page<AuditEvent, number>> {
  const wanted = filterColumns.flatMap(([name, column]) => {
    const value = filter[name];
    return value === undefined ? [] : [{ column, value }];
  });
  const [first, ...others] = wanted;
  let query = selectEvents(queries, tenantId).select(others.map(({ column }) => column));
  if (first !== undefined) query = query.where(first.column, '=', first.value);
  // Times increase with the sequence unless the clock was set back, so a time limit is also a sequence limit: no page reads
  // events that are out of range.
  if (from !== undefined)
    query = query.where('sequence', '>', await lastSequenceBefore(queries, tenantId, from)).where('at', '>=', from);
  if (to !== undefined)
    query = query.where('sequence', '<=', await lastSequenceBefore(queries, tenantId, to)).where('at', '<', to);
  const newest = query.orderBy('sequence', 'desc');
  const { rows, next } =
    others.length === 0
      ? await takeNewest(query, before, limit, 'sequence')
      : await scanPage(
          (after, count) =>
            newest
              .$if(after !== null, (rest) => rest.where('sequence', '<', after))
              .limit(sql.lit(count))
              .execute(),
          ({ sequence }) => sequence,
          (row) => others.every(({ column, value }) => (row as Readonly<Record<string, unknown>>)[column] === value),
          before,
          limit,
        );
  const events = await openEvents(queries, tenantId, rows);
  const items = events.map((event) => {
    const { ip: _ip, userAgent: _userAgent, diff: _diff, reason: _reason, ...item } = viewEvent(event);
    return item;
  });
  return { rows: items, next };
}

async function lastSequenceBefore(queries: Queries, tenantId: string, time: string): Promise<number> {
  const row = await queries
    .selectFrom('audit_events')
    .select('sequence')
    .where('tenant_id', '=', tenantId)
    .where('at', '<', time)
    .orderBy('at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst();
  return row?.sequence ?? 0;
}

/** Finds one event by id. */
export async function findEvent(queries: Queries, tenantId: string, id: string): Promise<AuditEventDetail | undefined> {
  const found = await findEntry(queries, { tenantId, ledger: 'audit' }, { id });
  return found && viewEvent(found);
}

/** The details of a stored event. What was erased is null, as it is in the entry. */
function viewEvent({ entry, openings, hash, prevHash }: StoredEntry): AuditEventDetail {
  const { tenantId: _, commitments: _commitments, ...event } = JSON.parse(entry);
  putPersonal(event, openings);
  return { ...event, hash, prevHash };
}

/** Puts texts back to where they were. Those that are not given stay null. */
export function putPersonal(event: object, texts: readonly Pick<Opening, 'path' | 'value'>[]): void {
  for (const { path, value } of texts) {
    const names = path.split('.');
    const last = names.pop() as string;
    const holder = names.reduce((one, name) => one?.[name] as AnyObject | undefined, event as AnyObject | undefined);
    if (holder !== undefined && holder !== null && Object.hasOwn(holder, last)) holder[last] = value;
  }
}

interface AnyObject {
  [name: string]: unknown;
}
