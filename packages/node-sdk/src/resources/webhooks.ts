import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { Items } from '../types/values.ts';
import { get, page, patch, post, Resource, remove } from './resource.ts';
import { Redeliveries, WebhookDeliveries } from './webhook-deliveries.ts';

/**
 * Webhooks: where events are sent, what was sent, and sending it again. Reading needs the scope `webhooks:read`, the
 * other methods `webhooks:write`.
 */
export class Webhooks extends Resource {
  /** What was sent to webhooks, or is to be. Scopes: `webhooks:read`, `webhooks:write`. */
  readonly deliveries = new WebhookDeliveries(this.api);
  /** Orders to send many deliveries again. Scopes: `webhooks:read`, `webhooks:write`. */
  readonly redeliveries = new Redeliveries(this.api);

  /**
   * Lists the webhooks, newest first.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: Api.ListWebhooksParams = {}, options?: ListOptions): PagePromise<Api.Webhook> {
    return this.api.list(page('listWebhooks', '/v1/webhooks', {}, params), options);
  }

  /**
   * Creates a webhook; a tenant has at most 50.
   * @returns its `secret` too, which is shown only once.
   * @throws {ConflictError} `conflict` for an address that another webhook has, and for one webhook too many.
   * @throws {ValidationError} `validation_failed`, also for an address that is not on the public internet.
   */
  create(webhook: Api.WebhookInput, options?: RequestOptions): ApiPromise<Api.WebhookWithSecret> {
    return this.api.request(post('createWebhook', '/v1/webhooks', {}, webhook), options);
  }

  /** Gets a webhook, without its secret. */
  retrieve(webhookId: string, options?: RequestOptions): ApiPromise<Api.Webhook> {
    return this.api.request(get('getWebhook', '/v1/webhooks/{id}', { id: webhookId }), options);
  }

  /**
   * Counts the deliveries to a webhook by day or hour in UTC, newest first; those without any are absent.
   * @param params `per` day (default) or hour; `days` up to today: 1 to 30, default 30.
   */
  statistics(
    webhookId: string,
    params: Api.GetWebhookStatisticsParams = {},
    options?: RequestOptions,
  ): ApiPromise<Items<Api.WebhookPeriod>> {
    const operation = get('getWebhookStatistics', '/v1/webhooks/{id}/statistics', { id: webhookId }, params);
    return this.api.request(operation, options);
  }

  /**
   * Edits a webhook, pauses it, or takes it into use again. While it is paused, what happens waits. With another
   * address, or in use again, its failures so far count no more.
   * @param change what is left out stays as it is.
   * @throws {ConflictError} `conflict` for an address that another webhook has.
   * @throws {ValidationError} `validation_failed`, also for an address that is not on the public internet.
   */
  update(webhookId: string, change: Api.WebhookChange, options?: RequestOptions): ApiPromise<Api.Webhook> {
    return this.api.request(patch('editWebhook', '/v1/webhooks/{id}', { id: webhookId }, change), options);
  }

  /**
   * Deletes a webhook: nothing is sent to it any more, and what still waits is canceled. What was sent stays in the
   * list of deliveries.
   */
  delete(webhookId: string, options?: RequestOptions): ApiPromise<void> {
    const operation = remove('deleteWebhook', '/v1/webhooks/{id}', { id: webhookId });
    return this.api.request({ ...operation, answer: 'none' }, options);
  }

  /**
   * Gives a webhook a new secret. During the overlap each delivery has two signatures, one by each secret; a secret of
   * an earlier rotation that still signs along ends at once.
   * @returns the new `secret` too, which is shown only once.
   */
  rotateSecret(
    webhookId: string,
    rotation: Api.WebhookSecretRotation = {},
    options?: RequestOptions,
  ): ApiPromise<Api.WebhookWithSecret> {
    const operation = post('rotateWebhookSecret', '/v1/webhooks/{id}/rotate-secret', { id: webhookId }, rotation);
    return this.api.request(operation, options);
  }

  /**
   * Sends a `webhook.test` event to a webhook, whatever types of events it gets otherwise.
   * @returns the delivery, which is made right afterwards: retrieve it again to see how it went.
   * @throws {ConflictError} `webhook_not_enabled`.
   */
  test(webhookId: string, options?: RequestOptions): ApiPromise<Api.WebhookDelivery> {
    return this.api.request(post('testWebhook', '/v1/webhooks/{id}/test', { id: webhookId }), options);
  }
}
