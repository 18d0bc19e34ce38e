import type { Json } from '../ledger/canonical.ts';

/** The types of events that are written so far (contract.md "Signatures"). */
export const eventTypes = [
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
] as const;
export type EventType = (typeof eventTypes)[number];

/** What happened, for whoever subscribed to it. */
export interface NewWebhookEvent {
  readonly tenantId: string;
  readonly type: EventType;
  readonly data: Readonly<Record<string, Json>>;
}
