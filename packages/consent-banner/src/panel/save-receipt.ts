import type { RecordReceipt } from './receipt.ts';

/** Long enough for any browser to read the bytes. */
const KEPT_FOR = 60_000;

/** Downloads the receipt as a JSON file, through a blob, which every Content-Security-Policy allows. */
export function saveReceipt(receipt: RecordReceipt): void {
  const text = `${JSON.stringify(receipt, null, 2)}\n`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = `consent-${receipt.shown.notice.domain}-${receipt.event.at.slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_FOR);
}
