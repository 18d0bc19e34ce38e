import type { NewAuditEvent } from '../audit/event.ts';
import type { ConsentRecord } from './record.ts';

/** The audit event of one record that a caller made. */
export function describeRecord(record: ConsentRecord): NewAuditEvent {
  return {
    module: 'consent',
    action: record.kind === 'withdrawal' ? 'consent.withdrawn' : 'consent.recorded',
    targetId: record.id,
    targetRef: record.noticeId,
    diff: { sequence: record.sequence, purposes: record.purposes, ledgerHash: record.ledgerHash },
  };
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
