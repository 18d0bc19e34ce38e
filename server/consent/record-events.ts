import type { NewAuditEvent } from '../audit/event.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import {
  announceDeliveries,
  findSubscribers,
  insertEvents,
  isWanted,
  queueDeliveries,
} from '../webhooks/deliveries/outbox.ts';
import { type ConsentRecord, presentEventData, type recordEvents } from './record.ts';

/** The audit event of one record that a caller made. */
export function describeRecord(record: ConsentRecord): NewAuditEvent {
  return {
    module: 'consent',
    action: actionOf(record),
    targetId: record.id,
    targetRef: record.noticeId,
    diff: { sequence: record.sequence, purposes: record.purposes, ledgerHash: record.ledgerHash },
  };
}

function actionOf({ kind }: ConsentRecord): keyof typeof recordEvents {
  return kind === 'withdrawal' ? 'consent.withdrawn' : 'consent.recorded';
}

/**
 * The audit event of all that visitors decided on a notice in one group: it names the span of the ledger and its last
 * hash, and so ties the two chains together.
 */
export function describeVisits(noticeId: string, records: readonly ConsentRecord[]): NewAuditEvent {
  const first = records[0] as ConsentRecord;
  const last = records.at(-1) as ConsentRecord;
  return {
    module: 'consent',
    action: 'consent.recorded',
    targetId: noticeId,
    targetRef: null,
    diff: {
      records: records.length,
      withdrawals: records.filter(({ kind }) => kind === 'withdrawal').length,
      firstSequence: first.sequence,
      lastSequence: last.sequence,
      ledgerHash: last.ledgerHash,
    },
  };
}

/**
 * Writes `consent.recorded` and `consent.withdrawn` in the unit of work of the records. An event that no endpoint wants is
 * not written, unlike others: the ledger has the record anyway.
 */
export async function emitRecords(
  work: UnitOfWork,
  tenantId: string,
  records: readonly ConsentRecord[],
): Promise<void> {
  const { transaction, now } = work;
  const subscribers = await findSubscribers(transaction, tenantId);
  if (subscribers.length === 0) return;
  const events = records
    .map((record) => ({ tenantId, type: actionOf(record), data: presentEventData(record) }))
    .filter(({ type }) => isWanted(subscribers, type));
  if (events.length === 0) return;
  const rows = await insertEvents(transaction, now, events);
  announceDeliveries(work, await queueDeliveries(transaction, now, rows, subscribers));
}
