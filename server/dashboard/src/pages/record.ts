import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ConsentRecord } from '../../../../packages/node-sdk/src/types/api.ts';
import { nameValue, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { saveFile } from '../proof-view.ts';
import { proveRecord } from '../prove.ts';
import { records } from '../sdk.ts';
import { session } from '../session.ts';
import { viewChoices } from './records.ts';

/** One consent record: the decision, its place in the ledger, and the proof. */
export class RecordPage extends PageElement {
  static override properties = { noticeId: {}, recordId: {}, record: { state: true } };

  declare noticeId: string;
  declare recordId: string;
  declare record: ConsentRecord | null;

  constructor() {
    super();
    this.record = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('recordId')) return;
    this.record = null;
    void this.run(async () => {
      this.record = await records.retrieve(this.noticeId, this.recordId);
    });
  }

  protected override render(): TemplateResult {
    const { record } = this;
    if (record === null) return this.viewPending(pageWords.record);
    const { noticeId, withdrawsRecordId, method } = record;
    return html`<h1>${pageWords.record} ${record.sequence}</h1>
      ${this.confirmation === null ? this.viewOutcome() : nothing}
      <dl>
        ${viewTerm(
          pageWords.subject,
          html`<a href="/app/subjects/${encodeURIComponent(record.subjectId)}">${record.subjectId}</a>`,
        )}
        ${viewTerm(pageWords.kind, nameValue(record.kind))} ${viewTerm(pageWords.choices, viewChoices(record.purposes))}
        ${viewTerm(pageWords.capturedAt, viewTime(record.capturedAt))}
        ${viewTerm(pageWords.recordedAt, viewTime(record.recordedAt))}
        ${viewTerm(pageWords.source, nameValue(record.source))}
        ${method === null ? nothing : viewTerm(pageWords.method, method)}
        ${viewTerm(
          pageWords.notice,
          html`<a href="/app/notices/${noticeId}/records">${pageWords.version} ${record.noticeVersion}</a>`,
        )}
        ${
          withdrawsRecordId === null
            ? nothing
            : viewTerm(
                pageWords.withdraws,
                html`<a href="/app/notices/${noticeId}/records/${withdrawsRecordId}">${withdrawsRecordId}</a>`,
              )
        }
        ${viewTerm(pageWords.contentHash, html`<code>${record.noticeContentHash}</code>`)}
        ${viewTerm(pageWords.hash, html`<code>${record.ledgerHash}</code>`)}
      </dl>
      <div class="actions">
        ${
          session.allows('withdrawConsentRecord') && Object.values(record.purposes).includes(true)
            ? html`<button class="danger" @click=${() => this.#askWithdraw(record)}>${pageWords.withdraw}</button>`
            : nothing
        }
        <button @click=${() => saveFile(`record-${record.sequence}.json`, JSON.stringify(record, null, 2))}>
          ${pageWords.saveJson}
        </button>
      </div>
      <svc-proof .prove=${() => proveRecord(record)}></svc-proof>
      ${this.viewDialogs()}`;
  }

  #askWithdraw({ subjectId }: ConsentRecord): void {
    this.confirmation = {
      title: pageWords.withdraw,
      text: `${subjectId}: ${pageWords.withdrawHint}`,
      button: pageWords.withdraw,
      run: async () => {
        const { id } = await records.withdraw(this.noticeId, this.recordId);
        this.goTo(`notices/${this.noticeId}/records/${id}`);
      },
    };
  }
}

customElements.define('svc-record', RecordPage);
