import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { NewWebhookEvent } from '../webhooks/deliveries/event.ts';
import {
  announceDeliveries,
  findSubscribers,
  insertEvents,
  isWanted,
  queueDeliveries,
} from '../webhooks/deliveries/outbox.ts';
import type { ConsentRecord } from './record.ts';

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
    .map((record) => tellRecord(tenantId, record))
    .filter(({ type }) => isWanted(subscribers, type));
  if (events.length === 0) return;
  const rows = await insertEvents(transaction, now, events);
  announceDeliveries(work, await queueDeliveries(transaction, now, rows, subscribers));
}

/** What a receiver gets to know: what was decided and where it stands in the ledger, and nothing of the device. */
function tellRecord(tenantId: string, record: ConsentRecord): NewWebhookEvent {
  return {
    tenantId,
    type: record.kind === 'capture' ? 'consent.recorded' : 'consent.withdrawn',
    data: {
      recordId: record.id,
      noticeId: record.noticeId,
      noticeVersion: record.noticeVersion,
      subjectId: record.subjectId,
      kind: record.kind,
      withdrawsRecordId: record.withdrawsRecordId,
      method: record.method,
      purposes: record.purposes,
      source: record.source,
      space: record.space,
      capturedAt: record.capturedAt,
      recordedAt: record.recordedAt,
      sequence: record.sequence,
      ledgerHash: record.ledgerHash,
    },
  };
}
