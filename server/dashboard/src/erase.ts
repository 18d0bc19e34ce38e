import { html, nothing, type TemplateResult } from 'lit';
import type { SubjectSpelling } from '../../../packages/node-sdk/src/types/api.ts';
import { field } from './element.ts';
import { formatCount, viewTerm } from './format.ts';
import type { FormDialog } from './page-element.ts';
import { pageWords } from './preferences.ts';

/** Result of an erasure, whatever was erased. */
export interface Erased {
  readonly status: 'running' | 'done';
  readonly counts: Readonly<Partial<Record<keyof typeof pageWords.erasing.counts, number>>>;
}

/** Data that an erasure clears, and data that it keeps. */
export interface Coverage {
  readonly clears: readonly string[];
  readonly keeps: readonly string[];
  /** Other spellings of the id of a data subject, which can be erased with it. */
  readonly spellings?: readonly SubjectSpelling[];
}

/** A dialog that erases: what is covered, the reason, and a second step that names the object. */
export function describeErasing(
  title: string,
  name: string,
  coverage: Coverage,
  erase: (reason: string, spellings: readonly string[]) => Promise<void>,
): FormDialog {
  return {
    title,
    button: pageWords.erasing.erase,
    isDangerous: true,
    fields: () => viewErasing(name, coverage),
    send: ({ reason = '' }, form) => erase(reason, new FormData(form).getAll('spelling').map(String)),
  };
}

function viewErasing(name: string, coverage: Coverage): TemplateResult {
  const words = pageWords.erasing;
  const list = (title: string, items: readonly string[]) => html`<p>${title}</p>
    <ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>`;
  return html`${list(words.clears, coverage.clears)} ${list(words.keeps, coverage.keeps)}
    ${viewSpellings(coverage.spellings ?? [])}
    ${field(words.reason, 'reason', { hint: words.reasonHint })}
    <label class="check"><input type="checkbox" required /> <span>${words.sure} <bdi>${name}</bdi></span></label>`;
}

/** In quotes, which show the spaces around an id. */
function viewSpellings(spellings: readonly SubjectSpelling[]): TemplateResult | typeof nothing {
  if (spellings.length === 0) return nothing;
  return html`<fieldset>
    <legend>${pageWords.erasing.spellings}</legend>
    ${spellings.map(
      ({ subjectId, recordCount }) =>
        html`<label class="check">
          <input type="checkbox" name="spelling" value=${subjectId} />
          <span><bdi>${JSON.stringify(subjectId)}</bdi> (${countItem('records', recordCount)})</span>
        </label>`,
    )}
  </fieldset>`;
}

/** Shows the result of an erasure, by kind. */
export function viewErased({ status, counts }: Erased): TemplateResult {
  const words = pageWords.erasing;
  const shown = Object.entries(counts) as [keyof typeof words.counts, number][];
  return html`<p class="notice" role="status">${status === 'done' ? words.done : words.running}</p>
    <dl>${shown.map(([name, count]) => viewTerm(words.counts[name], formatCount(count)))}</dl>`;
}

/** A covered kind of data with its number: `Consent records: 3`. */
export function countItem(name: keyof typeof pageWords.erasing.counts, count: number, hasMore = false): string {
  return `${pageWords.erasing.counts[name]}: ${formatCount(count)}${hasMore ? '+' : ''}`;
}
