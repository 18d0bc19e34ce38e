import { html, nothing, type TemplateResult } from 'lit';
import type { Notice, NoticeWarning } from '../../../packages/node-sdk/src/types/api.ts';
import { nameLanguage } from './notice-names.ts';
import { pageWords } from './preferences.ts';

/** Shows the warnings of the server about the saved notice. @param edit opens the text; without it, links lead to the editor. */
export function viewWarnings(notice: Notice, edit?: (warning: NoticeWarning) => void): TemplateResult {
  const byLanguage = [...Map.groupBy(notice.warnings, ({ language }) => language)];
  const { title, hint } = pageWords.noticeWarnings;
  // Many languages must not push the form off the screen.
  const isOpen = byLanguage.length <= 3;
  return html`<div role="status">
    ${
      byLanguage.length === 0
        ? nothing
        : html`<details class="notice" ?open=${isOpen}>
            <summary><strong>${title}</strong> ${byLanguage.map(([language]) => nameLanguage(language)).join(', ')}</summary>
            <p>${hint}</p>
            <ul class="plain">
              ${byLanguage.map(
                ([language, warnings]) =>
                  html`<li>
                    <span><strong>${nameLanguage(language)}:</strong> ${warnings.map((one) => explain(notice, one)).join(' ')}</span>
                    ${viewEdit(notice, warnings[0] as NoticeWarning, edit)}
                  </li>`,
              )}
            </ul>
          </details>`
    }
  </div>`;
}

/** "The text does not name Werbung. Add {purposes} to it." */
function explain({ purposes, translations = {} }: Notice, warning: NoticeWarning): string {
  const { code, language } = warning;
  const names = purposes
    .filter(({ key }) => warning.purposes.includes(key))
    .map(({ key, label }) => translations[language]?.purposes[key]?.label ?? label);
  return pageWords.noticeWarnings.codes[code].replace('{names}', () => names.join(', '));
}

function viewEdit({ id }: Notice, warning: NoticeWarning, edit?: (warning: NoticeWarning) => void): TemplateResult {
  const text = pageWords.noticeWarnings.edit;
  const label = `${text}: ${nameLanguage(warning.language)}`;
  return edit === undefined
    ? html`<a href="/app/notices/${id}?part=texts" aria-label=${label}>${text}</a>`
    : html`<button type="button" aria-label=${label} @click=${() => edit(warning)}>${text}</button>`;
}
