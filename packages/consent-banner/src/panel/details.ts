import { html, nothing, type TemplateResult } from 'lit/html.js';
import { css } from '../first-layer/css.ts';
import { attempt, toJson } from '../page/browser.ts';
import { listNames } from './format.ts';
import { fillText, type Messages, writeMoment } from './messages.ts';
import { type RecordReceipt, readReceipt } from './receipt.ts';
import { trackerTable, trackerTableStyles } from './tracker-table.ts';

const receiptStyles = css`
  dt {
    color: var(--_muted);
    font-size: 0.875em;
  }
  dd + dt {
    margin-block-start: 0.5em;
  }
`;

/** Content that the panel shows when the visitor unfolds it. */
export const details = { receiptView, trackerTable, styles: css`${receiptStyles}${trackerTableStyles}` };

/** Long enough for any browser to read the bytes. */
const KEPT_FOR = 60_000;

/** The visitor's decision, the words it was made on, and its position in the ledger. Nothing if the receipt is invalid. */
function receiptView(
  noticeId: string,
  decidedAt: string,
  messages: Messages,
  language: string,
): TemplateResult | typeof nothing {
  const receipt = readReceipt(noticeId, decidedAt);
  if (!receipt) return nothing;
  const { event, proof, shown } = receipt;
  const date = writeMoment(event.at, language);
  const tongue = attempt(() => new Intl.DisplayNames(language, { type: 'language' }).of(shown.language));
  const about = `${shown.notice.name} · v${shown.notice.version} · ${tongue ?? shown.language}`;
  return html`
      <p>${fillText(messages.decidedAt, { date })}</p>
      <dl>
        ${statusView(receipt, true, messages)} ${statusView(receipt, false, messages)}
        <dt><bdi>${about}</bdi></dt>
        <dd>${hashView(shown.hash)}</dd>
        ${proof ? html`<dt><code dir="ltr">${proof.recordId}</code></dt><dd>${hashView(proof.ledgerHash)}</dd>` : nothing}
      </dl>
      ${proof ? nothing : html`<p role="status">${messages.pending}</p>`}
      <button class="quiet" part="download" type="button" .onclick=${() => saveReceipt(receipt)}>${messages.download}</button>
  `;
}

function hashView(hash: string): TemplateResult {
  return html`<code dir="ltr">${hash.replace(/^sha256:/, '').replace(/^(?=[0-9a-f]{64}$)/, 'SHA-256 ')}</code>`;
}

function statusView(
  { purposes, shown }: RecordReceipt,
  isGranted: boolean,
  messages: Messages,
): TemplateResult | typeof nothing {
  const labels = shown.notice.purposes.flatMap(({ key, label }) => (purposes[key] === isGranted ? label : []));
  if (!labels.length) return nothing;
  return html`<dt>${isGranted ? messages.granted : messages.refused}</dt><dd>${listNames(labels, messages)}</dd>`;
}

/** Downloads the receipt as a JSON file, through a blob, which every Content-Security-Policy allows. */
function saveReceipt(receipt: RecordReceipt): void {
  const text = `${toJson(receipt, 2)}\n`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = `consent-${receipt.shown.notice.domain}-${receipt.event.at.slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_FOR);
}
