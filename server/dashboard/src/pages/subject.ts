import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ConsentRecord, NoticeState, SubjectState } from '../../../../packages/node-sdk/src/types/api.ts';
import { viewError } from '../element.ts';
import { viewStatus } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { PageElement } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { saveFile } from '../proof-view.ts';
import { subjects } from '../sdk.ts';
import { viewRecords } from './records.ts';

/** What a data subject has decided: the state of each notice, and every record. */
export class SubjectPage extends PageElement {
  static override properties = { subjectId: {}, state: { state: true } };

  declare subjectId: string;
  declare state: SubjectState | null;
  #records: ListView<ConsentRecord> | null = null;

  constructor() {
    super();
    this.state = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const { subjectId } = this;
    if (!changed.has('subjectId')) return;
    this.#records = {
      ...viewRecords(),
      load: () => subjects.listRecords(subjectId),
      empty: pageWords.noSubjectRecords,
    };
    void this.run(async () => {
      this.state = (await subjects.retrieve(subjectId, { limit: 1 })).state;
    });
  }

  protected override render(): TemplateResult {
    const { state } = this;
    return html`<h1>${this.subjectId}</h1>
      ${viewError(this.error)}
      ${
        state === null
          ? this.error === null
            ? html`<p role="status">${words.loading}</p>`
            : nothing
          : html`${viewStates(pageWords.statedByApi, state.api)} ${viewStates(pageWords.statedByVisitor, state.public)}`
      }
      <h2>${pageWords.records}</h2>
      <svc-list .view=${this.#records}></svc-list>
      <div class="actions">
        <button ?disabled=${this.isBusy} @click=${this.#export}>${pageWords.saveJson}</button>
      </div>`;
  }

  /** All records of the subject, for a request for access (GDPR Article 15) or portability (Article 20). */
  readonly #export = (): void => {
    void this.run(async () => {
      const all: ConsentRecord[] = [];
      for await (const record of subjects.listRecords(this.subjectId)) all.push(record);
      saveFile('subject.json', JSON.stringify({ subjectId: this.subjectId, state: this.state, records: all }, null, 2));
    });
  };
}

function viewStates(title: string, states: readonly NoticeState[]): TemplateResult | typeof nothing {
  if (states.length === 0) return nothing;
  return html`<section>
    <h2>${title}</h2>
    ${states.map(
      ({ noticeId, purposes }) =>
        html`<p><a href="/app/notices/${noticeId}/records">${pageWords.notice} ${noticeId}</a></p>
          <ul class="plain">
            ${Object.entries(purposes).map(
              ([key, { granted, recordId }]) =>
                html`<li>
                  <a href="/app/notices/${noticeId}/records/${recordId}">${key}</a>
                  ${viewStatus(granted ? 'granted' : 'refused')}
                </li>`,
            )}
          </ul>`,
    )}
  </section>`;
}

customElements.define('svc-subject', SubjectPage);
