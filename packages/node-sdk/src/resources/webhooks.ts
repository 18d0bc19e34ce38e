import { WebhooksDeliveries, WebhooksMethods, WebhooksRedeliveries } from './methods.ts';

/**
 * Webhooks: where events are sent, what was sent, and sending it again. Reading needs the scope `webhooks:read`, the
 * other methods `webhooks:write`.
 */
export class Webhooks extends WebhooksMethods {
  /** Deliveries to webhooks, pending ones too. Scopes: `webhooks:read`, `webhooks:write`. */
  readonly deliveries = new WebhooksDeliveries(this.api);
  /** Orders to send many deliveries again. Scopes: `webhooks:read`, `webhooks:write`. */
  readonly redeliveries = new WebhooksRedeliveries(this.api);
}
