import { html, type TemplateResult } from 'lit';
import type { ConsentRecord, Notice } from '../../../../packages/node-sdk/src/types/api.ts';
import { recordKindValues, recordSourceValues } from '../api-types.ts';
import { nameValue, nameValues, viewTime } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { NoticePage } from '../notice-page.ts';
import { pageWords } from '../preferences.ts';
import { records } from '../sdk.ts';

/** The records of a notice, newest first. */
export class RecordList extends NoticePage {
  #view: ListView<ConsentRecord> | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#view = {
      ...viewRecords(),
      filters: [
        { name: 'subjectId', label: pageWords.subjectId },
        { name: 'kind', label: pageWords.kind, options: nameValues(recordKindValues) },
        { name: 'source', label: pageWords.source, options: nameValues(recordSourceValues) },
        { name: 'version', label: pageWords.version },
        { name: 'from', label: pageWords.from, type: 'date' },
        { name: 'to', label: pageWords.to, type: 'date' },
      ],
      load: (query) => records.list(this.noticeId, query),
      empty: {
        text: pageWords.noRecords,
        docs: 'guides/records',
        action: [`/app/notices/${this.noticeId}/install`, pageWords.installBanner],
      },
    };
  }

  protected override viewNotice(_notice: Notice): TemplateResult {
    return html`<svc-list .view=${this.#view}></svc-list>`;
  }
}

/** The columns of a list of records. */
export function viewRecords(): Pick<ListView<ConsentRecord>, 'label' | 'columns'> {
  return {
    label: pageWords.records,
    columns: [
      [
        pageWords.recordedAt,
        ({ id, noticeId, recordedAt }) =>
          html`<a href="/app/notices/${noticeId}/records/${id}">${viewTime(recordedAt)}</a>`,
      ],
      [pageWords.subject, viewSubject],
      [pageWords.kind, ({ kind }) => nameValue(kind)],
      [pageWords.choices, ({ purposes }) => viewChoices(purposes)],
      [pageWords.version, ({ noticeVersion }) => noticeVersion],
      [pageWords.source, ({ source }) => nameValue(source)],
    ],
  };
}

/** A link to the subject of a record; when it was erased, if it was. */
export function viewSubject({ subjectId, erasedAt }: ConsentRecord): TemplateResult {
  return subjectId === null
    ? html`${pageWords.erased} ${viewTime(erasedAt)}`
    : html`<a href="/app/subjects/${encodeURIComponent(subjectId)}">${subjectId}</a>`;
}

/** Purposes with what was chosen. */
export function viewChoices(purposes: Readonly<Record<string, boolean>>): string {
  return Object.entries(purposes)
    .map(([key, isGranted]) => `${key}: ${isGranted ? pageWords.granted : pageWords.refused}`)
    .join(', ');
}

customElements.define('svc-records', RecordList);
