import { parseNotice } from './notice.ts';
import { draftReceipt, proveReceipt, type RecordReceipt } from './receipt.ts';
import { type ReceiptSource, receiptKey } from './receipt-store.ts';
import { readItem } from './safe-storage.ts';

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
    parseNotice({ data: source.notice }, noticeId);
    return proveReceipt(draftReceipt(source), source.answer);
  } catch {
    return null;
  }
}
