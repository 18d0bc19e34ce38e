import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type {
  WebhookAttempt,
  WebhookAttemptTiming,
  WebhookDeliveryDetail,
} from '../../../../packages/node-sdk/src/types/api.ts';
import { nameValue, viewStatus, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { webhooks } from '../sdk.ts';
import { session } from '../session.ts';

/** One delivery: the event that is sent, and every attempt with its timing and the answer. */
export class DeliveryPage extends PageElement {
  static override properties = { deliveryId: {}, delivery: { state: true } };

  declare deliveryId: string;
  declare delivery: WebhookDeliveryDetail | null;

  constructor() {
    super();
    this.delivery = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('deliveryId')) void this.#load();
  }

  protected override render(): TemplateResult {
    const { delivery } = this;
    if (delivery === null) return this.viewPending(pageWords.delivery);
    return html`<h1>${delivery.eventType}</h1>
      ${this.viewOutcome()}
      <dl>
        ${viewTerm(pageWords.status, viewStatus(delivery.status))}
        ${delivery.reason === null ? nothing : viewTerm(pageWords.reason, nameValue(delivery.reason))}
        ${viewTerm(pageWords.webhook, html`<a href="/app/webhooks/${delivery.webhookId}">${delivery.webhookId}</a>`)}
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
      ${this.#viewActions(delivery)}
      <h2>${pageWords.attempts}</h2>
      ${
        delivery.attempts.length === 0
          ? html`<p>${pageWords.noAttempts}</p>`
          : html`<ol class="attempts">${delivery.attempts.toReversed().map(viewAttempt)}</ol>`
      }
      <h2>${pageWords.payload}</h2>
      <pre tabindex="0" aria-label=${pageWords.payload}>${JSON.stringify(delivery.event, null, 2)}</pre>`;
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
      <button ?disabled=${this.isBusy} @click=${() => this.#load()}>${pageWords.refresh}</button>
    </div>`;
  }

  #load(): Promise<boolean> {
    return this.run(async () => {
      this.delivery = await webhooks.deliveries.retrieve(this.deliveryId);
    });
  }

  readonly #redeliver = (): void => {
    void this.run(async () => {
      const { id } = await webhooks.deliveries.redeliver(this.deliveryId);
      this.goTo(`webhooks/deliveries/${id}`);
    });
  };

  readonly #cancel = (): void => {
    void this.run(async () => {
      await webhooks.deliveries.cancel(this.deliveryId);
      this.delivery = await webhooks.deliveries.retrieve(this.deliveryId);
    });
  };
}

/** One attempt: outcome, answer, and what each part of it took. */
function viewAttempt({ at, outcome, responseStatus, message, excerpt, timing }: WebhookAttempt): TemplateResult {
  return html`<li>
    <p>
      ${viewStatus(outcome)} ${responseStatus === null ? nothing : html`<strong>${responseStatus}</strong>`}
      ${viewTime(at)} <span class="quiet">${timing.total} ms</span>
    </p>
    ${message === null ? nothing : html`<p>${message}</p>`} ${viewTiming(timing)}
    ${excerpt === null ? nothing : html`<pre tabindex="0" aria-label=${pageWords.response}>${excerpt}</pre>`}
  </li>`;
}

const phases = ['queued', 'lookup', 'connect', 'tls', 'firstByte'] as const;

function viewTiming(timing: WebhookAttemptTiming): TemplateResult {
  const taken = phases.flatMap((phase) =>
    timing[phase] === null ? [] : [`${pageWords.timing[phase]} ${timing[phase]} ms`],
  );
  return html`<p class="quiet">${taken.join(' · ')}</p>`;
}

customElements.define('svc-delivery', DeliveryPage);
