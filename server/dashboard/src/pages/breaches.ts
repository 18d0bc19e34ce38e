import { html, type TemplateResult } from 'lit';
import type { Breach, BreachInput } from '../../../../packages/node-sdk/src/types/api.ts';
import { breachSeverityValues, breachStatusValues } from '../api-types.ts';
import { choice, field } from '../element.ts';
import { nameValues, viewDue, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { PageElement, textField, viewHeading } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { breaches } from '../sdk.ts';

/** Personal data breaches, with the 72 hours of GDPR Article 33. */
export class BreachList extends PageElement {
  readonly #view: ListView<Breach> = {
    label: pageWords.breaches,
    columns: [
      [pageWords.title, ({ id, title }) => html`<a href="/app/breaches/${id}">${title ?? pageWords.textsErased}</a>`],
      [pageWords.severity, ({ severity }) => viewStatus(severity)],
      [pageWords.status, ({ status }) => viewStatus(status)],
      [pageWords.notifyBy, viewNotification],
      [pageWords.discovered, ({ discoveredAt }) => viewTime(discoveredAt)],
    ],
    filters: [
      { name: 'status', label: pageWords.status, options: nameValues(breachStatusValues) },
      { name: 'severity', label: pageWords.severity, options: nameValues(breachSeverityValues) },
    ],
    load: (query) => breaches.list(query),
    empty: { text: pageWords.noBreaches, docs: 'guides/breaches' },
  };

  protected override render(): TemplateResult {
    return html`${viewHeading(pageWords.breaches, 'reportBreach', pageWords.reportBreach, this.#report)}
      <svc-list .view=${this.#view}></svc-list>
      ${this.viewDialogs()}`;
  }

  readonly #report = (): void => {
    this.formDialog = {
      title: pageWords.reportBreach,
      fields: () => html`${viewBreachFields(null)}
      ${field(pageWords.discovered, 'discoveredAt', { type: 'datetime-local' })}`,
      send: async ({ discoveredAt = '', ...rest }) => {
        const { affectedSubjects, ...fields } = readBreachFields(rest);
        const input = { ...fields, ...(affectedSubjects !== null && { affectedSubjects }) };
        const { id } = await breaches.report({ ...input, discoveredAt: new Date(discoveredAt) } as BreachInput);
        this.goTo(`breaches/${id}`);
      },
    };
  };
}

/** The deadline of the notification, or when it was made. */
export function viewNotification(breach: Breach): TemplateResult {
  const { authorityNotifiedAt, notificationDueAt, notificationReason, isNotificationOverdue } = breach;
  if (authorityNotifiedAt !== null) return html`${pageWords.notified} ${viewTime(authorityNotifiedAt)}`;
  return viewDue(notificationDueAt, isNotificationOverdue, notificationReason === null);
}

/** The fields of a new or a reported breach. */
export function viewBreachFields(breach: Breach | null): TemplateResult {
  return html`${field(pageWords.title, 'title', { value: breach?.title ?? '' })}
  ${textField(pageWords.whatHappened, 'description', { value: breach?.description ?? '' })}
  ${choice(pageWords.severity, 'severity', nameValues(breachSeverityValues), breach?.severity)}
  ${field(pageWords.affectedSubjects, 'affectedSubjects', {
    type: 'number',
    isOptional: true,
    value: String(breach?.affectedSubjects ?? ''),
  })}
  ${field(pageWords.dataCategories, 'dataCategories', {
    isOptional: true,
    hint: pageWords.commaHint,
    value: breach?.dataCategories.join(', ') ?? '',
  })}`;
}

/** Reads the fields of `viewBreachFields`. */
export function readBreachFields(values: Readonly<Record<string, string>>) {
  const { title = '', description = '', severity, affectedSubjects = '', dataCategories = '' } = values;
  return {
    title,
    description,
    severity: severity as Breach['severity'],
    affectedSubjects: affectedSubjects === '' ? null : Number(affectedSubjects),
    dataCategories: dataCategories.split(',').flatMap((text) => text.trim() || []),
  };
}

customElements.define('svc-breaches', BreachList);
