import { html, nothing, type TemplateResult } from 'lit';
import type { Webhook } from '../../../../packages/node-sdk/src/types/api.ts';
import { viewTerm, viewTime } from '../format.ts';
import { PageElement, viewCopyable, viewOverlap } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { webhooks } from '../sdk.ts';
import { session } from '../session.ts';
import '../webhook-statistics.ts';
import { viewDeliveries } from './deliveries.ts';
import { readWebhook, viewHealth, viewWebhookFields } from './webhooks.ts';

/** One endpoint: its settings, what can be done with it, and its deliveries. */
export class WebhookPage extends PageElement {
  static override properties = { webhookId: {}, webhook: { state: true } };

  declare webhookId: string;
  declare webhook: Webhook | null;
  #deliveries: ReturnType<typeof viewDeliveries> | null = null;
  constructor() {
    super();
    this.webhook = null;
  }

  override connectedCallback(): void {
    this.#deliveries = viewDeliveries(this.webhookId);
    super.connectedCallback();
  }

  protected override async load(): Promise<void> {
    this.webhook = await webhooks.retrieve(this.webhookId);
  }

  protected override render(): TemplateResult {
    const { webhook } = this;
    if (webhook === null) return this.viewPending(pageWords.webhook);
    return html`<h1>${webhook.url}</h1>
      <p>${viewHealth(webhook)} ${webhook.description}</p>
      ${this.viewOutcome()}
      ${session.allows('editWebhook') ? this.#viewActions(webhook) : nothing} ${this.#viewSettings(webhook)}
      <svc-webhook-statistics .webhookId=${webhook.id}></svc-webhook-statistics>
      <h2>${pageWords.deliveries}</h2>
      <p><a href="/app/webhooks/deliveries?webhookId=${webhook.id}">${pageWords.redeliverSeveral}</a></p>
      <svc-list .view=${this.#deliveries}></svc-list>
      ${this.viewDialogs()}`;
  }

  #viewActions(webhook: Webhook): TemplateResult {
    const { url, status } = webhook;
    return html`<div class="actions">
      <button class="primary" ?disabled=${this.isBusy} @click=${this.#test}>${pageWords.sendTest}</button>
      <button @click=${() => this.#edit(webhook)}>${pageWords.edit}</button>
      <button ?disabled=${this.isBusy} @click=${() => this.#change(status === 'enabled' ? 'paused' : 'enabled')}>
        ${status === 'enabled' ? pageWords.pause : pageWords.enable}
      </button>
      <button @click=${this.#rotate}>${pageWords.rotateSecret}</button>
      <button class="danger" @click=${() => this.#askDelete(url)}>${pageWords.delete}</button>
    </div>`;
  }

  #viewSettings(webhook: Webhook): TemplateResult {
    const { eventTypes, filter, rateLimit, retrySchedule, publicKey, lastError, pausedUntil } = webhook;
    return html`<dl>
      ${viewTerm(pageWords.eventTypes, eventTypes === null ? pageWords.all : eventTypes.join(', '))}
      ${filter === null ? nothing : viewTerm(pageWords.filter, html`<code>${JSON.stringify(filter)}</code>`)}
      ${rateLimit === null ? nothing : viewTerm(pageWords.rateLimit, rateLimit)}
      ${retrySchedule === null ? nothing : viewTerm(pageWords.retrySchedule, retrySchedule.join(', '))}
      ${publicKey === null ? nothing : viewTerm(pageWords.publicKey, viewCopyable(publicKey))}
      ${lastError === null ? nothing : viewTerm(pageWords.lastError, lastError)}
      ${pausedUntil === null ? nothing : viewTerm(pageWords.pausedUntil, viewTime(pausedUntil))}
      ${
        webhook.previousSecretExpiresAt === null
          ? nothing
          : viewTerm(pageWords.previousSecretExpires, viewTime(webhook.previousSecretExpiresAt))
      }
      ${viewTerm(pageWords.createdAt, viewTime(webhook.createdAt))}
    </dl>`;
  }

  readonly #test = (): void => {
    void this.run(async () => {
      const { id } = await webhooks.test(this.webhookId);
      this.goTo(`webhooks/deliveries/${id}`);
    });
  };

  #edit(webhook: Webhook): void {
    this.formDialog = {
      title: pageWords.edit,
      button: pageWords.save,
      fields: () => viewWebhookFields(webhook),
      send: async (values, form) => {
        this.webhook = await webhooks.update(this.webhookId, readWebhook(values, form));
        this.notice = pageWords.saved;
      },
    };
  }

  readonly #rotate = (): void => {
    this.formDialog = {
      title: pageWords.rotateSecret,
      fields: () => viewOverlap(pageWords.rotateHint),
      send: async ({ overlapHours }) => {
        const { secret, ...webhook } = await webhooks.rotateSecret(this.webhookId, {
          overlapHours: Number(overlapHours),
        });
        this.webhook = webhook;
        this.secret = { title: pageWords.signingSecret, value: secret };
      },
    };
  };

  #change(status: 'enabled' | 'paused'): void {
    void this.run(async () => {
      this.webhook = await webhooks.update(this.webhookId, { status });
    });
  }

  #askDelete(url: string): void {
    this.confirmation = {
      title: pageWords.deleteWebhook,
      text: `${url}: ${pageWords.deleteWebhookHint}`,
      button: pageWords.delete,
      run: async () => {
        await webhooks.delete(this.webhookId);
        this.goTo('webhooks');
      },
    };
  }
}

customElements.define('svc-webhook', WebhookPage);
