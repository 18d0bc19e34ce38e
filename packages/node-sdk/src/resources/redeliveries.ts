import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type { WebhookRedelivery, WebhookRedeliveryInput } from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { get, page, post, Resource, remove } from './resource.ts';

/** Orders to send many deliveries again, which are carried out in the background. A tenant has one at a time. */
export class Redeliveries extends Resource {
  /**
   * Orders to send again all dead letters of a webhook, those of a span of time, or both; with `status: 'delivered'` what was
   * delivered instead. Webhooks that are disabled are passed over. Needs the scope `webhooks:write`.
   * @param which `webhookId` or `from`, or both.
   * @returns the order. Retrieve it again to follow its progress.
   * @throws {ConflictError} `webhook_deleted`, `webhook_not_enabled`; `webhook_redelivery_running` while another one runs.
   * @throws {NotFoundError} `not_found` for an unknown webhook.
   * @throws {ValidationError} `validation_failed`.
   */
  create(which: WebhookRedeliveryInput, options?: RequestOptions): ApiPromise<WebhookRedelivery> {
    return this.transport.request(post('redeliverWebhookDeliveries', '/v1/webhooks/redeliver', {}, which), options);
  }

  /**
   * Counts what an order would send again, and does nothing. Needs the scope `webhooks:read`.
   * @param which as for an order.
   * @throws {ConflictError} `webhook_deleted`, `webhook_not_enabled`.
   * @throws {NotFoundError} `not_found` for an unknown webhook.
   * @throws {ValidationError} `validation_failed`.
   */
  count(which: WebhookRedeliveryInput, options?: RequestOptions): ApiPromise<{ readonly count: number }> {
    return this.transport.request(get('countWebhookRedelivery', '/v1/webhooks/redeliver', {}, which), options);
  }

  /**
   * Lists the orders, newest first. Needs the scope `webhooks:read`.
   * @param params `limit` is 1 to 100, default 25.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<WebhookRedelivery> {
    return this.transport.list(page('listWebhookRedeliveries', '/v1/webhooks/redeliveries', {}, params), options);
  }

  /**
   * Gets an order. Needs the scope `webhooks:read`.
   * @throws {NotFoundError} `not_found`.
   */
  retrieve(redeliveryId: string, options?: RequestOptions): ApiPromise<WebhookRedelivery> {
    return this.transport.request(
      get('getWebhookRedelivery', '/v1/webhooks/redeliveries/{id}', { id: redeliveryId }),
      options,
    );
  }

  /**
   * Cancels an order. What it has queued is sent all the same; one that has ended stays as it is. Needs the scope
   * `webhooks:write`.
   * @throws {NotFoundError} `not_found`.
   */
  cancel(redeliveryId: string, options?: RequestOptions): ApiPromise<WebhookRedelivery> {
    return this.transport.request(
      remove('cancelWebhookRedelivery', '/v1/webhooks/redeliveries/{id}', { id: redeliveryId }),
      options,
    );
  }
}
