import type { Notice } from './notice.ts';
import type { ConsentRecord } from './record-queue.ts';
import { readItem, writeItem } from './safe-storage.ts';
import { attempt } from './stub/attempt.ts';
import { decisionKey } from './stub/stored-decision.ts';

/** The source of a receipt: stored with the decision, and converted when the visitor opens the receipt. */
export interface ReceiptSource {
  readonly notice: Notice;
  readonly record: ConsentRecord;
  /** The public address of the notice. */
  readonly address: string;
  /** The server's response to the record, once received. */
  readonly answer?: unknown;
}

export function receiptKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:receipt`;
}

/** Stores the source of the latest decision's receipt, separately from the decision, so that a failure cannot lose that. */
export function keepReceipt(noticeId: string, source: ReceiptSource): void {
  writeItem(receiptKey(noticeId), JSON.stringify(source));
}

/**
 * Stores the server's response with the receipt of its record.
 * @returns whether that was the latest one.
 */
export function keepAnswer(noticeId: string, { capturedAt }: ConsentRecord, answer: unknown): boolean {
  const source = attempt(() => JSON.parse(readItem(receiptKey(noticeId)) as string));
  if (source?.record?.capturedAt !== capturedAt) return false;
  keepReceipt(noticeId, { ...source, answer });
  return true;
}
