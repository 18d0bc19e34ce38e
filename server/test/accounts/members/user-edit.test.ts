import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MemberRole, scopes } from '../../../http/roles.ts';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import type { RequestOptions } from '../../harness.ts';
import { changePeople, isSignedIn, readState, signIn, watch } from './membership-helpers.ts';

describeServer('changing a member over the API', (server) => {
  /** A tenant with an administrator and a member. */
  const createTeam = async (role: MemberRole = 'engineer') => {
    const tenant = await createFreshTenant(server);
    const admin = await server.createMember({ tenantId: tenant.id });
    const member = await server.createMember({ tenantId: tenant.id, role });
    return { tenant, admin, member };
  };
  const edit = (id: string, body: unknown, options: RequestOptions) =>
    server.request('PATCH', `/v1/users/${id}`, { body, ...options });
  const remove = (id: string, options: RequestOptions) => server.request('DELETE', `/v1/users/${id}`, options);

  test('changes the role, and records who did it and why', async () => {
    const { tenant, admin, member } = await createTeam();
    server.clock.advance(1000);
    const { result, events, webhooks } = await watch(server, tenant.id, () =>
      edit(member.userId, { role: 'dpo', reason: ' New duties ' }, { headers: admin.session }),
    );
    const user = payload(result, 200);
    assert.deepEqual([user.role, user.status, user.updatedAt], ['dpo', 'active', server.clock.now()]);
    assert.deepEqual(
      payload(await server.request('GET', `/v1/users/${member.userId}`, { key: tenant.key }), 200),
      user,
    );
    const [event, ...more] = events;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event.action, event.actorType, event.actorId, event.actorEmail, event.targetId, event.targetRef, event.reason],
      ['user.role_changed', 'user', admin.userId, admin.email, member.userId, member.email, 'New duties'],
    );
    const { states: _, ...diff } = event.diff;
    assert.deepEqual(diff, { before: { role: 'engineer' }, after: { role: 'dpo' } });
    assert.deepEqual(webhooks, [
      {
        type: 'user.role_changed',
        data: { userId: member.userId, email: member.email, role: 'dpo', status: 'active', ...diff },
        createdAt: server.clock.now(),
      },
    ]);
    assert.equal(await isSignedIn(server, member.session), true);
  });

  test('suspends and makes active again, whatever suspended', async () => {
    const { tenant, admin, member } = await createTeam();
    const suspended = await watch(server, tenant.id, () =>
      edit(member.userId, { active: false }, { headers: admin.session }),
    );
    const user = payload(suspended.result, 200);
    assert.deepEqual([user.status, user.canSignIn], ['suspended', false]);
    assert.deepEqual(
      [suspended.actions, suspended.webhooks.map(({ type }) => type)],
      [['user.suspended'], ['user.suspended']],
    );
    assert.equal(suspended.events[0].reason, 'Changed by an administrator');
    assert.equal(await isSignedIn(server, member.session), false);
    assertProblem(await signIn(server, member.email, member.password), '401 invalid_credentials');
    await changePeople(server, tenant.id, [member.userId], { isAssigned: false });
    const back = await watch(server, tenant.id, () =>
      edit(member.userId, { active: true }, { headers: admin.session }),
    );
    assert.deepEqual([payload(back.result, 200).status, back.actions], ['active', ['user.reactivated']]);
    assert.equal(back.webhooks[0].type, 'user.reactivated');
    assert.equal(await isSignedIn(server, member.session), false, 'the ended session stays ended');
    payload(await signIn(server, member.email, member.password), 200);
  });

  test('records nothing when nothing changes', async () => {
    const { admin, member } = await createTeam();
    server.clock.advance(1000);
    const before = await readState(server);
    for (const body of [{}, { role: 'engineer' }, { active: true }, { reason: 'why' }]) {
      const user = payload(await edit(member.userId, body, { headers: admin.session }), 200);
      assert.notEqual(user.updatedAt, server.clock.now());
    }
    assert.equal(await readState(server), before);
  });

  test('removes a member, who is not found afterwards', async () => {
    const { tenant, admin, member } = await createTeam();
    const { result, actions, webhooks, events } = await watch(server, tenant.id, () =>
      remove(member.userId, { headers: admin.session }),
    );
    const user = payload(result, 200);
    assert.deepEqual([user.status, user.canSignIn, actions], ['deleted', false, ['user.deprovisioned']]);
    assert.deepEqual([webhooks[0].type, webhooks[0].data.before], ['user.deprovisioned', { status: 'active' }]);
    assert.equal(events[0].reason, 'Removed by an administrator');
    assert.equal(await isSignedIn(server, member.session), false);
    assertProblem(await signIn(server, member.email, member.password), '401 invalid_credentials');
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assertProblem(
        await server.request(method, `/v1/users/${member.userId}`, {
          key: tenant.key,
          ...(method === 'PATCH' && { body: { active: true } }),
        }),
        '404 not_found',
      );
  });

  test('rejects roles and members with scopes that the caller lacks', async () => {
    const { tenant, admin, member } = await createTeam('cs_agent');
    const second = await server.createMember({ tenantId: tenant.id });
    const { session: _, ...suspended } = await server.createMember({ tenantId: tenant.id });
    await changePeople(server, tenant.id, [suspended.userId], { isActivated: false });
    const key = await server.createKey(tenant.id, [
      'members:read',
      'users:read',
      'users:write',
      'consent:read',
      'dsr:read',
      'dsr:write',
      'members:read',
    ]);
    const before = await readState(server);
    const refused = [
      edit(member.userId, { role: 'admin' }, { key }),
      edit(member.userId, { role: 'auditor' }, { key }),
      edit(second.userId, { role: 'cs_agent' }, { key }),
      edit(second.userId, { active: false }, { key }),
      edit(suspended.userId, { active: true }, { key }),
      remove(second.userId, { key }),
      server.request('DELETE', `/v1/users/${second.userId}/mfa`, { key }),
    ];
    for (const response of await Promise.all(refused)) assertProblem(response, '403 forbidden');
    assert.equal(await readState(server), before);
    assert.equal(payload(await edit(member.userId, { active: false }, { key }), 200).status, 'suspended');
    const all = await server.createKey(tenant.id, scopes);
    for (const role of ['admin', 'dpo', 'engineer', 'auditor', 'cs_agent'])
      assert.equal(payload(await edit(member.userId, { role }, { key: all }), 200).role, role);
    assert.equal(await isSignedIn(server, admin.session), true);
  });

  test('does not give a platform role, nor one that there is not', async () => {
    const { admin, member } = await createTeam();
    for (const role of ['dpco_principal', 'platform_admin', 'owner', '', null, ['admin']])
      assertProblem(await edit(member.userId, { role }, { headers: admin.session }), '422 validation_failed', [
        'body.role',
      ]);
    for (const [body, path] of [
      [{ active: 'false' }, 'body.active'],
      [{ reason: ' ' }, 'body.reason'],
      [{ reason: 'x'.repeat(501) }, 'body.reason'],
      [{ status: 'suspended' }, 'body.status'],
      [{ email: 'other@example.com' }, 'body.email'],
    ] as const)
      assertProblem(await edit(member.userId, body, { headers: admin.session }), '422 validation_failed', [path]);
  });

  test('does not let anybody change their own access', async () => {
    const { admin } = await createTeam('admin');
    const headers = admin.session;
    const before = await readState(server);
    for (const body of [{ role: 'auditor' }, { active: false }, {}])
      assertProblem(await edit(admin.userId, body, { headers }), '409 conflict');
    assertProblem(await remove(admin.userId, { headers }), '409 conflict');
    assertProblem(await server.request('DELETE', `/v1/users/${admin.userId}/mfa`, { headers }), '409 conflict');
    assert.equal(await readState(server), before);
  });

  test('keeps the last administrator who can sign in', async () => {
    const { tenant, admin } = await createTeam();
    const { key } = tenant;
    const take = (id: string) => [
      () => edit(id, { role: 'dpo' }, { key }),
      () => edit(id, { active: false }, { key }),
      () => remove(id, { key }),
    ];
    const suspended = await server.createMember({ tenantId: tenant.id });
    await changePeople(server, tenant.id, [suspended.userId], { isActivated: false });
    for (const step of take(admin.userId)) assertProblem(await step(), '409 conflict');
    // A user who is no administrator, or cannot sign in, does not count and can be removed.
    payload(await remove(suspended.userId, { key }), 200);
    const other = await server.createMember({ tenantId: tenant.id });
    payload(await edit(admin.userId, { role: 'dpo' }, { key }), 200);
    for (const step of take(other.userId)) assertProblem(await step(), '409 conflict');
  });

  test('keeps one of two administrators who remove each other concurrently', async () => {
    const { tenant, admin } = await createTeam();
    const other = await server.createMember({ tenantId: tenant.id });
    const answers = await Promise.all([
      remove(other.userId, { headers: admin.session }),
      remove(admin.userId, { headers: other.session }),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    assert.equal(statuses[0], 200);
    assert.ok(statuses[1] === 409 || statuses[1] === 401, String(statuses[1]));
    const { items } = payload(await server.request('GET', '/v1/users?role=admin', { key: tenant.key }), 200);
    assert.equal(items.length, 1);
  });
});
