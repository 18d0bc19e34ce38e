import { html, nothing, type TemplateResult } from 'lit';
import type {
  DataSubjectRequest,
  DataSubjectRequestCompletion,
  Erasure,
  Member,
} from '../../../../packages/node-sdk/src/types/api.ts';
import { dataSubjectRequestOutcomeValues } from '../api-types.ts';
import { choice, field } from '../element.ts';
import { describeErasing, viewErased } from '../erase.ts';
import { nameValue, nameValues, viewDue, viewStatus, viewTerm, viewTime } from '../format.ts';
import { memberChoice, nameMember, readMembers } from '../members.ts';
import { PageElement, textField } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { requests } from '../sdk.ts';
import { session } from '../session.ts';

/** One request of a data subject: its deadline, who answers it, and what ends it. */
export class RequestPage extends PageElement {
  static override properties = {
    requestId: {},
    request: { state: true },
    members: { state: true },
    erasure: { state: true },
  };

  declare requestId: string;
  declare request: DataSubjectRequest | null;
  /** Members who can answer requests. */
  declare members: readonly Member[];
  /** The erasure that was just made; null before. */
  declare erasure: Erasure | null;

  constructor() {
    super();
    this.request = null;
    this.members = [];
    this.erasure = null;
  }

  protected override async load(): Promise<void> {
    [this.request, this.members] = await Promise.all([requests.retrieve(this.requestId), readMembers()]);
  }

  protected override render(): TemplateResult {
    const { request } = this;
    if (request === null) return this.viewPending(pageWords.request);
    const { subjectId, channel, notes, outcome, reason, completedAt, extendedAt, extensionReason } = request;
    const { assigneeUserId, identityCheck, requesterEmail, requesterName, message } = request;
    return html`<h1>${nameValue(request.type)}: <bdi>${subjectId ?? pageWords.textsErased}</bdi></h1>
      ${this.viewOutcome()} ${this.erasure === null ? nothing : viewErased(this.erasure)}
      <dl>
        ${viewTerm(pageWords.status, viewStatus(request.status))}
        ${viewTerm(pageWords.due, viewDue(request.dueAt, request.isOverdue, request.status === 'open'))}
        ${viewTerm(pageWords.received, viewTime(request.receivedAt))}
        ${channel === null ? nothing : viewTerm(pageWords.channel, nameValue(channel))}
        ${
          subjectId === null
            ? viewTerm(pageWords.textsErased, viewTime(request.erasedAt))
            : viewTerm(
                pageWords.subject,
                html`<a href="/app/subjects/${encodeURIComponent(subjectId)}">${subjectId}</a>`,
              )
        }
        ${viewTerm(pageWords.source, request.source === 'public' ? pageWords.requestForm : nameValue(request.source))}
        ${requesterName === null ? nothing : viewTerm(pageWords.name, requesterName)}
        ${requesterEmail === null ? nothing : viewTerm(pageWords.requesterEmail, requesterEmail)}
        ${requesterEmail === null ? nothing : viewTerm(pageWords.addressConfirmed, this.#viewConfirmed(request))}
        ${viewTerm(
          pageWords.assignee,
          assigneeUserId === null ? pageWords.nobody : nameMember(this.members, assigneeUserId),
        )}
        ${viewTerm(pageWords.identityChecked, identityCheck === null ? pageWords.notYet : this.#viewCheck(identityCheck))}
        ${extendedAt === null ? nothing : viewTerm(pageWords.extended, viewTime(extendedAt))}
        ${extensionReason === null ? nothing : viewTerm(pageWords.extensionReason, extensionReason)}
        ${completedAt === null ? nothing : viewTerm(pageWords.completed, viewTime(completedAt))}
        ${outcome === null ? nothing : viewTerm(pageWords.outcome, nameValue(outcome))}
        ${reason === null ? nothing : viewTerm(pageWords.reason, reason)}
      </dl>
      ${
        message === null
          ? nothing
          : html`<h2>${pageWords.requesterMessage}</h2>
        <p class="text">${message}</p>`
      }
      ${
        notes === null
          ? nothing
          : html`<h2>${pageWords.notes}</h2>
        <p class="text">${notes}</p>`
      }
      ${request.status === 'open' && session.allows('completeDsr') ? this.#viewActions(request) : nothing}
      ${
        request.status === 'completed' && request.erasedAt === null && session.allows('eraseDsr')
          ? html`<div class="actions">
              <button class="danger" @click=${() => this.#erase(request)}>${pageWords.erasing.erase}</button>
            </div>`
          : nothing
      }
      ${this.viewDialogs()}`;
  }

  #viewCheck({ method, at, by }: NonNullable<DataSubjectRequest['identityCheck']>): TemplateResult {
    return html`${method} (${by === null ? '' : `${nameMember(this.members, by)}, `}${viewTime(at)})`;
  }

