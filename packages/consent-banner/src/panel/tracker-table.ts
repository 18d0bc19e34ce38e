import { html, type TemplateResult } from 'lit/html.js';
import type { Tracker } from '../state/notice.ts';
import type { Words } from './words.ts';
import { writeDuration } from './write-duration.ts';

/**
 * What a purpose stores or reads, as a table; in a narrow place its rows become blocks. The roles are written out, because
 * browsers drop those of a table that is displayed as something else.
 */
export function trackerTable(trackers: readonly Tracker[], words: Words, language: string): TemplateResult {
  const heads = [words.trackerName, words.trackerProvider, words.trackerLifetime];
  return html`
    <div class="table">
      <table role="table" part="trackers">
        <thead role="rowgroup">
          <tr role="row">
            ${heads.map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${trackers.map((tracker) => trackerRow(tracker, words, language))}
        </tbody>
      </table>
    </div>
  `;
}

function trackerRow({ name, provider, lifetime, thirdParty }: Tracker, words: Words, language: string): TemplateResult {
  const kept =
    lifetime === 'session' || lifetime === 'persistent' ? words[lifetime] : writeDuration(lifetime, language);
  return html`
    <tr role="row">
      <th role="rowheader" scope="row"><code dir="ltr">${name}</code></th>
      <td role="cell" data-head=${words.trackerProvider}>
        <bdi>${provider}</bdi> <small>${thirdParty ? words.thirdParty : words.firstParty}</small>
      </td>
      <td role="cell" data-head=${words.trackerLifetime}>${kept}</td>
    </tr>
  `;
}
