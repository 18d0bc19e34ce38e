import { html, type TemplateResult } from 'lit';
import type { DataSubjectRequest, DataSubjectRequestInput } from '../../../../packages/node-sdk/src/types/api.ts';
import {
  dataSubjectRequestChannelValues,
  dataSubjectRequestStatusValues,
  dataSubjectRequestTypeValues,
} from '../api-types.ts';
import { choice, field } from '../element.ts';
import { nameValue, nameValues, viewDue, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { PageElement, textField, viewHeading } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { requests } from '../sdk.ts';
import { session } from '../session.ts';
import { setParameter } from '../whereabouts.ts';

/** The requests of data subjects, with their deadlines. */
export class RequestList extends PageElement {
  readonly #view: ListView<DataSubjectRequest> = {
    label: pageWords.requests,
    columns: [
      [
        pageWords.subject,
        ({ id, subjectId }) => html`<a href="/app/requests/${id}">${subjectId ?? pageWords.textsErased}</a>`,
      ],
      [pageWords.type, ({ type }) => nameValue(type)],
      [pageWords.status, ({ status }) => viewStatus(status)],
      [pageWords.due, ({ dueAt, isOverdue, status }) => viewDue(dueAt, isOverdue, status === 'open')],
      [pageWords.received, ({ receivedAt }) => viewTime(receivedAt)],
    ],
    filters: [
      { name: 'status', label: pageWords.status, options: nameValues(dataSubjectRequestStatusValues) },
      { name: 'type', label: pageWords.type, options: nameValues(dataSubjectRequestTypeValues) },
      { name: 'overdue', label: pageWords.due, options: [['true', nameValue('overdue')]] },
      { name: 'assigneeUserId', label: pageWords.assignee, options: [[session.me?.user.id ?? '', pageWords.me]] },
      { name: 'subjectId', label: pageWords.subjectId },
    ],
    load: ({ overdue, ...query }) => requests.list({ ...query, ...(overdue === 'true' && { overdue: true }) }),
    empty: { text: pageWords.noRequests, docs: 'guides/data-subject-requests' },
  };

  /** The page of a subject leads here with the dialog open. */
  override connectedCallback(): void {
    super.connectedCallback();
    if (!new URLSearchParams(location.search).has('open') || !session.allows('createDsr')) return;
    setParameter('open', '');
    this.#open();
  }

  protected override render(): TemplateResult {
    return html`${viewHeading(pageWords.requests, 'createDsr', pageWords.openRequest, this.#open)}
      <svc-list .view=${this.#view}></svc-list>
      ${this.viewDialogs()}`;
  }

  readonly #open = (): void => {
    this.formDialog = {
      title: pageWords.openRequest,
      fields: () => html`${field(pageWords.subjectId, 'subjectId', {
        value: new URLSearchParams(location.search).get('subjectId') ?? '',
      })}
      ${choice(pageWords.type, 'type', nameValues(dataSubjectRequestTypeValues))}
      ${choice(pageWords.channel, 'channel', nameValues(dataSubjectRequestChannelValues))}
      ${field(pageWords.receivedHint, 'receivedAt', { type: 'datetime-local', isOptional: true })}
      ${textField(pageWords.notes, 'notes', { isOptional: true })}`,
      send: async ({ receivedAt = '', notes = '', ...rest }) => {
        const { id } = await requests.create({
          ...rest,
          ...(notes.trim() !== '' && { notes }),
          ...(receivedAt !== '' && { receivedAt: new Date(receivedAt) }),
        } as DataSubjectRequestInput);
        this.goTo(`requests/${id}`);
      },
    };
  };
}

customElements.define('svc-requests', RequestList);