  #viewConfirmed({ confirmedAt }: DataSubjectRequest): TemplateResult {
    return confirmedAt === null ? html`${pageWords.notYet}` : html`${viewTime(confirmedAt)}`;
  }

  #viewActions(request: DataSubjectRequest): TemplateResult {
    const { extendedAt, requesterEmail, confirmedAt } = request;
    const isUnconfirmed = requesterEmail !== null && confirmedAt === null;
    return html`<div class="actions">
      <button class="primary" @click=${this.#complete}>${pageWords.complete}</button>
      <button @click=${this.#edit}>${pageWords.edit}</button>
      ${
        isUnconfirmed && session.allows('createDsrConfirmationLink')
          ? html`<button @click=${this.#makeLink}>${pageWords.makeConfirmationLink}</button>`
          : nothing
      }
      ${extendedAt === null ? html`<button @click=${this.#extend}>${pageWords.extend}</button>` : nothing}
    </div>`;
  }

  /** No confirmation, although it ends an earlier link: the new one replaces that. */
  readonly #makeLink = (): void => {
    void this.run(async () => {
      const { token } = await requests.createConfirmationLink(this.requestId);
      const title = `${pageWords.confirmationLink} ${this.request?.requesterEmail}`;
      this.secret = { title, value: `${location.origin}/privacy/confirm#${token}`, hint: pageWords.linkHint };
    });
  };

  readonly #edit = (): void => {
    const { subjectId, assigneeUserId, identityCheck, notes } = this.request as DataSubjectRequest;
    this.formDialog = {
      title: pageWords.edit,
      button: pageWords.save,
      fields: () => html`${field(pageWords.subjectId, 'subjectId', { value: subjectId ?? '' })}
      ${memberChoice(pageWords.assignee, 'assigneeUserId', this.members, assigneeUserId, pageWords.nobody)}
      ${field(pageWords.identityChecked, 'identityCheck', {
        hint: pageWords.identityHint,
        isOptional: true,
        value: identityCheck?.method ?? '',
      })}
      ${textField(pageWords.notes, 'notes', { isOptional: true, value: notes ?? '' })}`,
      send: async ({
        subjectId: subject = '',
        assigneeUserId: assignee = '',
        identityCheck: method = '',
        notes: text = '',
      }) => {
        this.request = await requests.update(this.requestId, {
          subjectId: subject,
          ...(assignee !== (assigneeUserId ?? '') && { assigneeUserId: assignee || null }),
          identityCheck: method.trim() === '' ? null : { method },
          notes: text.trim() === '' ? null : text,
        });
        this.notice = pageWords.saved;
      },
    };
  };

  #erase({ id, type, subjectId }: DataSubjectRequest): void {
    const { erasing } = pageWords;
    const coverage = {
      clears: [erasing.requestTexts, erasing.textTraces],
      keeps: [erasing.keptRequest, erasing.keptRecords],
    };
    const name = `${nameValue(type)}: ${subjectId}`;
    this.formDialog = describeErasing(erasing.eraseRequest, name, coverage, async (reason) => {
      this.erasure = await requests.erase(id, { reason });
      await this.loadAgain();
    });
  }

  readonly #extend = (): void => {
    this.formDialog = {
      title: pageWords.extend,
      fields: () => html`<p>${pageWords.extendHint}</p>
        ${textField(pageWords.reason, 'reason')}`,
      send: async ({ reason = '' }) => {
        this.request = await requests.extend(this.requestId, { reason });
      },
    };
  };

  readonly #complete = (): void => {
    this.formDialog = {
      title: pageWords.complete,
      fields: () => html`${choice(pageWords.outcome, 'outcome', nameValues(dataSubjectRequestOutcomeValues))}
      ${textField(pageWords.reasonUnlessFulfilled, 'reason', { isOptional: true })}`,
      send: async ({ outcome, reason = '' }) => {
        const completion = { outcome, ...(reason.trim() !== '' && { reason }) } as DataSubjectRequestCompletion;
        this.request = await requests.complete(this.requestId, completion);
      },
    };
  };
}

customElements.define('svc-request', RequestPage);
