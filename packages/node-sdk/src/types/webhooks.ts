import type { Json, Time } from './json.ts';
import type { PageParams } from './lists.ts';

/** What happened, as webhooks are told. */
export type WebhookEventType =
  | 'consent.recorded'
  | 'consent.withdrawn'
  | 'consent_notice.published'
  | 'consent_notice.archived'
  | 'dsr.created'
  | 'dsr.completed'
  | 'breach.reported'
  | 'breach.updated'
  | 'control.status_changed'
  | 'control.test_failed'
  | 'user.provisioned'
  | 'user.suspended'
  | 'user.reactivated'
  | 'user.deprovisioned'
  | 'user.role_changed'
  | 'mfa.enabled'
  | 'mfa.disabled'
  | 'webhook.endpoint_failing'
  | 'webhook.endpoint_recovered'
  | 'webhook.endpoint_disabled'
  | 'webhook.delivery_exhausted'
  | 'webhook.test';

/**
 * `paused`: nothing is sent, and what happens waits. `disabled`: the server itself gave up, and what happens becomes a dead
 * letter that can be sent again.
 */
export type WebhookStatus = 'enabled' | 'paused' | 'disabled';

/**
 * What the `data` of an event must hold to be sent: for each dotted path a list of accepted values, of which it holds one.
 * 1 to 10 paths with 1 to 50 values each, texts of at most 200 characters. Of an array any item counts. Events about webhooks
 * pass in any case.
 */
export type WebhookFilter = Readonly<Record<string, readonly (string | number | boolean | null)[]>>;

/**
 * Which deliveries wait for earlier ones: `none`; `all`, in the order of the events; `subject`, in the order of those about
 * the same person, notice, request, incident, control or webhook.
 */
export type WebhookOrdering = 'none' | 'all' | 'subject';

/** A webhook: where events are sent. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** The types of events that it gets; null for all, also those that are added later. */
  readonly eventTypes: readonly WebhookEventType[] | null;
  readonly filter: WebhookFilter | null;
  readonly ordering: WebhookOrdering;
  /** Attempts a second, at most; null for as many as the receiver keeps up with. */
  readonly rateLimit: number | null;
  /** When attempts are made, in seconds after the first; null for the usual times. */
  readonly retrySchedule: readonly number[] | null;
  /** Whether deliveries are signed with Ed25519 as well. */
  readonly asymmetric: boolean;
  /** Checks those signatures: `whpk_…`. Null where there are none. */
  readonly publicKey: string | null;
  readonly status: WebhookStatus;
  /** `gone`: it answered 410. `failing`: nothing arrived there for days. */
  readonly disabledReason: 'gone' | 'failing' | null;
  readonly disabledAt: string | null;
  /** Since when every attempt has failed; null while all is well. */
  readonly failingSince: string | null;
  readonly lastError: string | null;
  /** The receiver asked for a pause: nothing is sent before. Pausing and enabling the webhook ends it, or another address. */
  readonly pausedUntil: string | null;
  /** How many previous secrets sign along. */
  readonly previousSecrets: number;
  /** When the last of them ends; null for none. */
  readonly previousSecretExpiresAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A webhook whose secret was just made. */
export interface WebhookWithSecret extends Webhook {
  /** Signs every delivery: shown this once. Give it to `@svc/webhook-verify` at the receiver. */
  readonly secret: string;
}

/** A webhook to create. */
export interface WebhookInput {
  /** An https address on the public internet, unlike those of the other webhooks. */
  readonly url: string;
  /** 1 to 200 characters. */
  readonly description?: string | null | undefined;
  /** At least one; default, and null: all, also those that are added later. */
  readonly eventTypes?: readonly WebhookEventType[] | null | undefined;
  /** Default, and null: every event of these types. */
  readonly filter?: WebhookFilter | null | undefined;
  /** Default: `none`. */
  readonly ordering?: WebhookOrdering | undefined;
  /** Attempts a second, 1 to 1000. Default, and null: as many as the receiver keeps up with. */
  readonly rateLimit?: number | null | undefined;
  /** 1 to 20 whole seconds after the first attempt, ascending, at most 86400. Default, and null: the usual times. */
  readonly retrySchedule?: readonly number[] | null | undefined;
  /** Whether deliveries are signed with Ed25519 as well. Default: false. */
  readonly asymmetric?: boolean | undefined;
  /** Default: `enabled`. */
  readonly status?: 'enabled' | 'paused' | undefined;
}

/** A change of a webhook; what is left out stays as it is. */
export interface WebhookChange {
  /** An https address on the public internet, unlike those of the other webhooks. */
  readonly url?: string | undefined;
  /** 1 to 200 characters; null for none. */
  readonly description?: string | null | undefined;
  /** At least one; null for all, also those that are added later. */
  readonly eventTypes?: readonly WebhookEventType[] | null | undefined;
  /** Null: every event of these types. */
  readonly filter?: WebhookFilter | null | undefined;
  readonly ordering?: WebhookOrdering | undefined;
  /** Attempts a second, 1 to 1000; null for as many as the receiver keeps up with. */
  readonly rateLimit?: number | null | undefined;
  /** 1 to 20 whole seconds after the first attempt, ascending, at most 86400; null for the usual times. */
  readonly retrySchedule?: readonly number[] | null | undefined;
  /** Switched on, it makes a new pair of keys. */
  readonly asymmetric?: boolean | undefined;
  /** `enabled` also takes a webhook that was disabled into use again. */
  readonly status?: 'enabled' | 'paused' | undefined;
}

