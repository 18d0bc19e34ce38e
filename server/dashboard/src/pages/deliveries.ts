import { html, nothing, type TemplateResult } from 'lit';
import type {
  WebhookDelivery,
  WebhookRedelivery,
  WebhookRedeliveryInput,
} from '../../../../packages/node-sdk/src/types/api.ts';
import { webhookDeliveryStatusValues, webhookEventTypeValues, webhookFailureReasonValues } from '../api-types.ts';
import { formatCount, nameValue, nameValues, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { PageElement } from '../page-element.ts';
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
    ],
    load: (query) => webhooks.deliveries.list({ ...query, webhookId }),
    empty: html`<p>${pageWords.noDeliveries}</p>`,
  };
}

function filter(name: string, label: string, values: readonly string[]) {
  return { name, label, options: nameValues(values) };
}

/** All deliveries; what is filtered can be sent again together. */
export class DeliveryList extends PageElement {
  static override properties = { redelivery: { state: true } };

  /** The redelivery of many that was started last. */
  declare redelivery: WebhookRedelivery | null;
  readonly #view = viewDeliveries();
  #timer = 0;

  constructor() {
    super();
    this.redelivery = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.run(async () => {
      const [newest = null] = (await webhooks.redeliveries.list({ limit: 1 })).items;
      if (newest?.status === 'running') this.#follow(newest);
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  protected override render(): TemplateResult {
    return html`<h1>${pageWords.deliveries}</h1>
      ${this.confirmation === null ? this.viewOutcome() : nothing} ${this.#viewProgress()}
      ${
        session.allows('redeliverWebhookDeliveries')
          ? html`<div class="actions">
              <button ?disabled=${this.isBusy} @click=${this.#ask}>${pageWords.redeliverMany}</button>
            </div>`
          : nothing
      }
      <svc-list .view=${this.#view}></svc-list>
      ${this.viewDialogs()}`;
  }

  #viewProgress(): TemplateResult | typeof nothing {
    if (this.redelivery === null) return nothing;
    const { status, queued, total } = this.redelivery;
    return html`<section aria-live="polite">
      <h2>${pageWords.redelivery}: ${nameValue(status)}</h2>
      <progress max=${Math.max(total, 1)} value=${queued} aria-label=${pageWords.redelivery}></progress>
      <p>${formatCount(queued)} / ${formatCount(total)}</p>
      ${
        status === 'running' && session.allows('cancelWebhookRedelivery')
          ? html`<div class="actions"><button @click=${this.#stop}>${pageWords.stop}</button></div>`
          : nothing
      }
    </section>`;
  }

  /** Counts what the filters of the address allow; without a status those are the dead letters. */
  readonly #ask = (): void => {
    const { status, ...others } = Object.fromEntries(new URLSearchParams(location.search));
    const which: WebhookRedeliveryInput = {
      from: allTime,
      ...others,
      status: status === 'delivered' ? 'delivered' : 'dead',
    };
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

  /** Shows how far a redelivery is, and asks again while it runs and the page is visible. */
  #follow(redelivery: WebhookRedelivery): void {
    this.redelivery = redelivery;
    clearTimeout(this.#timer);
    if (redelivery.status !== 'running') {
      void this.querySelector<HTMLElement & { reload(): void }>('svc-list')?.reload();
      return;
    }
    this.#timer = window.setTimeout(async () => {
      if (document.hidden) return this.#follow(redelivery);
      // An outage of the server ends nothing: the next try may reach it.
      this.#follow(await webhooks.redeliveries.retrieve(redelivery.id).catch(() => redelivery));
    }, pollMilliseconds);
  }
}

const pollMilliseconds = 3000;

customElements.define('svc-deliveries', DeliveryList);
