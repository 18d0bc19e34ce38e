import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Json } from '../../ledger/canonical.ts';
import type { Tables } from '../../storage/tables.ts';

/** Every type of event (contract.md "Signatures"), and those about webhooks, with when it is sent. */
export const eventOccasions = {
  'consent.recorded': 'A decision was appended to the consent ledger.',
  'consent.withdrawn': 'A withdrawal was appended to the consent ledger; it names the record that it withdraws.',
  'consent_notice.published': 'A notice or a new version of it was published.',
  'consent_notice.archived': 'A notice was archived and is no longer public.',
  'dsr.created': 'A data-subject request was opened; it has a due date.',
  'dsr.completed': 'A data-subject request was completed; `outcome` says how.',
  'breach.reported': 'A breach incident was reported; the period to notify the authority has started.',
  'breach.updated': 'A breach incident was changed.',
  'subject.erased': 'The values that identify a person were erased; `counts` says how many rows had them.',
  'control.status_changed': 'The status of a control was changed.',
  'control.test_failed': 'A test of a control was recorded with the result `fail`.',
  'ledger.verified': 'The server verified the ledgers and rows of the tenant, and found nothing wrong.',
  'ledger.verification_failed':
    'Verification found that something was changed, or could not check everything: `status` says which, `fault` what.',
  'user.provisioned': 'A user became a member of the tenant.',
  'user.suspended': 'A member was suspended and cannot sign in.',
  'user.reactivated': 'A suspended member can sign in again.',
  'user.deprovisioned': 'A member was removed from the tenant.',
  'user.role_changed': 'The role of a member was changed.',
  'mfa.enabled': 'A member enabled the second factor.',
  'mfa.disabled': 'The second factor of a member was disabled, by the member or by an administrator.',
  'webhook.endpoint_failing': 'Deliveries to another endpoint of the tenant keep failing.',
  'webhook.endpoint_recovered': 'Another endpoint of the tenant accepts deliveries again.',
  'webhook.endpoint_disabled': 'Another endpoint of the tenant was disabled: nothing is sent to it.',
  'webhook.delivery_exhausted': 'Every attempt at a delivery to another endpoint failed; it is a dead letter.',
  'webhook.test': 'A test event was requested for this endpoint.',
} as const;
export type EventType = keyof typeof eventOccasions;
export const eventTypes = Object.keys(eventOccasions) as [EventType, ...EventType[]];
export const EventTypeName = z.enum(eventTypes).meta({ id: 'WebhookEventType' });

/** True if events of a type are about webhooks, and not about the tenant. */
export function isOperational(type: string): boolean {
  return type.startsWith('webhook.');
}

/** An event for its subscribers. */
export interface NewWebhookEvent {
  readonly tenantId: string;
  readonly type: EventType;
  readonly data: Readonly<Record<string, Json>>;
  /** The `traceparent` of the request that caused it; default: that of the transaction. */
  readonly traceParent?: string | null | undefined;
}

export type StoredEvent = Selectable<Tables['webhook_events']>;
