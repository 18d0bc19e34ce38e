import { html, nothing, type TemplateResult } from 'lit';
import type { DataSubjectRequest, DataSubjectRequestInput } from '../../../../packages/node-sdk/src/types/api.ts';
import {
  dataSubjectRequestChannelValues,
  dataSubjectRequestStatusValues,
  dataSubjectRequestTypeValues,
} from '../api-types.ts';
import { choice, field, readForm, textField } from '../element.ts';
import { nameValue, nameValues, viewDue, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { requests } from '../sdk.ts';
import { session } from '../session.ts';

/** The requests of data subjects, with their deadlines. */
export class RequestList extends PageElement {
  static override properties = { isAdding: { state: true } };

  declare isAdding: boolean;

  readonly #view: ListView<DataSubjectRequest> = {
    label: pageWords.requests,
    columns: [
      [pageWords.subject, ({ id, subjectId }) => html`<a href="/app/requests/${id}">${subjectId}</a>`],
      [pageWords.type, ({ type }) => nameValue(type)],
      [pageWords.status, ({ status }) => viewStatus(status)],
      [pageWords.due, ({ dueAt, isOverdue }) => viewDue(dueAt, isOverdue)],
      [pageWords.received, ({ receivedAt }) => viewTime(receivedAt)],
    ],
    filters: [
      { name: 'status', label: pageWords.status, options: nameValues(dataSubjectRequestStatusValues) },
      { name: 'type', label: pageWords.type, options: nameValues(dataSubjectRequestTypeValues) },
      { name: 'overdue', label: pageWords.due, options: [['true', nameValue('overdue')]] },
      { name: 'subjectId', label: pageWords.subjectId },
    ],
    load: ({ overdue, ...query }) => requests.list({ ...query, ...(overdue === 'true' && { overdue: true }) }),
    empty: html`<p>${pageWords.noRequests}</p>
      <p><a href="/docs/guides/data-subject-requests/" target="_blank">${pageWords.readDocs}</a></p>`,
  };

  constructor() {
    super();
    this.isAdding = false;
  }

  protected override render(): TemplateResult {
    return html`<div class="heading">
        <h1>${pageWords.requests}</h1>
        ${
          session.allows('createDsr')
            ? html`<button class="primary" @click=${() => this.#toggle(true)}>${pageWords.openRequest}</button>`
            : nothing
        }
      </div>
      <svc-list .view=${this.#view}></svc-list>
      ${this.isAdding ? this.#viewForm() : nothing}`;
  }

  #viewForm(): TemplateResult {
    return this.viewFormDialog(
      pageWords.openRequest,
      html`${field(pageWords.subjectId, 'subjectId', {
        value: new URLSearchParams(location.search).get('subjectId') ?? '',
      })}
      ${choice(pageWords.type, 'type', nameValues(dataSubjectRequestTypeValues))}
      ${choice(pageWords.channel, 'channel', nameValues(dataSubjectRequestChannelValues))}
      ${field(pageWords.receivedHint, 'receivedAt', { type: 'datetime-local', isOptional: true })}
      ${textField(pageWords.notes, 'notes', { isOptional: true })}`,
      this.#create,
      () => this.#toggle(false),
    );
  }

  #toggle(isAdding: boolean): void {
    this.isAdding = isAdding;
    this.error = null;
  }

  readonly #create = (event: SubmitEvent): void => {
    const { receivedAt = '', notes = '', ...rest } = readForm(event);
    const input = {
      ...rest,
      ...(notes.trim() !== '' && { notes }),
      ...(receivedAt !== '' && { receivedAt: new Date(receivedAt) }),
    } as DataSubjectRequestInput;
    void this.run(async () => {
      const { id } = await requests.create(input);
      this.goTo(`requests/${id}`);
    });
  };
}

customElements.define('svc-requests', RequestList);
