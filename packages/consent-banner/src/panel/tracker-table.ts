import { html, type TemplateResult } from 'lit/html.js';
import { css } from '../first-layer/css.ts';
import type { Tracker } from '../notice/notice.ts';
import { writeDuration } from './format.ts';
import type { Messages } from './messages.ts';

/** The table of trackers; its rows are blocks where it is narrow. */
export const trackerTableStyles = css`
  .table {
    container-type: inline-size;
    font-size: 0.875em;
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
    text-align: start;
  }
  th,
  td {
    padding-block: 0.5em;
    padding-inline: 0 1em;
    border-block-end: 1px solid var(--_border);
    text-align: start;
    vertical-align: top;
    overflow-wrap: anywhere;
  }
  tbody tr:last-child > * {
    border-block-end: none;
  }
  thead th {
    color: var(--_muted);
    font-weight: 600;
  }
  tbody th {
    inline-size: 38%;
    font-weight: 500;
  }
  code {
    font-family: ui-monospace, monospace;
    font-size: 0.9375em;
    overflow-wrap: anywhere;
  }
  small {
    display: block;
    color: var(--_muted);
    font-size: 0.9375em;
  }
  @container (max-width: 26em) {
    thead {
      display: none; /* Each cell has its own head. */
    }
    tr {
      display: block;
      padding-block: 0.5em;
      border-block-end: 1px solid var(--_border);
    }
    tbody tr:last-child {
      border-block-end: none;
    }
    tbody :is(th, td) {
      display: block;
      inline-size: auto;
      padding-block: 0.125em;
      border: none;
    }
    td::before {
      content: attr(data-head) ': ';
      color: var(--_muted);
    }
    small {
      display: inline;
    }
  }
`;

/**
 * Renders what a purpose stores or reads as a table; in a narrow place its rows become blocks. The roles are written out,
 * because browsers drop those of a table that is displayed as something else.
 */
export function trackerTable(trackers: readonly Tracker[], messages: Messages, language: string): TemplateResult {
  const heads = [messages.trackerName, messages.trackerProvider, messages.trackerLifetime];
  return html`
    <div class="table">
      <table role="table" part="trackers">
        <thead role="rowgroup">
          <tr role="row">
            ${heads.map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${trackers.map((tracker) => trackerRow(tracker, messages, language))}
        </tbody>
      </table>
    </div>
  `;
}

function trackerRow(
  { name, provider, lifetime, thirdParty }: Tracker,
  messages: Messages,
  language: string,
): TemplateResult {
  const kept =
    lifetime === 'session' || lifetime === 'persistent' ? messages[lifetime] : writeDuration(lifetime, language);
  return html`
    <tr role="row">
      <th role="rowheader" scope="row"><code dir="ltr">${name}</code></th>
      <td role="cell" data-head=${messages.trackerProvider}>
        <bdi>${provider}</bdi> <small>${thirdParty ? messages.thirdParty : messages.firstParty}</small>
      </td>
      <td role="cell" data-head=${messages.trackerLifetime}>${kept}</td>
    </tr>
  `;
}
