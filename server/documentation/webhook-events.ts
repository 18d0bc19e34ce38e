import type { z } from 'zod';
import { noticeEvents } from '../consent/notice.ts';
import { recordEvents } from '../consent/record.ts';
import { controlEvents } from '../controls/control.ts';
import { mfaEvents } from '../identity/mfa/store.ts';
import { userEvents } from '../identity/user-view.ts';
import { breachEvents } from '../privacy/breach.ts';
import { dsrEvents } from '../privacy/dsr.ts';
import type { EventType } from '../webhooks/deliveries/event.ts';
import { endpointEvents } from '../webhooks/endpoints/events.ts';

/** The schema of the data of every type of event. The OpenAPI document and the tests of what is emitted read it. */
export const eventData = {
  ...recordEvents,
  ...noticeEvents,
  ...dsrEvents,
  ...breachEvents,
  ...controlEvents,
  ...userEvents,
  ...mfaEvents,
  ...endpointEvents,
} as const satisfies Readonly<Record<EventType, z.ZodType>>;

/** When an event of each type is sent. */
export const eventOccasions: Readonly<Record<EventType, string>> = {
  'consent.recorded': 'A decision was appended to the consent ledger.',
  'consent.withdrawn': 'A withdrawal was appended to the consent ledger; it names the record that it withdraws.',
  'consent_notice.published': 'A notice or a new version of it was published.',
  'consent_notice.archived': 'A notice was archived and is no longer public.',
  'dsr.created': 'A data-subject request was opened; it has a due date.',
  'dsr.completed': 'A data-subject request was completed; `outcome` says how.',
  'breach.reported': 'A breach incident was reported; the period to notify the authority has started.',
  'breach.updated': 'A breach incident was changed.',
  'control.status_changed': 'The status of a control was changed.',
  'control.test_failed': 'A test of a control was recorded with the result `fail`.',
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
};
