// biome-ignore-all format: generated
// Generated from server/openapi.json by tools/types/write.ts.
import type { Shape } from './schemas.ts';

/** The kind of each field of the data of each type of event. */
export const eventShapes: Readonly<Record<string, Shape>> = {
  'consent.recorded': { recordId: 'string', noticeId: 'string', noticeVersion: 'integer', subjectId: 'string or null', kind: 'string', withdrawsRecordId: 'string or null', method: 'string or null', purposes: 'booleans by name', source: 'string', space: 'string', capturedAt: 'string', recordedAt: 'string', sequence: 'integer', ledgerHash: 'string' },
  'consent.withdrawn': { recordId: 'string', noticeId: 'string', noticeVersion: 'integer', subjectId: 'string or null', kind: 'string', withdrawsRecordId: 'string or null', method: 'string or null', purposes: 'booleans by name', source: 'string', space: 'string', capturedAt: 'string', recordedAt: 'string', sequence: 'integer', ledgerHash: 'string' },
  'consent_notice.published': { noticeId: 'string', name: 'string', domain: 'string', version: 'integer', status: 'string' },
  'consent_notice.archived': { noticeId: 'string', name: 'string', domain: 'string', version: 'integer or null', status: 'string' },
  'dsr.created': { dsrId: 'string', subjectId: 'string', type: 'string', dueAt: 'string' },
  'dsr.completed': { dsrId: 'string', subjectId: 'string', type: 'string', outcome: 'string' },
  'breach.reported': { breachId: 'string', severity: 'string', status: 'string', notificationDueAt: 'string' },
  'breach.updated': { breachId: 'string', severity: 'string', status: 'string', notificationDueAt: 'string' },
  'subject.erased': { erasureId: 'string', counts: { records: 'integer', requests: 'integer', breaches: 'integer', auditEvents: 'integer', events: 'integer', deliveries: 'integer', responses: 'integer' } },
  'control.status_changed': { controlId: 'string', code: 'string', from: 'string', to: 'string' },
  'control.test_failed': { controlId: 'string', code: 'string', testId: 'string', resultId: 'string' },
  'ledger.verified': { status: 'string', startedAt: 'string', finishedAt: 'string', entries: 'integer', checkedRows: 'integer', fault: 'string or null' },
  'ledger.verification_failed': { status: 'string', startedAt: 'string', finishedAt: 'string', entries: 'integer', checkedRows: 'integer', fault: 'string or null' },
  'user.provisioned': { userId: 'string', email: 'string or null', role: 'string', status: 'string', after: { role: 'string', status: 'string' }, restored: 'boolean?' },
  'user.suspended': { userId: 'string', email: 'string or null', role: 'string', status: 'string', before: { status: 'string' }, after: { status: 'string' } },
  'user.reactivated': { userId: 'string', email: 'string or null', role: 'string', status: 'string', before: { status: 'string' }, after: { status: 'string' } },
  'user.deprovisioned': { userId: 'string', email: 'string or null', role: 'string', status: 'string', before: { status: 'string' }, after: { status: 'string' } },
  'user.role_changed': { userId: 'string', email: 'string or null', role: 'string', status: 'string', before: { role: 'string' }, after: { role: 'string' } },
  'mfa.enabled': { userId: 'string', email: 'string or null' },
  'mfa.disabled': { userId: 'string', email: 'string or null' },
  'webhook.endpoint_failing': { webhookId: 'string', host: 'string', failingSince: 'string', lastError: 'string or null' },
  'webhook.endpoint_recovered': { webhookId: 'string', host: 'string', failingSince: 'string', recoveredAt: 'string' },
  'webhook.endpoint_disabled': { webhookId: 'string', host: 'string', reason: 'string', failingSince: 'string or null', lastError: 'string or null' },
  'webhook.delivery_exhausted': { webhookId: 'string', host: 'string', deliveryId: 'string', eventId: 'string', eventType: 'string', attempts: 'integer', reason: 'string' },
  'webhook.test': { webhookId: 'string' },
};
