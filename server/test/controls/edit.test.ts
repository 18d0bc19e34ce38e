import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { changeMembers } from '../../accounts/members/membership.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { runUnitOfWork } from '../../storage/database.ts';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid } from '../http/problems.ts';
import { testWithClient } from '../svc.ts';
import { base, ControlClient, openTenant, payload } from './helpers.ts';
import { ownControl } from './samples.ts';

const day = 24 * 60 * 60_000;

describeServer('a change of a control', (server) => {
  const testWith = testWithClient(server, ControlClient);
  testWith('of the status is recorded in the audit log with its reason, and sends a webhook', async (client) => {
    await client.adopt('GDPR');
    const [{ id, controlId, code }] = (await client.read()).items;
    payload(await client.edit(id, { status: 'in_progress', reason: 'The auditor asked' }));
    payload(await client.edit(id, { status: 'not_applicable', reason: 'We do none of this' }));
    const [first, second] = (await client.readEvents()).slice(-2);
    assert.deepEqual(
      [first.action, first.targetId, first.targetRef, first.reason],
      ['control.status_changed', id, code, 'The auditor asked'],
    );
    const { states: _, ...diff } = second.diff;
    assert.deepEqual(diff, { before: { status: 'in_progress' }, after: { status: 'not_applicable' } });
    assert.equal(second.reason, 'We do none of this');
    assert.deepEqual(await client.readWebhooks(), [
      { type: 'control.status_changed', data: { controlId, code, from: 'not_started', to: 'in_progress' } },
      { type: 'control.status_changed', data: { controlId, code, from: 'in_progress', to: 'not_applicable' } },
    ]);
  });

  testWith('reports the status that the control had by then, not the one that was set', async (client) => {
    const id = await client.create({ cadence: 'monthly' });
    payload(await client.edit(id, { status: 'implemented' }));
    server.clock.advance(32 * day);
    payload(await client.edit(id, { status: 'implemented' }));
    const { data } = (await client.readWebhooks()).at(-1) as { data: object };
    const { code } = await client.get(id);
    assert.deepEqual(data, { controlId: id, code, from: 'needs_review', to: 'implemented' });
  });

  testWith('of the cadence updates what derives from it, and reports a changed status', async (client) => {
    const id = await client.create({ cadence: 'monthly' });
    payload(await client.edit(id, { status: 'implemented' }));
    server.clock.advance(32 * day);
    const count = (await client.readWebhooks()).length;
    const control = payload(await client.edit(id, { cadence: 'annual' }));
    assert.deepEqual([control.status, control.cadence], ['implemented', 'annual']);
    assert.equal((await client.readWebhooks()).length, count + 1);
    const event = (await client.readEvents()).at(-1);
    assert.deepEqual(event.diff.after, { status: 'implemented', cadence: 'annual' });
    payload(await client.edit(id, { cadence: 'semi_annual' }));
    assert.equal((await client.readEvents()).at(-1).action, 'control.edited');
    assert.equal((await client.readWebhooks()).length, count + 1);
  });

  testWith('assigns a member who may sign in as the owner, and removes them', async (client) => {
    const id = await client.create();
    const { userId } = await server.createMember({ tenantId: client.tenant.id, role: 'engineer' });
    assert.equal(payload(await client.edit(id, { ownerUserId: userId })).ownerUserId, userId);
    await client.assertNothingWritten(async () => payload(await client.edit(id, { ownerUserId: userId })));
    assert.equal((await client.read()).items[0].ownerUserId, userId);
    assert.equal(payload(await client.edit(id, { ownerUserId: null })).ownerUserId, null);
    const own = payload(await client.send('POST', `${base}/controls`, ownControl({ ownerUserId: userId })), 201);
    assert.equal(own.ownerUserId, userId);
  });

  test('rejects every other owner with the same error', async () => {
    const [client, other] = [await openTenant(server), await openTenant(server)];
    const id = await client.create();
    const { id: tenantId } = client.tenant;
    const foreign = await server.createMember({ tenantId: other.tenant.id });
    const suspended = await server.createMember({ tenantId });
    const removed = await server.createMember({ tenantId });
    await runUnitOfWork(server.installation.database, server.clock.now(), async (work) => {
      const source = systemSource(tenantId);
      await changeMembers(work, source, [suspended.userId], { isActivated: false }, 'test');
      await changeMembers(work, source, [removed.userId], { isDeleted: true }, 'test');
    });
    const invited = await client.send('POST', '/v1/users/invitations', { email: `i-${randomUUID()}@example.com` });
    payload(invited, 201);
    const [waiting] = await server.installation.database.kysely
      .selectFrom('memberships')
      .select('user_id')
      .where('tenant_id', '=', tenantId)
      .where('accepted_at', 'is', null)
      .execute();
    const invalid = [randomUUID(), foreign.userId, suspended.userId, removed.userId, waiting?.user_id ?? randomUUID()];
    await client.assertNothingWritten(async () => {
      const messages = new Set<string>();
      for (const ownerUserId of invalid) {
        for (const response of [
          await client.edit(id, { ownerUserId }),
          await client.edit(id, { ownerUserId, status: 'in_progress' }),
          await client.send('POST', `${base}/controls`, ownControl({ ownerUserId })),
        ]) {
          assertInvalid(response, 'body.ownerUserId');
          messages.add(response.body.error.message);
        }
      }
      assert.equal(messages.size, 1);
    });
  });

  testWith('writes nothing if no value changes', async (client) => {
    const id = await client.create({ cadence: 'annual' });
    const exceptionEndsAt = new Date(server.clock.milliseconds() + day).toISOString();
    const excepted = { status: 'excepted', reason: 'Being rebuilt', exceptionEndsAt };
    payload(await client.edit(id, excepted));
    const before = await client.get(id);
    server.clock.advance(1);
    await client.assertNothingWritten(async () => {
      for (const change of [excepted, { cadence: 'annual' }, { ownerUserId: null }, { reason: 'Being rebuilt' }])
        assert.deepEqual(payload(await client.edit(id, change)), before);
    });
  });

  testWith('runs after concurrent changes, and sees their results', async (client) => {
    const id = await client.create();
    const answers = await Promise.all(
      ['in_progress', 'not_applicable', 'excepted'].map((status) =>
        client.edit(id, {
          status,
          ...(status !== 'in_progress' && { reason: 'Why' }),
          ...(status === 'excepted' && { exceptionEndsAt: new Date(server.clock.milliseconds() + day).toISOString() }),
        }),
      ),
    );
    const moves = (await client.readWebhooks()).map(({ data }) => data as { from: string; to: string });
    assert.equal(moves.length, answers.filter(({ status }) => status === 200).length);
    assert.equal(moves[0]?.from, 'not_started');
    for (const [index, { to }] of moves.slice(0, -1).entries()) assert.equal(moves[index + 1]?.from, to);
    assert.equal((await client.get(id)).status, moves.at(-1)?.to);
  });
});
