import { decisionKey } from '../decision/stored-decision.ts';
import { attempt } from '../state/attempt.ts';
import type { Notice } from '../state/notice.ts';
import { readItem } from '../state/safe-storage.ts';
import type { ConsentRecord } from './record-queue.ts';

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

/** The source of the latest decision's receipt; it may be anything. */
export function readSource(noticeId: string): ReceiptSource | undefined {
  return attempt(() => JSON.parse(readItem(receiptKey(noticeId)) as string)) ?? undefined;
}
