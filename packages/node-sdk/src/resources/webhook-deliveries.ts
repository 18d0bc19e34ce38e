import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { get, page, post, Resource, remove } from './resource.ts';

const deliveries = '/v1/webhooks/deliveries';

/**
 * What was sent to webhooks, or is to be. Deliveries are forgotten after 30 days. Reading needs the scope
 * `webhooks:read`, the other methods `webhooks:write`.
 */
export class WebhookDeliveries extends Resource {
  /**
   * Lists deliveries, newest first; with `status: 'dead'` the dead-letter queue. Where `eventType` or `reason` fit
   * little, a page may have few items or none although there are more: iterate, or go on until `nextCursor` is null.
   * @param params which ones; `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: Api.ListWebhookDeliveriesParams = {}, options?: ListOptions): PagePromise<Api.WebhookDelivery> {
    return this.api.list(page('listWebhookDeliveries', deliveries, {}, params), options);
  }

  /** Gets a delivery with its event and every attempt. */
  retrieve(deliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookDeliveryDetail> {
    return this.api.request(get('getWebhookDelivery', `${deliveries}/{id}`, { id: deliveryId }), options);
  }

  /**
   * Sends a delivery again, whether the earlier one was delivered or not. One that still waits is due now instead. To a
   * paused webhook it is sent when that is enabled again.
   * @returns a new delivery of the same event, with a new id and another 24 hours; or the one that waits, as it is now.
   * @throws {ConflictError} `webhook_delivery_pending` while an attempt is under way; `webhook_deleted`;
   *   `webhook_not_enabled` for a disabled webhook.
   */
  redeliver(deliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookDelivery> {
    const operation = post('redeliverWebhookDelivery', `${deliveries}/{id}/redeliver`, { id: deliveryId });
    return this.api.request(operation, options);
  }

  /**
   * Gives up a delivery that waits: nothing more is sent, and what waited behind it comes next.
   * @throws {ConflictError} `webhook_delivery_pending` while an attempt is under way; `conflict` where it has ended.
   */
  cancel(deliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookDelivery> {
    return this.api.request(post('cancelWebhookDelivery', `${deliveries}/{id}/cancel`, { id: deliveryId }), options);
  }
}

const redeliveries = '/v1/webhooks/redeliveries';

/**
 * Orders to send many deliveries again, which are carried out in the background. A tenant has one at a time. Reading
 * needs the scope `webhooks:read`, the other methods `webhooks:write`.
 */
export class Redeliveries extends Resource {
  /**
   * Orders to send again all dead letters of a webhook, those of a span of time, or both; with `status: 'delivered'`
   * what was delivered instead. Webhooks that are disabled are passed over.
   * @param which `webhookId` or `from`, or both.
   * @returns the order. Retrieve it again to follow its progress.
   * @throws {ConflictError} `webhook_deleted`, `webhook_not_enabled`; `webhook_redelivery_running` while another runs.
   * @throws {NotFoundError} `not_found` for an unknown `webhookId`.
   */
  create(which: Api.WebhookRedeliveryInput, options?: RequestOptions): ApiPromise<Api.WebhookRedelivery> {
    return this.api.request(post('redeliverWebhookDeliveries', '/v1/webhooks/redeliver', {}, which), options);
  }

  /**
   * Counts what an order would send again, and does nothing.
   * @throws {ConflictError} `webhook_deleted`, `webhook_not_enabled`.
   * @throws {NotFoundError} `not_found` for an unknown `webhookId`.
   */
  count(which: Api.WebhookRedeliveryInput, options?: RequestOptions): ApiPromise<{ readonly count: number }> {
    return this.api.request(get('countWebhookRedelivery', '/v1/webhooks/redeliver', {}, which), options);
  }

  /**
   * Lists the orders, newest first.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Api.WebhookRedelivery> {
    return this.api.list(page('listWebhookRedeliveries', redeliveries, {}, params), options);
  }

  /** Gets an order. */
  retrieve(redeliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookRedelivery> {
    return this.api.request(get('getWebhookRedelivery', `${redeliveries}/{id}`, { id: redeliveryId }), options);
  }

  /** Cancels an order. What it has queued is sent all the same; one that has ended stays as it is. */
  cancel(redeliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookRedelivery> {
    return this.api.request(remove('cancelWebhookRedelivery', `${redeliveries}/{id}`, { id: redeliveryId }), options);
  }
}
