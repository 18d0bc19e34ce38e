import { type EventType, eventTypes } from '../../server/webhooks/event.ts';
import { html, type Markup } from './markup.ts';
import { writeTable } from './table.ts';

/** When an event of each type is sent. */
const occasions: Readonly<Record<EventType, string>> = {
  'consent.recorded': 'A decision was appended to the consent ledger.',
  'consent.withdrawn': 'A withdrawal was appended; it names the record that it turns off.',
  'consent_notice.published': 'A notice became public, or a new version of it did.',
  'consent_notice.archived': 'A notice was taken down.',
  'dsr.created': 'A request of a data subject was opened; it has a due date.',
  'dsr.completed': 'It was answered; outcome says how.',
  'breach.reported': 'An incident was filed; the time to notify the authority runs.',
  'breach.updated': 'The incident changed.',
  'control.status_changed': 'A control went from one status to another.',
  'control.test_failed': 'The result of a test of a control is fail.',
  'user.provisioned': 'Somebody became a member.',
  'user.suspended': 'A member was suspended and cannot sign in.',
  'user.reactivated': 'A suspended member may sign in again.',
  'user.deprovisioned': 'A member was removed.',
  'user.role_changed': 'A member has another role.',
  'mfa.enabled': 'A member turned the second factor on.',
  'mfa.disabled': 'It was turned off, by the member or an administrator.',
  'webhook.endpoint_failing': 'Deliveries to another endpoint of the tenant keep failing.',
  'webhook.endpoint_recovered': 'That endpoint takes deliveries again.',
  'webhook.endpoint_disabled': 'That endpoint was disabled: nothing is sent to it any more.',
  'webhook.delivery_exhausted': 'All tries of a delivery have failed; it is a dead letter.',
  'webhook.test': 'Somebody asked for a test.',
};

/** Writes every type of event with its occasion. */
export function writeEventTypes(): Markup {
  return writeTable(
    'Types of events',
    ['Type', 'When'],
    eventTypes.map((type) => [html`<code>${type}</code>`, occasions[type]]),
  );
}
