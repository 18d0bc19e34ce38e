import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type { WebhookRedelivery, WebhookRedeliveryInput } from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { get, page, post, Resource, remove } from './resource.ts';

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
   * @throws {ConflictError} `webhook_deleted`, `webhook_not_enabled`; `webhook_redelivery_running` while another one
   *   runs.
   */
  create(which: WebhookRedeliveryInput, options?: RequestOptions): ApiPromise<WebhookRedelivery> {
    return this.transport.request(post('redeliverWebhookDeliveries', '/v1/webhooks/redeliver', {}, which), options);
  }

  /**
   * Counts what an order would send again, and does nothing.
   * @throws {ConflictError} `webhook_deleted`, `webhook_not_enabled`.
   */
  count(which: WebhookRedeliveryInput, options?: RequestOptions): ApiPromise<{ readonly count: number }> {
    return this.transport.request(get('countWebhookRedelivery', '/v1/webhooks/redeliver', {}, which), options);
  }

  /**
   * Lists the orders, newest first.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<WebhookRedelivery> {
    return this.transport.list(page('listWebhookRedeliveries', '/v1/webhooks/redeliveries', {}, params), options);
  }

  /** Gets an order. */
  retrieve(redeliveryId: string, options?: RequestOptions): ApiPromise<WebhookRedelivery> {
    return this.transport.request(
      get('getWebhookRedelivery', '/v1/webhooks/redeliveries/{id}', { id: redeliveryId }),
      options,
    );
  }

  /** Cancels an order. What it has queued is sent all the same; one that has ended stays as it is. */
  cancel(redeliveryId: string, options?: RequestOptions): ApiPromise<WebhookRedelivery> {
    return this.transport.request(
      remove('cancelWebhookRedelivery', '/v1/webhooks/redeliveries/{id}', { id: redeliveryId }),
      options,
    );
  }
}
