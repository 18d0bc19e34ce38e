import { html, nothing, type TemplateResult } from 'lit';
import type { WebhookAttempt, WebhookDeliveryDetail } from '../../../../packages/node-sdk/src/types/api.ts';
import { nameValue, viewStatus, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { Polling } from '../polling.ts';
import { pageWords } from '../preferences.ts';
import { webhooks } from '../sdk.ts';
import { session } from '../session.ts';

/** One delivery: the event that is sent, and every attempt with its duration and the answer. */
export class DeliveryPage extends PageElement {
  static override properties = { deliveryId: {}, delivery: { state: true }, url: { state: true } };

  declare deliveryId: string;
  declare delivery: WebhookDeliveryDetail | null;
  /** Where it goes, once that is loaded. */
  declare url: string | null;
  readonly #polling = new Polling(this, () => this.#look());

  constructor() {
    super();
    this.delivery = null;
    this.url = null;
  }

  /** Looks for further attempts. The next look tries again what fails. */
  async #look(): Promise<void> {
    if (this.delivery?.status !== 'pending') return;
    this.delivery = await webhooks.deliveries.retrieve(this.deliveryId).catch(() => this.delivery);
  }

  protected override async load(): Promise<void> {
    this.delivery = await webhooks.deliveries.retrieve(this.deliveryId);
    // A deleted webhook leaves its id.
    const webhook = webhooks.retrieve(this.delivery.webhookId).catch(() => null);
    void webhook.then((found) => {
      this.url = found?.url ?? null;
    });
  }

  protected override render(): TemplateResult {
    const { delivery } = this;
    if (delivery === null) return this.viewPending(pageWords.delivery);
    return html`<h1>${delivery.eventType}</h1>
      ${this.viewOutcome()}
      <dl>
        ${viewTerm(pageWords.status, viewStatus(delivery.status))}
        ${delivery.reason === null ? nothing : viewTerm(pageWords.reason, nameValue(delivery.reason))}
        ${viewTerm(pageWords.webhook, html`<a href="/app/webhooks/${delivery.webhookId}">${this.url ?? delivery.webhookId}</a>`)}
        ${viewTerm(pageWords.createdAt, viewTime(delivery.createdAt))}
        ${delivery.nextAttemptAt === null ? nothing : viewTerm(pageWords.nextAttempt, viewTime(delivery.nextAttemptAt))}
        ${
          delivery.redeliveryOf === null
            ? nothing
            : viewTerm(
                pageWords.redeliveryOf,
                html`<a href="/app/webhooks/deliveries/${delivery.redeliveryOf}">${delivery.redeliveryOf}</a>`,
              )
        }
        ${viewTerm(pageWords.deliveryId, html`<code>${delivery.id}</code>`)}
      </dl>
      ${this.#viewActions(delivery)} ${delivery.status === 'pending' ? this.#polling.view() : nothing}
      <h2>${pageWords.attempts}</h2>
      ${
        delivery.attempts.length === 0
          ? html`<p>${pageWords.noAttempts}</p>`
          : html`<ol class="attempts">${delivery.attempts.toReversed().map(viewAttempt)}</ol>`
      }
      <h2>${pageWords.payload}</h2>
      <pre tabindex="0" aria-label=${pageWords.payload}>${JSON.stringify(delivery.event, null, 2)}</pre>
      ${this.viewDialogs()}`;
  }

  #viewActions({ status }: WebhookDeliveryDetail): TemplateResult {
    const mayRedeliver = (status === 'dead' || status === 'delivered') && session.allows('redeliverWebhookDelivery');
    const mayCancel = status === 'pending' && session.allows('cancelWebhookDelivery');
    return html`<div class="actions">
      ${
        mayRedeliver
          ? html`<button class="primary" ?disabled=${this.isBusy} @click=${this.#redeliver}>${pageWords.redeliver}</button>`
          : nothing
      }
      ${
        mayCancel
          ? html`<button class="danger" ?disabled=${this.isBusy} @click=${this.#cancel}>${pageWords.cancelDelivery}</button>`
          : nothing
      }
      <button ?disabled=${this.isBusy} @click=${this.reload}>${pageWords.refresh}</button>
    </div>`;
  }

  readonly #redeliver = (): void => {
    void this.run(async () => {
      const { id } = await webhooks.deliveries.redeliver(this.deliveryId);
      this.goTo(`webhooks/deliveries/${id}`);
    });
  };

  readonly #cancel = (): void => {
    const { eventType, webhookId } = this.delivery as WebhookDeliveryDetail;
    this.confirmation = {
      title: pageWords.cancelDelivery,
      text: `${eventType} → ${this.url ?? webhookId}: ${pageWords.cancelDeliveryHint}`,
      button: pageWords.cancelDelivery,
      run: async () => {
        await webhooks.deliveries.cancel(this.deliveryId);
        await this.loadAgain();
      },
    };
  };
}

/** One attempt: outcome, duration and answer. */
function viewAttempt({ at, outcome, responseStatus, message, excerpt, milliseconds }: WebhookAttempt): TemplateResult {
  return html`<li>
    <p>
      ${viewStatus(outcome)} ${responseStatus === null ? nothing : html`<strong>${responseStatus}</strong>`}
      ${viewTime(at)} <span class="quiet">${milliseconds} ms</span>
    </p>
    ${message === null ? nothing : html`<p>${message}</p>`}
    ${excerpt === null ? nothing : html`<pre tabindex="0" aria-label=${pageWords.response}>${excerpt}</pre>`}
  </li>`;
}

customElements.define('svc-delivery', DeliveryPage);
