import type { RecordReceipt } from './receipt.ts';

/** Long enough for any browser to take the bytes. */
const KEPT_FOR = 60_000;

/** Hands the receipt to the visitor as a file of JSON: by a blob, which no Content-Security-Policy stands against. */
export function saveReceipt(receipt: RecordReceipt): void {
  const text = `${JSON.stringify(receipt, null, 2)}\n`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = `consent-${receipt.notice.domain}-${receipt.event.at.slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_FOR);
}
