import { html, type PropertyValues, type TemplateResult } from 'lit';
import type { ConsentRecord } from '../../../../packages/node-sdk/src/types/api.ts';
import { DashboardElement } from '../element.ts';
import { nameValue, viewTime } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { pageWords } from '../preferences.ts';
import { records } from '../sdk.ts';

/** The records of a notice, newest first. */
export class RecordList extends DashboardElement {
  static override properties = { noticeId: {} };

  declare noticeId: string;
  #view: ListView<ConsentRecord> | null = null;

  protected override willUpdate(changed: PropertyValues<this>): void {
    const { noticeId } = this;
    if (changed.has('noticeId'))
      this.#view = { ...viewRecords(), load: () => records.list(noticeId), empty: pageWords.noRecords };
  }

  protected override render(): TemplateResult {
    return html`<h1>${pageWords.records}</h1>
      <svc-list .view=${this.#view}></svc-list>`;
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
      [
        pageWords.subject,
        ({ subjectId }) => html`<a href="/app/subjects/${encodeURIComponent(subjectId)}">${subjectId}</a>`,
      ],
      [pageWords.kind, ({ kind }) => nameValue(kind)],
      [pageWords.choices, ({ purposes }) => viewChoices(purposes)],
      [pageWords.version, ({ noticeVersion }) => noticeVersion],
      [pageWords.source, ({ source }) => nameValue(source)],
    ],
  };
}

/** Purposes with what was chosen. */
export function viewChoices(purposes: Readonly<Record<string, boolean>>): string {
  return Object.entries(purposes)
    .map(([key, isGranted]) => `${key}: ${isGranted ? pageWords.granted : pageWords.refused}`)
    .join(', ');
}

customElements.define('svc-records', RecordList);
