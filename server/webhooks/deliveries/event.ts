import { z } from 'zod';
import type { Json } from '../../ledger/canonical.ts';

/** Every type of event (contract.md "Signatures"), and those about webhooks. */
export const eventTypes = [
  'consent.recorded',
  'consent.withdrawn',
  'consent_notice.published',
  'consent_notice.archived',
  'dsr.created',
  'dsr.completed',
  'breach.reported',
  'breach.updated',
  'control.status_changed',
  'control.test_failed',
  'user.provisioned',
  'user.suspended',
  'user.reactivated',
  'user.deprovisioned',
  'user.role_changed',
  'mfa.enabled',
  'mfa.disabled',
  'webhook.endpoint_failing',
  'webhook.endpoint_recovered',
  'webhook.endpoint_disabled',
  'webhook.delivery_exhausted',
  'webhook.test',
] as const;
export type EventType = (typeof eventTypes)[number];
export const EventTypeName = z.enum(eventTypes).meta({ id: 'WebhookEventType' });

/** Whether events of a type are about webhooks, and not about what happens in the tenant. */
export function isOperational(type: string): boolean {
  return type.startsWith('webhook.');
}

/** What happened, for its subscribers. */
export interface NewWebhookEvent {
  readonly tenantId: string;
  readonly type: EventType;
  readonly data: Readonly<Record<string, Json>>;
}

/** An event as it is stored. */
export interface StoredEvent {
  readonly id: string;
  readonly tenant_id: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  readonly created_at: string;
}

/** The body of its deliveries (spec.md "Webhook delivery body"), the same bytes for each. */
export function writeBody({ id, type, created_at, tenant_id, data }: StoredEvent): string {
  return `{"id":"${id}","type":"${type}","createdAt":"${created_at}","tenantId":"${tenant_id}","data":${data}}`;
}
