import { html, nothing, type TemplateResult } from 'lit/html.js';
import { fillText, listNames, writeMoment } from './fill-words.ts';
import type { SpokenWords } from './load-words.ts';
import type { ReceiptPurpose, RecordReceipt } from './receipt.ts';
import { saveReceipt } from './save-receipt.ts';

/** The visitor's decision and its position in the ledger, collapsed at the end of the panel. */
export function receiptView(receipt: RecordReceipt | null, words: SpokenWords): TemplateResult | typeof nothing {
  if (!receipt) return nothing;
  const { event, proof, purposes } = receipt;
  const date = writeMoment(event.at, words.lang);
  return html`
    <details class="receipt" part="receipt">
      <summary>${words.receipt}</summary>
      <p>${fillText(words.decidedAt, { date })}</p>
      <dl>
        ${statusView(purposes, 'granted', words)}${statusView(purposes, 'refused', words)}
        ${proof ? html`<dt>SHA-256</dt><dd><code dir="ltr">${proof.ledgerHash.replace('sha256:', '')}</code></dd>` : nothing}
      </dl>
      ${proof ? nothing : html`<p role="status">${words.pending}</p>`}
      <button class="quiet" part="download" type="button" @click=${() => saveReceipt(receipt)}>${words.download}</button>
    </details>
  `;
}

function statusView(
  purposes: readonly ReceiptPurpose[],
  status: ReceiptPurpose['status'],
  words: SpokenWords,
): TemplateResult | typeof nothing {
  const labels = purposes.filter((purpose) => purpose.status === status).map(({ label }) => label);
  if (!labels.length) return nothing;
  return html`<dt>${words[status]}</dt><dd>${listNames(labels, words)}</dd>`;
}
