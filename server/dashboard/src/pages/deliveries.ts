import { html, nothing, type TemplateResult } from 'lit';
import type {
  WebhookDelivery,
  WebhookRedelivery,
  WebhookRedeliveryInput,
} from '../../../../packages/node-sdk/src/types/api.ts';
import {
  redeliverableStatusValues,
  webhookDeliveryStatusValues,
  webhookEventTypeValues,
  webhookFailureReasonValues,
} from '../api-types.ts';
import { formatCount, nameValue, nameValues, viewStatus, viewTime } from '../format.ts';
import { type ListView, readFilters } from '../list.ts';
import { PageElement } from '../page-element.ts';
import { Polling } from '../polling.ts';
import { pageWords } from '../preferences.ts';
import { allTime, webhooks } from '../sdk.ts';
import { session } from '../session.ts';

/** The deliveries of all endpoints, or of one. */
export function viewDeliveries(webhookId?: string): ListView<WebhookDelivery> {
  return {
    label: pageWords.deliveries,
    columns: [
      [pageWords.event, ({ id, eventType }) => html`<a href="/app/webhooks/deliveries/${id}">${eventType}</a>`],
      [pageWords.status, ({ status }) => viewStatus(status)],
      [pageWords.reason, ({ reason }) => (reason === null ? '' : nameValue(reason))],
      [pageWords.response, ({ responseStatus }) => responseStatus ?? ''],
      [pageWords.attempts, ({ attemptCount }) => attemptCount],
      [pageWords.createdAt, ({ createdAt }) => viewTime(createdAt)],
      [pageWords.nextAttempt, ({ nextAttemptAt }) => (nextAttemptAt === null ? '' : viewTime(nextAttemptAt))],
    ],
    filters: [
      filter('status', pageWords.status, webhookDeliveryStatusValues),
      filter('reason', pageWords.reason, webhookFailureReasonValues),
      filter('eventType', pageWords.event, webhookEventTypeValues),
      { name: 'from', label: pageWords.from, type: 'date' },
      { name: 'to', label: pageWords.to, type: 'date' },
    ],
    load: (query) => webhooks.deliveries.list({ ...query, ...(webhookId !== undefined && { webhookId }) }),
    empty: {
      text: pageWords.noDeliveries,
      docs: 'webhooks/failures',
      ...(webhookId === undefined && { action: ['/app/webhooks', pageWords.webhooks] as const }),
    },
  };
}

/** All deliveries, or those of a webhook that another page leads here with. */
function viewAll(webhookId: string, name: string): ListView<WebhookDelivery> {
  const view = viewDeliveries();
  if (webhookId === '') return view;
  const ofWebhook = { name: 'webhookId', label: pageWords.webhook, options: [[webhookId, name]] } as const;
  return { ...view, filters: [ofWebhook, ...(view.filters ?? [])] };
}

/** Without a status, the dead letters are sent again. */
function isRedeliverable(status = 'dead'): boolean {
  return (redeliverableStatusValues as readonly string[]).includes(status);
}

function filter(name: string, label: string, values: readonly string[]) {
  return { name, label, options: nameValues(values) };
}

/** All deliveries; what is filtered can be sent again together. */
export class DeliveryList extends PageElement {
  static override properties = { redelivery: { state: true }, view: { state: true } };

  /** The redelivery of many that was started last. */
  declare redelivery: WebhookRedelivery | null;
  declare view: ListView<WebhookDelivery>;
  readonly #polling = new Polling(this, () => this.#look());

  constructor() {
    super();
    this.redelivery = null;
    const webhookId = new URLSearchParams(location.search).get('webhookId') ?? '';
    this.view = viewAll(webhookId, webhookId);
  }

  protected override async load(): Promise<void> {
    const [newest = null] = (await webhooks.redeliveries.list({ limit: 1 })).items;
    if (newest?.status === 'running') this.#follow(newest);
    const webhookId = new URLSearchParams(location.search).get('webhookId');
    // A deleted webhook keeps its id.
    const webhook = webhookId === null ? null : await webhooks.retrieve(webhookId).catch(() => null);
    if (webhook !== null) this.view = viewAll(webhook.id, webhook.url);
  }

  protected override render(): TemplateResult {
    return html`<h1>${pageWords.deliveries}</h1>
      ${this.viewOutcome()} ${this.#viewProgress()}
      ${
        session.allows('redeliverWebhookDeliveries') && isRedeliverable(readFilters(this.view).status)
          ? html`<div class="actions">
              <button ?disabled=${this.isBusy} @click=${this.#ask}>${pageWords.redeliverMany}</button>
            </div>`
          : nothing
      }
      <svc-list .view=${this.view} @filtered=${() => this.requestUpdate()}></svc-list>
      ${this.viewDialogs()}`;
  }

  #viewProgress(): TemplateResult | typeof nothing {
    if (this.redelivery === null) return nothing;
    const { status, queued, total } = this.redelivery;
    return html`<section aria-live="polite">
      <h2>${pageWords.redelivery}: ${nameValue(status)}</h2>
      <progress max=${Math.max(total, 1)} value=${queued} aria-label=${pageWords.redelivery}></progress>
      <p>${formatCount(queued)} / ${formatCount(total)}</p>
      ${status === 'running' ? this.#polling.view() : nothing}
      ${
        status === 'running' && session.allows('cancelWebhookRedelivery')
          ? html`<div class="actions"><button @click=${this.#stop}>${pageWords.stop}</button></div>`
          : nothing
      }
    </section>`;
  }

  /** Counts what the filters of the address allow; without a status those are the dead letters. */
  readonly #ask = (): void => {
    const which: WebhookRedeliveryInput = { from: allTime, status: 'dead', ...readFilters(this.view) };
    void this.run(async () => {
      const { count } = await webhooks.redeliveries.count(which);
      if (count === 0) {
        this.notice = pageWords.nothingToRedeliver;
        return;
      }
      this.confirmation = {
        title: pageWords.redeliverMany,
        text: `${pageWords.redeliverCount} ${formatCount(count)} (${nameValue(which.status as string)})`,
        button: pageWords.redeliver,
        run: async () => this.#follow(await webhooks.redeliveries.create(which)),
      };
    });
  };

  readonly #stop = (): void => {
    const { id } = this.redelivery as WebhookRedelivery;
    void this.run(async () => this.#follow(await webhooks.redeliveries.cancel(id)));
  };

  /** Shows how far a redelivery is. */
  #follow(redelivery: WebhookRedelivery): void {
    this.redelivery = redelivery;
    if (redelivery.status !== 'running')
      void this.querySelector<HTMLElement & { reload(): void }>('svc-list')?.reload();
  }

  /** An outage of the server ends nothing: the next look may reach it. */
  async #look(): Promise<void> {
    const { redelivery } = this;
    if (redelivery?.status !== 'running') return;
    const now = await webhooks.redeliveries.retrieve(redelivery.id).catch(() => redelivery);
    // The user may have stopped it meanwhile.
    if (this.redelivery === redelivery) this.#follow(now);
  }
}

customElements.define('svc-deliveries', DeliveryList);
