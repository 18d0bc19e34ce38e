import { html, nothing, type TemplateResult } from 'lit';
import type { Breach, BreachChange, Erasure } from '../../../../packages/node-sdk/src/types/api.ts';
import { breachStatusValues } from '../api-types.ts';
import { choice, field } from '../element.ts';
import { describeErasing, viewErased } from '../erase.ts';
import { formatCount, nameValues, toLocalInput, viewStatus, viewTerm, viewTime } from '../format.ts';
import { PageElement, textField } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { breaches } from '../sdk.ts';
import { session } from '../session.ts';
import { readBreachFields, viewBreachFields, viewNotification } from './breaches.ts';

/** One breach: its clock, what is known, and who was notified. */
export class BreachPage extends PageElement {
  static override properties = { breachId: {}, breach: { state: true }, erasure: { state: true } };

  declare breachId: string;
  declare breach: Breach | null;
  /** The erasure that was just made; null before. */
  declare erasure: Erasure | null;

  constructor() {
    super();
    this.breach = null;
    this.erasure = null;
  }

  protected override async load(): Promise<void> {
    this.breach = await breaches.retrieve(this.breachId);
  }

  protected override render(): TemplateResult {
    const { breach } = this;
    if (breach === null) return this.viewPending(pageWords.breach);
    const { affectedSubjects, dataCategories, subjectsNotifiedAt, notificationReason } = breach;
    return html`<h1>${breach.title ?? pageWords.breach}</h1>
      ${this.viewOutcome()} ${this.erasure === null ? nothing : viewErased(this.erasure)}
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
              ${
                breach.status === 'closed' && session.allows('eraseBreach')
                  ? html`<button class="danger" @click=${() => this.#erase(breach)}>${pageWords.erasing.erase}</button>`
                  : nothing
              }
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

  #erase({ id, title }: Breach): void {
    const { erasing } = pageWords;
    const coverage = { clears: [erasing.breachTexts, erasing.textTraces], keeps: [erasing.keptBreach] };
    this.formDialog = describeErasing(erasing.eraseBreach, title ?? pageWords.breach, coverage, async (reason) => {
      this.erasure = await breaches.erase(id, { reason });
      await this.loadAgain();
    });
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
