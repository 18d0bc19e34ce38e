import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watch } from '../accounts/identity/membership-helpers.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
  unknownId,
} from '../consent/helpers.ts';
import { day, PrivacyClient } from './requests.ts';

describeServer('PATCH /v1/dsr/{id}', (server) => {
  const createClient = async () => {
    const tenant = await createFreshTenant(server);
    const member = await server.createMember({ tenantId: tenant.id, role: 'cs_agent' });
    return { client: new PrivacyClient(server, tenant), member };
  };

  test('sets the assignee, the notes, and who checked the identity when and how', async () => {
    const { client, member } = await createClient();
    const dsr = await client.opened({ notes: 'By phone.' });
    assert.deepEqual([dsr.assigneeUserId, dsr.identityCheck], [null, null]);
    server.clock.advance(60_000);
    const body = { assigneeUserId: member.userId, notes: 'By letter.', identityCheck: { method: ' Called back ' } };
    const edited = payload(await client.send('PATCH', `/v1/dsr/${dsr.id}`, body, { headers: member.session }), 200);
    assert.deepEqual(edited, {
      ...dsr,
      assigneeUserId: member.userId,
      notes: 'By letter.',
      identityCheck: { method: 'Called back', at: server.clock.now(), by: member.userId },
      updatedAt: server.clock.now(),
    });
    assert.deepEqual(await client.read('dsr', dsr.id), edited);
    const listed = async (assigneeUserId: string) =>
      payload(await client.list('dsr', { assigneeUserId }), 200).items.map(({ id }: { id: string }) => id);
    assert.deepEqual(await listed(member.userId), [dsr.id]);
    assert.deepEqual(await listed(unknownId), []);
    const cleared = { assigneeUserId: null, notes: null, identityCheck: null };
    server.clock.advance(day);
    assert.deepEqual(payload(await client.editDsr(dsr.id, cleared), 200), {
      ...dsr,
      ...cleared,
      updatedAt: server.clock.now(),
    });
  });

  test('keeps what is omitted, and writes nothing when nothing changes', async () => {
    const { client, member } = await createClient();
    const { id } = await client.opened({ notes: 'By phone.' });
    payload(await client.editDsr(id, { identityCheck: { method: 'Called back' } }), 200);
    const edited = payload(await client.editDsr(id, { assigneeUserId: member.userId }), 200);
    assert.deepEqual([edited.notes, edited.identityCheck.method], ['By phone.', 'Called back']);
    server.clock.advance(day);
    await assertNothingWritten(server, async () => {
      assert.deepEqual(payload(await client.editDsr(id, {}), 200), edited);
      const same = { notes: 'By phone.', assigneeUserId: member.userId, identityCheck: { method: 'Called back' } };
      assert.deepEqual(payload(await client.editDsr(id, same), 200), edited);
    });
  });

  test('accepts as assignee only members who can sign in', async () => {
    const { client, member } = await createClient();
    const other = await server.createMember({ tenantId: server.tenant.id });
    const { id } = await client.opened();
    payload(await client.send('PATCH', `/v1/users/${member.userId}`, { active: false }), 200);
    await assertNothingWritten(server, async () => {
      for (const assigneeUserId of [unknownId, other.userId, member.userId])
        assertProblem(await client.editDsr(id, { assigneeUserId }), '422 validation_failed', ['body.assigneeUserId']);
    });
  });

  test('is refused where the request is completed', async () => {
    const { client } = await createClient();
    const { id } = await client.opened();
    payload(await client.complete(id), 200);
    await assertNothingWritten(server, async () =>
      assertProblem(await client.editDsr(id, { notes: 'Late.' }), '409 dsr_already_completed'),
    );
  });

  test('audits the assignee and when the identity was checked, without the method and the notes', async () => {
    const { client, member } = await createClient();
    const { id } = await client.opened();
    const body = { assigneeUserId: member.userId, notes: 'By letter.', identityCheck: { method: 'Called back' } };
    const { events, webhooks } = await watch(server, client.tenant.id, () => client.editDsr(id, body));
    const { states, ...diff } = events[0].diff;
    assert.deepEqual(diff, {
      changed: ['assigneeUserId', 'notes', 'identityCheckMethod'],
      before: { assigneeUserId: null, identityCheckedAt: null },
      after: { assigneeUserId: member.userId, identityCheckedAt: server.clock.now() },
    });
    assert.deepEqual([events.length, events[0].action, events[0].targetId, webhooks], [1, 'dsr.edited', id, []]);
  });

  test('rejects other fields and values, and an unknown request', async () => {
    const { client } = await createClient();
    const { id } = await client.opened();
    await assertBodiesRefused(server, (body) => client.send('PATCH', `/v1/dsr/${id}`, body as object), [
      [{ notes: '' }, 'body.notes'],
      [{ notes: 'x'.repeat(5001) }, 'body.notes'],
      [{ assigneeUserId: 'ada' }, 'body.assigneeUserId'],
      [{ identityCheck: {} }, 'body.identityCheck.method'],
      [{ identityCheck: { method: '\u200b' } }, 'body.identityCheck.method'],
      [{ identityCheck: { method: 'x'.repeat(201) } }, 'body.identityCheck.method'],
      [{ identityCheck: { method: 'x', at: '2026-11-21T12:00:00Z' } }, 'body.identityCheck.at'],
      [{ status: 'completed' }, 'body.status'],
    ]);
    assertProblem(await client.editDsr(unknownId, {}), '404 not_found');
  });
});
