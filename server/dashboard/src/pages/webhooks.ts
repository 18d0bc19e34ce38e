import { html, nothing, type TemplateResult } from 'lit';
import type { Webhook, WebhookChange, WebhookInput } from '../../../../packages/node-sdk/src/types/api.ts';
import { webhookEventTypeValues, webhookStatusValues } from '../api-types.ts';
import { field } from '../element.ts';
import { formatCount, nameValue, nameValues, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement, viewHeading } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { allTime, webhooks } from '../sdk.ts';

/** The endpoints of a tenant, with the dead letters first. */
export class WebhookList extends PageElement {
  static override properties = { dead: { state: true } };

  /** How many deliveries are dead letters; null before they are counted. */
  declare dead: number | null;

  readonly #view: ListView<Webhook> = {
    label: pageWords.webhooks,
    columns: [
      [pageWords.url, ({ id, url }) => html`<a href="/app/webhooks/${id}">${url}</a>`],
      [pageWords.description, ({ description }) => description ?? ''],
      [pageWords.status, viewHealth],
      [pageWords.eventTypes, ({ eventTypes }) => (eventTypes === null ? pageWords.all : eventTypes.length)],
      [pageWords.createdAt, ({ createdAt }) => viewTime(createdAt)],
    ],
    filters: [{ name: 'status', label: pageWords.status, options: nameValues(webhookStatusValues) }],
    load: (query) => webhooks.list(query),
    empty: { text: pageWords.noWebhooks, docs: 'webhooks/start' },
  };

  constructor() {
    super();
    this.dead = null;
  }

  protected override async load(): Promise<void> {
    this.dead = (await webhooks.redeliveries.count({ from: allTime })).count;
  }

  protected override render(): TemplateResult {
    return html`${viewHeading(pageWords.webhooks, 'createWebhook', pageWords.addWebhook, this.#add)}
      ${this.viewOutcome()} ${this.#viewDead()}
      <svc-list .view=${this.#view}></svc-list>
      <p><a href="/app/webhooks/deliveries">${pageWords.allDeliveries}</a></p>
      ${this.viewDialogs()}`;
  }

  #viewDead(): TemplateResult | typeof nothing {
    if (this.dead === null || this.dead === 0) return nothing;
    return html`<section class="alert">
      <h2>${pageWords.deadLetters}: ${formatCount(this.dead)}</h2>
      <p>${pageWords.deadLettersHint}</p>
      <p><a href="/app/webhooks/deliveries?status=dead">${pageWords.reviewDeadLetters}</a></p>
    </section>`;
  }

  readonly #add = (): void => {
    this.formDialog = {
      title: pageWords.addWebhook,
      fields: () => viewWebhookFields(null),
      send: async (values, form) => {
        const { secret } = await webhooks.create(readWebhook(values, form));
        this.secret = { title: pageWords.signingSecret, value: secret };
        void this.querySelector<List<Webhook>>('svc-list')?.reload();
      },
    };
  };
}

/** The status of an endpoint; an enabled one may be failing or paused by its receiver. */
export function viewHealth({ status, failingSince, disabledReason }: Webhook): TemplateResult {
  if (status === 'disabled' && disabledReason !== null)
    return html`${viewStatus(status)} <span class="quiet">${nameValue(disabledReason)}</span>`;
  if (failingSince === null) return viewStatus(status);
  return html`${viewStatus('failing')} <span class="quiet">${pageWords.since} ${viewTime(failingSince)}</span>`;
}

/** The fields of a new or an existing endpoint. */
export function viewWebhookFields(webhook: Webhook | null): TemplateResult {
  const { url = '', description = '', eventTypes = null, filter = null, rateLimit = null } = webhook ?? {};
  return html`${field(pageWords.url, 'url', { type: 'url', hint: pageWords.urlHint, value: url })}
    ${field(pageWords.descriptionOptional, 'description', { isOptional: true, value: description ?? '' })}
    <fieldset>
      <legend>${pageWords.eventTypes}</legend>
      <p class="quiet">${pageWords.eventTypesHint}</p>
      <div class="checks">
        ${webhookEventTypeValues.map(
          (type) =>
            html`<label
              ><input type="checkbox" name="eventTypes" value=${type} ?checked=${eventTypes?.includes(type) === true} />
              ${type}</label
            >`,
        )}
      </div>
    </fieldset>
    <details>
      <summary>${pageWords.advanced}</summary>
      ${field(pageWords.rateLimit, 'rateLimit', {
        type: 'number',
        isOptional: true,
        hint: pageWords.rateLimitHint,
        value: rateLimit === null ? '' : String(rateLimit),
      })}
      ${field(pageWords.retrySchedule, 'retrySchedule', {
        isOptional: true,
        hint: pageWords.retryScheduleHint,
        value: webhook?.retrySchedule?.join(', ') ?? '',
      })}
      ${field(pageWords.filter, 'filter', {
        isOptional: true,
        hint: pageWords.filterHint,
        value: filter === null ? '' : JSON.stringify(filter),
      })}
      <label class="check"
        ><input type="checkbox" name="asymmetric" ?checked=${webhook?.asymmetric === true} /> ${pageWords.asymmetric}</label
      >
    </details>`;
}

/** Reads the form of an endpoint; the server validates it. */
export function readWebhook(
  values: Readonly<Record<string, string>>,
  form: HTMLFormElement,
): WebhookInput & WebhookChange {
  const { url = '', description = '', rateLimit = '', retrySchedule = '', filter = '', asymmetric } = values;
  const eventTypes = new FormData(form).getAll('eventTypes');
  return {
    url: url.trim(),
    description: description.trim() || null,
    eventTypes: eventTypes.length === 0 ? null : (eventTypes as NonNullable<WebhookInput['eventTypes']>),
    rateLimit: rateLimit === '' ? null : Number(rateLimit),
    retrySchedule: retrySchedule.trim() === '' ? null : retrySchedule.split(',').map(Number),
    filter: filter.trim() === '' ? null : parseFilter(filter),
    asymmetric: asymmetric !== undefined,
  };
}

/** Invalid JSON is sent as text: the server rejects it with a message. */
function parseFilter(text: string): NonNullable<WebhookInput['filter']> {
  try {
    return JSON.parse(text);
  } catch {
    return text as never;
  }
}

customElements.define('svc-webhooks', WebhookList);
