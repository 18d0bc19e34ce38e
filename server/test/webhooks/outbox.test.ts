import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTransaction } from '../../storage/database.ts';
import { type EventType, eventTypes } from '../../webhooks/deliveries/event.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { addPerson, changePeople, readWebhooks } from '../accounts/members/membership-helpers.ts';
import { createEnrolledMember } from '../accounts/mfa/authenticator.ts';
import { createFreshTenant, describeServerOnEachDatabase, payload } from '../consent/helpers.ts';

/** Types whose events are tested in their own folder, with every field. */
const elsewhere: readonly EventType[] = [
  'dsr.created',
  'dsr.completed',
  'subject.erased',
  'breach.reported',
  'breach.updated',
  'control.status_changed',
  'control.test_failed',
  'ledger.verified',
  'ledger.verification_failed',
  'consent.recorded',
  'consent.withdrawn',
  'consent_notice.published',
  'consent_notice.archived',
  'webhook.endpoint_failing',
  'webhook.endpoint_recovered',
  'webhook.endpoint_disabled',
  'webhook.delivery_exhausted',
  'webhook.test',
];

describeServerOnEachDatabase('the outbox of webhooks', (server) => {
  test('has every type of event, with its tenant and its user', async () => {
    const [tenant, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    const email = `person@${tenant.slug}.example.com`;
    const member = await createEnrolledMember(server, { tenantId: tenant.id, email, role: 'auditor' });
    const ids = [member.userId];
    await changePeople(server, tenant.id, ids, { role: 'dpo' });
    await changePeople(server, tenant.id, ids, { isActivated: false });
    await changePeople(server, tenant.id, ids, { isActivated: true });
    payload(await server.request('DELETE', `/v1/users/${member.userId}/mfa`, { key: tenant.key }), 200);
    await changePeople(server, tenant.id, ids, { isDeleted: true });
    await addPerson(server, tenant.id, { email, role: 'cs_agent' });
    const sent = await readWebhooks(server, tenant.id);
    const person = { userId: member.userId, email };
    assert.deepEqual(
      sent.map(({ type, data }) => [type, data]),
      [
        [
          'user.provisioned',
          { ...person, role: 'auditor', status: 'active', after: { role: 'auditor', status: 'active' } },
        ],
        ['mfa.enabled', person],
        [
          'user.role_changed',
          { ...person, role: 'dpo', status: 'active', before: { role: 'auditor' }, after: { role: 'dpo' } },
        ],
        [
          'user.suspended',
          { ...person, role: 'dpo', status: 'suspended', before: { status: 'active' }, after: { status: 'suspended' } },
        ],
        [
          'user.reactivated',
          { ...person, role: 'dpo', status: 'active', before: { status: 'suspended' }, after: { status: 'active' } },
        ],
        ['mfa.disabled', person],
        [
          'user.deprovisioned',
          { ...person, role: 'dpo', status: 'deleted', before: { status: 'active' }, after: { status: 'deleted' } },
        ],
        [
          'user.provisioned',
          {
            ...person,
            role: 'cs_agent',
            status: 'active',
            after: { role: 'cs_agent', status: 'active' },
            restored: true,
          },
        ],
      ],
    );
    const types = new Set([...sent.map(({ type }) => type), ...elsewhere]);
    assert.deepEqual(
      [...types].sort(),
      [...eventTypes].sort(),
      'a new type of event needs its place above, or in elsewhere',
    );
    assert.deepEqual(await readWebhooks(server, other.id), []);
  });

  test('contains no event without the change that it describes', async () => {
    const tenant = await createFreshTenant(server);
    const failing = runTransaction(server.installation.database, server.clock.now(), async (tx) => {
      await emitEvents(tx, [{ tenantId: tenant.id, type: 'user.suspended', data: {} }]);
      throw new Error('the change failed');
    });
    await assert.rejects(failing, /the change failed/);
    assert.deepEqual(await readWebhooks(server, tenant.id), []);
  });
});
