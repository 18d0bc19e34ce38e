import { writeItem } from '../state/safe-storage.ts';
import { readSource, receiptKey } from './receipt-store.ts';
import type { ConsentRecord } from './record-queue.ts';

/**
 * Stores a record as it was sent, and the server's response, with its receipt.
 * @returns whether that was the latest one.
 */
export function keepAnswer(noticeId: string, record: ConsentRecord, answer: unknown): boolean {
  const source = readSource(noticeId);
  if (source?.record?.capturedAt !== record.capturedAt) return false;
  writeItem(receiptKey(noticeId), JSON.stringify({ ...source, record, answer }));
  return true;
}
