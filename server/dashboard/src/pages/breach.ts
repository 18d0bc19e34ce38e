import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Breach, BreachChange } from '../../../../packages/node-sdk/src/types/api.ts';
import { breachStatusValues } from '../api-types.ts';
import { choice, field, readForm, textField } from '../element.ts';
import { formatCount, nameValues, toLocalInput, viewStatus, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { breaches } from '../sdk.ts';
import { session } from '../session.ts';
import { readBreachFields, viewBreachFields, viewNotification } from './breaches.ts';

/** One breach: its clock, what is known, and who was notified. */
export class BreachPage extends PageElement {
  static override properties = { breachId: {}, breach: { state: true }, isEditing: { state: true } };

  declare breachId: string;
  declare breach: Breach | null;
  declare isEditing: boolean;

  constructor() {
    super();
    this.breach = null;
    this.isEditing = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('breachId')) return;
    void this.run(async () => {
      this.breach = await breaches.retrieve(this.breachId);
    });
  }

  protected override render(): TemplateResult {
    const { breach } = this;
    if (breach === null) return this.viewPending(pageWords.breach);
    const { affectedSubjects, dataCategories, subjectsNotifiedAt, notificationReason } = breach;
    return html`<h1>${breach.title}</h1>
      ${this.isEditing ? nothing : this.viewOutcome()}
      <dl>
        ${viewTerm(pageWords.severity, viewStatus(breach.severity))}
        ${viewTerm(pageWords.status, viewStatus(breach.status))}
        ${viewTerm(pageWords.discovered, viewTime(breach.discoveredAt))}
        ${viewTerm(pageWords.notifyBy, viewNotification(breach))}
        ${subjectsNotifiedAt === null ? nothing : viewTerm(pageWords.subjectsNotified, viewTime(subjectsNotifiedAt))}
        ${notificationReason === null ? nothing : viewTerm(pageWords.notificationReason, notificationReason)}
        ${affectedSubjects === null ? nothing : viewTerm(pageWords.affectedSubjects, formatCount(affectedSubjects))}
        ${dataCategories.length === 0 ? nothing : viewTerm(pageWords.dataCategories, dataCategories.join(', '))}
      </dl>
      ${
        session.allows('editBreach')
          ? html`<div class="actions">
              <button class="primary" @click=${() => this.#toggle(true)}>${pageWords.edit}</button>
            </div>`
          : nothing
      }
      <h2>${pageWords.whatHappened}</h2>
      <p class="text">${breach.description}</p>
      ${this.isEditing ? this.#viewForm(breach) : nothing}`;
  }

  #viewForm(breach: Breach): TemplateResult {
    return this.viewFormDialog(
      pageWords.edit,
      html`${viewBreachFields(breach)}
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
      this.#save,
      () => this.#toggle(false),
      pageWords.save,
    );
  }

  #toggle(isEditing: boolean): void {
    this.isEditing = isEditing;
    this.error = null;
  }

  readonly #save = (event: SubmitEvent): void => {
    const { status, notificationReason = '', ...rest } = readForm(event);
    const breach = this.breach as Breach;
    const change: BreachChange = {
      ...readBreachFields(rest),
      status: status as Breach['status'],
      notificationReason: notificationReason.trim() || null,
      ...readTime('authorityNotifiedAt', rest, breach),
      ...readTime('subjectsNotifiedAt', rest, breach),
    };
    void this.run(async () => {
      this.breach = await breaches.update(this.breachId, change);
      this.isEditing = false;
      this.notice = pageWords.saved;
    });
  };
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
