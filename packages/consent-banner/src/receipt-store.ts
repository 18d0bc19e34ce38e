import type { Notice } from './notice.ts';
import type { ConsentRecord } from './record-queue.ts';
import { readItem, writeItem } from './safe-storage.ts';
import { attempt } from './stub/attempt.ts';
import { decisionKey } from './stub/stored-decision.ts';

/** What a receipt is made of: kept at the decision, and made into one when the visitor looks at it. */
export interface ReceiptSource {
  readonly notice: Notice;
  readonly record: ConsentRecord;
  /** The public address of the notice. */
  readonly address: string;
  /** What the server answered to the record, once it has. */
  readonly answer?: unknown;
}

export function receiptKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:receipt`;
}

/** Keeps the source of the latest decision's receipt beside the decision itself: losing the one never costs the other. */
export function keepReceipt(noticeId: string, source: ReceiptSource): void {
  writeItem(receiptKey(noticeId), JSON.stringify(source));
}

/**
 * Keeps the server's answer with the receipt of the record that it answers.
 * @returns whether that was the latest one.
 */
export function keepAnswer(noticeId: string, { capturedAt }: ConsentRecord, answer: unknown): boolean {
  const source = attempt(() => JSON.parse(readItem(receiptKey(noticeId)) as string));
  if (source?.record?.capturedAt !== capturedAt) return false;
  keepReceipt(noticeId, { ...source, answer });
  return true;
}