/** Which webhooks are listed. */
export interface WebhookListParams extends PageParams {
  readonly status?: WebhookStatus | undefined;
}

/** How a secret is rotated. */
export interface WebhookSecretRotation {
  /** How long the old secret signs along, 0 to 168; 0 ends it, and all before it, at once. Default: 24. */
  readonly overlapHours?: number | undefined;
}

/**
 * `pending` waits for an attempt; `dead` has failed for good and can be sent again; `redelivered` was dead and was sent again
 * under another id; `canceled` was given up by a caller, or belonged to a webhook that was deleted.
 */
export type DeliveryStatus = 'pending' | 'delivered' | 'dead' | 'redelivered' | 'canceled';

/** Why an attempt failed, or why none was made. */
export type DeliveryFailure =
  | 'http_error'
  | 'redirect'
  | 'gone'
  | 'rate_limited'
  | 'timeout'
  | 'dns'
  | 'refused_address'
  | 'connection'
  | 'tls'
  | 'protocol'
  | 'endpoint_disabled'
  | 'unsealable_secret';

/** One event on its way to one webhook. */
export interface WebhookDelivery {
  /** What the receiver gets as `Svc-Delivery`; the same at each attempt. */
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** Why the last attempt failed, or why none was made. */
  readonly reason: DeliveryFailure | null;
  /** The HTTP status of the last answer. */
  readonly responseStatus: number | null;
  readonly attemptCount: number;
  readonly firstAttemptAt: string | null;
  /** Null where no attempt is to come. One that waits for another goes when that has ended, whatever time stands here. */
  readonly nextAttemptAt: string | null;
  /** The delivery that this one repeats. */
  readonly redeliveryOf: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** A delivery with its event and its attempts. */
export interface WebhookDeliveryDetail extends WebhookDelivery {
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly createdAt: string;
    readonly tenantId: string;
    readonly data: Readonly<Record<string, Json>>;
  };
  /** The delivery that goes before it, of a webhook that keeps an order; null where it waits for its time alone. */
  readonly waitsFor: string | null;
  /** Oldest first. */
  readonly attempts: readonly WebhookAttempt[];
}

/** One attempt, as it ended. */
export interface WebhookAttempt {
  readonly id: string;
  readonly at: string;
  readonly outcome: 'delivered' | DeliveryFailure;
  readonly responseStatus: number | null;
  /** What went wrong. */
  readonly message: string | null;
  /** The beginning of what the receiver answered, as it came: the text of a stranger. */
  readonly excerpt: string | null;
  /** Milliseconds that each part took; null for what it did not come to. */
  readonly timing: {
    /** Waiting for a connection; not in `total`. */
    readonly queued: number | null;
    readonly lookup: number | null;
    readonly connect: number | null;
    readonly tls: number | null;
    readonly firstByte: number | null;
    readonly total: number;
  };
  /** Whether it went over a connection that was open already. */
  readonly reused: boolean;
}

/** Which deliveries are listed. */
export interface DeliveryListParams extends PageParams {
  /** With `dead` it is the dead-letter queue. */
  readonly status?: DeliveryStatus | undefined;
  readonly webhookId?: string | undefined;
  readonly eventType?: WebhookEventType | undefined;
  readonly reason?: DeliveryFailure | undefined;
  /** Deliveries created at this time or later, RFC 3339. */
  readonly from?: Time | undefined;
  /** Deliveries created before this time, RFC 3339. */
  readonly to?: Time | undefined;
}

/** Which deliveries are sent again: those of a webhook, those from a time on, or both. */
export interface RedeliveryInput {
  /** Needed where there is no `from`. */
  readonly webhookId?: string | undefined;
  /** Dead letters, or what was delivered. Default: `dead`. */
  readonly status?: 'dead' | 'delivered' | undefined;
  readonly reason?: DeliveryFailure | undefined;
  readonly eventType?: WebhookEventType | undefined;
  /** Deliveries created at this time or later, RFC 3339. */
  readonly from?: Time | undefined;
  /** Deliveries created before this time, RFC 3339; later than `from`. */
  readonly to?: Time | undefined;
}

/** An order to send many deliveries again. */
export interface Redelivery {
  readonly id: string;
  readonly status: 'running' | 'finished' | 'canceled';
  readonly filter: {
    readonly webhookId: string | null;
    readonly status: 'dead' | 'delivered';
    readonly reason: DeliveryFailure | null;
    readonly eventType: string | null;
    readonly from: string | null;
    readonly to: string | null;
  };
  /** How many deliveries fitted when it was ordered. */
  readonly total: number;
  /** How many are queued by now; what is sent again otherwise or cannot be sent any more is passed over. */
  readonly queued: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}
