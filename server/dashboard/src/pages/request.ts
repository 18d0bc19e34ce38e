import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { DataSubjectRequest, DataSubjectRequestCompletion } from '../../../../packages/node-sdk/src/types/api.ts';
import { dataSubjectRequestOutcomeValues } from '../api-types.ts';
import { choice, readForm, textField } from '../element.ts';
import { nameValue, nameValues, viewDue, viewStatus, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { requests } from '../sdk.ts';
import { session } from '../session.ts';

/** One request of a data subject: its deadline, and what ends it. */
export class RequestPage extends PageElement {
  static override properties = { requestId: {}, request: { state: true }, form: { state: true } };

  declare requestId: string;
  declare request: DataSubjectRequest | null;
  /** The dialog that is open. */
  declare form: 'extend' | 'complete' | null;

  constructor() {
    super();
    this.request = null;
    this.form = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('requestId')) return;
    void this.run(async () => {
      this.request = await requests.retrieve(this.requestId);
    });
  }

  protected override render(): TemplateResult {
    const { request } = this;
    if (request === null) return this.viewPending(pageWords.request);
    const { subjectId, channel, notes, outcome, reason, completedAt, extendedAt, extensionReason } = request;
    return html`<h1>${nameValue(request.type)}: ${subjectId}</h1>
      ${this.form === null ? this.viewOutcome() : nothing}
      <dl>
        ${viewTerm(pageWords.status, viewStatus(request.status))}
        ${viewTerm(pageWords.due, viewDue(request.dueAt, request.isOverdue))}
        ${viewTerm(pageWords.received, viewTime(request.receivedAt))}
        ${channel === null ? nothing : viewTerm(pageWords.channel, nameValue(channel))}
        ${viewTerm(pageWords.subject, html`<a href="/app/subjects/${encodeURIComponent(subjectId)}">${subjectId}</a>`)}
        ${extendedAt === null ? nothing : viewTerm(pageWords.extended, viewTime(extendedAt))}
        ${extensionReason === null ? nothing : viewTerm(pageWords.extensionReason, extensionReason)}
        ${completedAt === null ? nothing : viewTerm(pageWords.completed, viewTime(completedAt))}
        ${outcome === null ? nothing : viewTerm(pageWords.outcome, nameValue(outcome))}
        ${reason === null ? nothing : viewTerm(pageWords.reason, reason)}
        ${notes === null ? nothing : viewTerm(pageWords.notes, notes)}
      </dl>
      ${request.status === 'open' && session.allows('completeDsr') ? this.#viewActions(request) : nothing}
      ${this.#viewForm()}`;
  }

  #viewActions({ extendedAt }: DataSubjectRequest): TemplateResult {
    return html`<div class="actions">
      <button class="primary" @click=${() => this.#open('complete')}>${pageWords.complete}</button>
      ${extendedAt === null ? html`<button @click=${() => this.#open('extend')}>${pageWords.extend}</button>` : nothing}
    </div>`;
  }

  #viewForm(): TemplateResult | typeof nothing {
    const close = () => this.#open(null);
    if (this.form === 'extend')
      return this.viewFormDialog(
        pageWords.extend,
        html`<p>${pageWords.extendHint}</p>
          ${textField(pageWords.reason, 'reason')}`,
        this.#extend,
        close,
      );
    if (this.form === 'complete')
      return this.viewFormDialog(
        pageWords.complete,
        html`${choice(pageWords.outcome, 'outcome', nameValues(dataSubjectRequestOutcomeValues))}
        ${textField(pageWords.reasonUnlessFulfilled, 'reason', { isOptional: true })}`,
        this.#complete,
        close,
      );
    return nothing;
  }

  #open(form: RequestPage['form']): void {
    this.form = form;
    this.error = null;
  }

  readonly #extend = (event: SubmitEvent): void => {
    const { reason = '' } = readForm(event);
    void this.run(async () => {
      this.request = await requests.extend(this.requestId, { reason });
      this.form = null;
    });
  };

  readonly #complete = (event: SubmitEvent): void => {
    const { outcome, reason = '' } = readForm(event);
    const completion = { outcome, ...(reason.trim() !== '' && { reason }) } as DataSubjectRequestCompletion;
    void this.run(async () => {
      this.request = await requests.complete(this.requestId, completion);
      this.form = null;
    });
  };
}

customElements.define('svc-request', RequestPage);
