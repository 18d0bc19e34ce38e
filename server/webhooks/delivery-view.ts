import type { Selectable } from 'kysely';
import type { Tables } from '../storage/tables.ts';
import type { AttemptView, DeliveryDetail, DeliveryView } from './delivery.ts';
import type { StoredEvent } from './event.ts';

export type DeliveryRow = Selectable<Tables['webhook_deliveries']>;
export type AttemptRow = Selectable<Tables['webhook_attempts']>;

/** A stored delivery as its tenant sees it in lists: without what happened. */
export function viewDelivery(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    webhookId: row.endpoint_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status as DeliveryView['status'],
    reason: row.reason as DeliveryView['reason'],
    responseStatus: row.response_status,
    attemptCount: row.attempts,
    firstAttemptAt: row.first_attempt_at,
    nextAttemptAt: row.due_at,
    redeliveryOf: row.redelivery_of,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

/**
 * A stored delivery with its event and its attempts.
 * @param attempts oldest first.
 * @param waitsFor the delivery that goes before it; null for none.
 */
export function viewDeliveryDetail(
  row: DeliveryRow,
  event: StoredEvent,
  attempts: readonly AttemptRow[],
  waitsFor: string | null,
): DeliveryDetail {
  return {
    ...viewDelivery(row),
    event: {
      id: event.id,
      type: event.type,
      createdAt: event.created_at,
      tenantId: event.tenant_id,
      data: JSON.parse(event.data),
    },
    waitsFor,
    attempts: attempts.map(viewAttempt),
  };
}

function viewAttempt(row: AttemptRow): AttemptView {
  const { reused = false, ...timing } = JSON.parse(row.timing) as StoredTiming;
  return {
    id: row.id,
    at: row.at,
    outcome: row.outcome as AttemptView['outcome'],
    responseStatus: row.response_status,
    message: row.message,
    excerpt: row.excerpt,
    timing: { ...noTiming, ...timing },
    reused,
  };
}

type StoredTiming = Partial<AttemptView['timing']> & { readonly total: number; readonly reused?: boolean };

const noTiming = { queued: null, lookup: null, connect: null, tls: null, firstByte: null };
