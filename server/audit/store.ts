import { sql } from 'kysely';
import { appendEntries } from '../ledger/append.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { mapPage, type Page, takePage } from '../storage/page.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import {
  type AuditEvent,
  type AuditEventDetail,
  type NewAuditEvent,
  readAuditEvent,
  readAuditListItem,
  sealAuditEntry,
} from './event.ts';
import type { AuditSource } from './source.ts';

/** Appends an event to the audit log, in the unit of work of its change. */
export async function recordEvent(work: UnitOfWork, source: AuditSource, event: NewAuditEvent): Promise<void> {
  await recordEvents(work, [{ source, event }]);
}

/** Appends several events in order. */
export async function recordEvents(
  work: UnitOfWork,
  events: readonly { readonly source: AuditSource; readonly event: NewAuditEvent }[],
): Promise<void> {
  const drafts = events.map(({ source, event }) => ({
    tenantId: source.tenantId,
    seal: ({ at }: { readonly at: string }) => {
      const id = newId();
      const entry = sealAuditEntry({
        id,
        at,
        actorId: source.actor.id,
        actorEmail: source.actor.email,
        actorType: source.actor.type,
        action: event.action,
        module: event.module,
        targetId: event.targetId,
        targetRef: event.targetRef,
        ip: source.ipHash,
        userAgent: source.userAgentHash,
        ...(event.diff !== undefined && { diff: event.diff }),
        reason: event.reason ?? null,
        tenantId: source.tenantId,
      });
      return { id, at, module: event.module, actor_type: source.actor.type, entry };
    },
  }));
  await appendEntries(work, 'audit', drafts);
}

export interface AuditFilter {
  readonly module?: string | undefined;
  readonly actor?: string | undefined;
  /** Events at this time or later. */
  readonly from?: string | undefined;
  /** Events before this time. */
  readonly to?: string | undefined;
}

/**
 * Lists events, newest first.
 * @param before the sequence number of the last event of the previous page; null for the first page.
 * @returns the events, and the sequence number to continue from, if there are more.
 */
export async function listEvents(
  queries: Queries,
  tenantId: string,
  filter: AuditFilter,
  before: number | null,
  limit: number,
): Promise<Page<AuditEvent, number>> {
  let query = queries
    .selectFrom('audit_events')
    .select(['sequence', 'entry', 'hash', 'prev_hash'])
    .where('tenant_id', '=', tenantId)
    .orderBy('sequence', 'desc');
  if (before !== null) query = query.where('sequence', '<', before);
  if (filter.module !== undefined) query = query.where('module', '=', filter.module);
  if (filter.actor !== undefined) query = query.where('actor_type', '=', filter.actor);
  // Times increase with the sequence unless the clock was set back, so a time limit is also a sequence limit: no page reads
  // events that are out of range.
  if (filter.from !== undefined)
    query = query
      .where('sequence', '>', await lastSequenceBefore(queries, tenantId, filter.from))
      .where('at', '>=', filter.from);
  if (filter.to !== undefined)
    query = query
      .where('sequence', '<=', await lastSequenceBefore(queries, tenantId, filter.to))
      .where('at', '<', filter.to);
  return mapPage(await takePage(query, limit, ({ sequence }) => sequence), readAuditListItem);
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
  const row = await queries
    .selectFrom('audit_events')
    .select(['entry', 'hash', 'prev_hash'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && readAuditEvent(row);
}
