// biome-ignore-all format: generated
// Generated from server/openapi.json by tools/types/write.ts.
import type { Shape } from './schemas.ts';

/** The kind of each field of the data of each type of event. */
export const eventShapes: Readonly<Record<string, Shape>> = {
  'consent.recorded': { recordId: 'a string', noticeId: 'a string', noticeVersion: 'an integer', subjectId: 'a string or null', kind: 'a string', withdrawsRecordId: 'a string or null', method: 'a string or null', purposes: 'an object of booleans', language: 'a string or null', shownHash: 'a string or null', region: 'a string or null', basis: 'an object of strings or null', source: 'a string', space: 'a string', capturedAt: 'a string', recordedAt: 'a string', sequence: 'an integer', ledgerHash: 'a string' },
  'consent.withdrawn': { recordId: 'a string', noticeId: 'a string', noticeVersion: 'an integer', subjectId: 'a string or null', kind: 'a string', withdrawsRecordId: 'a string or null', method: 'a string or null', purposes: 'an object of booleans', language: 'a string or null', shownHash: 'a string or null', region: 'a string or null', basis: 'an object of strings or null', source: 'a string', space: 'a string', capturedAt: 'a string', recordedAt: 'a string', sequence: 'an integer', ledgerHash: 'a string' },
  'consent_notice.published': { noticeId: 'a string', name: 'a string', domain: 'a string', version: 'an integer', status: 'a string' },
  'consent_notice.archived': { noticeId: 'a string', name: 'a string', domain: 'a string', version: 'an integer or null', status: 'a string' },
  'dsr.created': { dsrId: 'a string', subjectId: 'a string or null', type: 'a string', dueAt: 'a string' },
  'dsr.completed': { dsrId: 'a string', subjectId: 'a string or null', type: 'a string', outcome: 'a string' },
  'breach.reported': { breachId: 'a string', severity: 'a string', status: 'a string', notificationDueAt: 'a string' },
  'breach.updated': { breachId: 'a string', severity: 'a string', status: 'a string', notificationDueAt: 'a string' },
  'subject.erased': { erasureId: 'a string', counts: { records: 'an integer', requests: 'an integer', breaches: 'an integer', evidence: 'an integer', files: 'an integer', auditEvents: 'an integer', events: 'an integer', deliveries: 'an integer', responses: 'an integer' } },
  'control.status_changed': { controlId: 'a string', code: 'a string', from: 'a string', to: 'a string' },
  'control.test_failed': { controlId: 'a string', code: 'a string', testId: 'a string', resultId: 'a string' },
  'ledger.verified': { status: 'a string', startedAt: 'a string', finishedAt: 'a string', entries: 'an integer', checkedRows: 'an integer', fault: 'a string or null' },
  'ledger.verification_failed': { status: 'a string', startedAt: 'a string', finishedAt: 'a string', entries: 'an integer', checkedRows: 'an integer', fault: 'a string or null' },
  'user.provisioned': { userId: 'a string', email: 'a string or null', role: 'a string', status: 'a string', after: { role: 'a string', status: 'a string' }, restored: 'a boolean, or absent' },
  'user.suspended': { userId: 'a string', email: 'a string or null', role: 'a string', status: 'a string', before: { status: 'a string' }, after: { status: 'a string' } },
  'user.reactivated': { userId: 'a string', email: 'a string or null', role: 'a string', status: 'a string', before: { status: 'a string' }, after: { status: 'a string' } },
  'user.deprovisioned': { userId: 'a string', email: 'a string or null', role: 'a string', status: 'a string', before: { status: 'a string' }, after: { status: 'a string' } },
  'user.role_changed': { userId: 'a string', email: 'a string or null', role: 'a string', status: 'a string', before: { role: 'a string' }, after: { role: 'a string' } },
  'mfa.enabled': { userId: 'a string', email: 'a string or null' },
  'mfa.disabled': { userId: 'a string', email: 'a string or null' },
  'webhook.endpoint_failing': { webhookId: 'a string', host: 'a string', failingSince: 'a string', lastError: 'a string or null' },
  'webhook.endpoint_recovered': { webhookId: 'a string', host: 'a string', failingSince: 'a string', recoveredAt: 'a string' },
  'webhook.endpoint_disabled': { webhookId: 'a string', host: 'a string', reason: 'a string', failingSince: 'a string or null', lastError: 'a string or null' },
  'webhook.delivery_exhausted': { webhookId: 'a string', host: 'a string', deliveryId: 'a string', eventId: 'a string', eventType: 'a string', attempts: 'an integer', reason: 'a string' },
  'webhook.test': { webhookId: 'a string' },
};
