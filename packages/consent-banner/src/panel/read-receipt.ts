import { parseNotice } from '../notice/notice.ts';
import { readItem } from '../page/browser.ts';
import { type ReceiptSource, receiptKey } from '../records/consent-record.ts';
import { draftReceipt, proveReceipt, type RecordReceipt } from './receipt.ts';

/**
 * The receipt of the decision that was made at a given time; null if it is invalid or of another decision, so that a
 * visitor never sees the receipt of a decision that is not in force.
 */
export function readReceipt(noticeId: string, decidedAt: string): RecordReceipt | null {
  try {
    const source: ReceiptSource = JSON.parse(readItem(receiptKey(noticeId)) ?? 'null');
    const { subjectId, method, capturedAt } = source.record;
    const texts: readonly unknown[] = [subjectId, method, source.address];
    if (capturedAt !== decidedAt || !texts.every((text) => typeof text === 'string')) return null;
    const { purposes } = parseNotice({ data: source.notice }, noticeId);
    if (!purposes.every(({ key }) => typeof source.record.purposes[key] === 'boolean')) return null;
    return proveReceipt(draftReceipt(source), source.answer);
  } catch {
    return null;
  }
}
