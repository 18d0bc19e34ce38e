import { html, type TemplateResult } from 'lit';
import type { NoticeVersion } from '../../../packages/node-sdk/src/types/api.ts';
import { viewTerm, viewTime } from './format.ts';
import { pageWords } from './preferences.ts';
import { viewMissingFacts } from './receipt-facts.ts';

/** Shows the text that visitors saw of a version of a notice. */
export function viewVersion(shown: NoticeVersion): TemplateResult {
  const { version, name, controllerName, language, domain, publishedAt, purposes } = shown;
  return html`<details class="version">
    <summary>${pageWords.shownText} ${version}</summary>
    <div lang=${language}>
      <h3>${name}</h3>
      ${purposes.map(
        ({ key, label, description, required }) =>
          html`<p>
            <strong>${label}</strong> <code>${key}</code>
            ${required ? html`<span class="quiet">${pageWords.required}</span>` : ''}<br />${description}
          </p>`,
      )}
    </div>
    <dl>
      ${viewTerm(pageWords.controller, controllerName)} ${viewTerm(pageWords.domain, domain)}
      ${viewTerm(pageWords.noticeLanguage, language)} ${viewTerm(pageWords.publishedAt, viewTime(publishedAt))}
    </dl>
    ${viewMissingFacts(shown)}
  </details>`;
}
