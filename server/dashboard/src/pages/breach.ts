import { html, nothing, type TemplateResult } from 'lit';
import type { Breach, BreachChange } from '../../../../packages/node-sdk/src/types/api.ts';
import { breachStatusValues } from '../api-types.ts';
import { choice, field } from '../element.ts';
import { formatCount, nameValues, toLocalInput, viewStatus, viewTerm, viewTime } from '../format.ts';
import { PageElement, textField } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { breaches } from '../sdk.ts';
import { session } from '../session.ts';
import { readBreachFields, viewBreachFields, viewNotification } from './breaches.ts';

/** One breach: its clock, what is known, and who was notified. */
export class BreachPage extends PageElement {
  static override properties = { breachId: {}, breach: { state: true } };

  declare breachId: string;
  declare breach: Breach | null;

  constructor() {
    super();
    this.breach = null;
  }

  protected override async load(): Promise<void> {
    this.breach = await breaches.retrieve(this.breachId);
  }

  protected override render(): TemplateResult {
    const { breach } = this;
    if (breach === null) return this.viewPending(pageWords.breach);
    const { affectedSubjects, dataCategories, subjectsNotifiedAt, notificationReason } = breach;
    return html`<h1>${breach.title ?? pageWords.breach}</h1>
      ${this.viewOutcome()}
      <dl>
        ${viewTerm(pageWords.severity, viewStatus(breach.severity))}
        ${viewTerm(pageWords.status, viewStatus(breach.status))}
        ${viewTerm(pageWords.discovered, viewTime(breach.discoveredAt))}
        ${viewTerm(pageWords.notifyBy, viewNotification(breach))}
        ${breach.erasedAt === null ? nothing : viewTerm(pageWords.textsErased, viewTime(breach.erasedAt))}
        ${subjectsNotifiedAt === null ? nothing : viewTerm(pageWords.subjectsNotified, viewTime(subjectsNotifiedAt))}
        ${notificationReason === null ? nothing : viewTerm(pageWords.notificationReason, notificationReason)}
        ${affectedSubjects === null ? nothing : viewTerm(pageWords.affectedSubjects, formatCount(affectedSubjects))}
        ${dataCategories.length === 0 ? nothing : viewTerm(pageWords.dataCategories, dataCategories.join(', '))}
      </dl>
      ${
        breach.erasedAt === null && session.allows('editBreach')
          ? html`<div class="actions">
              <button class="primary" @click=${() => this.#edit(breach)}>${pageWords.edit}</button>
            </div>`
          : nothing
      }
      ${
        breach.description === null
          ? nothing
          : html`<h2>${pageWords.whatHappened}</h2>
              <p class="text">${breach.description}</p>`
      }
      ${this.viewDialogs()}`;
  }

  #edit(breach: Breach): void {
    this.formDialog = {
      title: pageWords.edit,
      button: pageWords.save,
      fields: () => html`${viewBreachFields(breach)}
      ${choice(pageWords.status, 'status', nameValues(breachStatusValues), breach.status)}
      ${field(pageWords.authorityNotified, 'authorityNotifiedAt', {
        type: 'datetime-local',
        isOptional: true,
        value: toLocalInput(breach.authorityNotifiedAt),
      })}
      ${field(pageWords.subjectsNotified, 'subjectsNotifiedAt', {
        type: 'datetime-local',
        isOptional: true,
        value: toLocalInput(breach.subjectsNotifiedAt),
      })}
      ${textField(pageWords.notificationReason, 'notificationReason', {
        isOptional: true,
        value: breach.notificationReason ?? '',
      })}`,
      send: async ({ status, notificationReason = '', ...rest }) => {
        const change: BreachChange = {
          ...readBreachFields(rest),
          status: status as Breach['status'],
          notificationReason: notificationReason.trim() || null,
          ...readTime('authorityNotifiedAt', rest, breach),
          ...readTime('subjectsNotifiedAt', rest, breach),
        };
        this.breach = await breaches.update(this.breachId, change);
        this.notice = pageWords.saved;
      },
    };
  }
}

/** A field holds minutes: one that the user did not touch must not cut the seconds off. */
function readTime(
  name: 'authorityNotifiedAt' | 'subjectsNotifiedAt',
  values: Readonly<Record<string, string>>,
  breach: Breach,
) {
  const value = values[name] ?? '';
  if (value === toLocalInput(breach[name])) return {};
  return { [name]: value === '' ? null : new Date(value) };
}

customElements.define('svc-breach', BreachPage);
