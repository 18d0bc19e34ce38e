import { isProof, type RecordReceipt } from './receipt.ts';
import { readItem, writeItem } from './safe-storage.ts';
import { decisionKey } from './stub/stored-decision.ts';

/** Keeps the receipt of the latest decision beside the decision itself: losing the one never costs the other. */
export function writeReceipt(noticeId: string, receipt: RecordReceipt): void {
  writeItem(receiptKey(noticeId), JSON.stringify(receipt));
}

/**
 * The receipt of the decision that was made at a moment. What cannot be read, or belongs to another decision, is none:
 * a visitor is never shown a receipt of what is not in force.
 */
export function readReceipt(noticeId: string, decidedAt: string): RecordReceipt | null {
  try {
    const receipt = JSON.parse(readItem(receiptKey(noticeId)) ?? 'null');
    return isReceipt(receipt) && receipt.event.at === decidedAt ? receipt : null;
  } catch {
    return null;
  }
}

function receiptKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:receipt`;
}

function isReceipt(value: RecordReceipt | null): value is RecordReceipt {
  return (
    value?.schema === 'svc-consent-receipt/1' &&
    typeof value.notice.domain === 'string' &&
    typeof value.event.at === 'string' &&
    typeof value.verification.publicKey === 'string' &&
    Array.isArray(value.purposes) &&
    value.purposes.every(({ label, status }) => typeof label === 'string' && typeof status === 'string') &&
    (value.proof === null || isProof(value.proof))
  );
}
