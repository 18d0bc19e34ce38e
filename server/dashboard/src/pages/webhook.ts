import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Webhook } from '../../../../packages/node-sdk/src/types/api.ts';
import { readForm, viewError } from '../element.ts';
import { viewTerm, viewTime } from '../format.ts';
import { PageElement, viewCopyable, viewOverlap } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { webhooks } from '../sdk.ts';
import { session } from '../session.ts';
import { viewDeliveries } from './deliveries.ts';
import { readWebhook, viewHealth, viewWebhookForm } from './webhooks.ts';

/** One endpoint: its settings, what can be done with it, and its deliveries. */
export class WebhookPage extends PageElement {
  static override properties = { webhookId: {}, webhook: { state: true }, form: { state: true } };

  declare webhookId: string;
  declare webhook: Webhook | null;
  /** The dialog that is open. */
  declare form: 'edit' | 'rotate' | null;
  #deliveries: ReturnType<typeof viewDeliveries> | null = null;

  constructor() {
    super();
    this.webhook = null;
    this.form = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('webhookId')) return;
    this.#deliveries = viewDeliveries(this.webhookId);
    void this.#load();
  }

  protected override render(): TemplateResult {
    const { webhook } = this;
    if (webhook === null) return this.viewPending(pageWords.webhook);
    return html`<h1>${webhook.url}</h1>
      <p>${viewHealth(webhook)} ${webhook.description}</p>
      ${this.form === null && this.confirmation === null ? this.viewOutcome() : nothing}
      ${session.allows('editWebhook') ? this.#viewActions(webhook) : nothing} ${this.#viewSettings(webhook)}
      <h2>${pageWords.deliveries}</h2>
      <svc-list .view=${this.#deliveries}></svc-list>
      ${this.#viewForm(webhook)}`;
  }

  #viewActions({ url, status }: Webhook): TemplateResult {
    return html`<div class="actions">
      <button class="primary" ?disabled=${this.isBusy} @click=${this.#test}>${pageWords.sendTest}</button>
      <button @click=${() => this.#open('edit')}>${pageWords.edit}</button>
      <button ?disabled=${this.isBusy} @click=${() => this.#change(status === 'enabled' ? 'paused' : 'enabled')}>
        ${status === 'enabled' ? pageWords.pause : pageWords.enable}
      </button>
      <button @click=${() => this.#open('rotate')}>${pageWords.rotateSecret}</button>
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

  #viewForm(webhook: Webhook): TemplateResult {
    const close = () => this.#open(null);
    if (this.form === 'edit')
      return this.viewDialog(
        pageWords.edit,
        viewWebhookForm(webhook, this.#edit, viewError(this.error), this.isBusy, close),
        close,
      );
    if (this.form === 'rotate')
      return this.viewFormDialog(pageWords.rotateSecret, viewOverlap(pageWords.rotateHint), this.#rotate, close);
    return this.viewDialogs();
  }

  #open(form: WebhookPage['form']): void {
    this.form = form;
    this.error = null;
  }

  #load(): Promise<boolean> {
    return this.run(async () => {
      this.webhook = await webhooks.retrieve(this.webhookId);
    });
  }

  readonly #test = (): void => {
    void this.run(async () => {
      const { id } = await webhooks.test(this.webhookId);
      this.goTo(`webhooks/deliveries/${id}`);
    });
  };

  readonly #edit = (event: SubmitEvent): void => {
    const change = readWebhook(event);
    void this.run(async () => {
      this.webhook = await webhooks.update(this.webhookId, change);
      this.form = null;
      this.notice = pageWords.saved;
    });
  };

  readonly #rotate = (event: SubmitEvent): void => {
    const { overlapHours } = readForm(event);
    void this.run(async () => {
      const { secret, ...webhook } = await webhooks.rotateSecret(this.webhookId, {
        overlapHours: Number(overlapHours),
      });
      this.webhook = webhook;
      this.form = null;
      this.secret = { title: pageWords.signingSecret, value: secret };
    });
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
