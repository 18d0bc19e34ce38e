import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopes } from '../../../http/roles.ts';
import { goodPassword } from '../../accounts/members/invitation-helpers.ts';
import { changePeople, readState } from '../../accounts/members/membership-helpers.ts';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';

describeServer('the administrator of the server', (server) => {
  const createScene = async () => {
    const [own, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    const operator = await server.createMember({ tenantId: own.id, role: 'platform_admin' });
    const admin = await server.createMember({ tenantId: own.id });
    const ask = (headers: Readonly<Record<string, string>>, method: string, path: string, body?: unknown) =>
      server.request(method, path, { headers, ...(body !== undefined && { body }) });
    return { own, other, operator, admin, ask };
  };

  test('administers their own tenant as a user of it', async () => {
    const { own, operator, ask } = await createScene();
    const me = payload(await ask(operator.session, 'GET', '/v1/me'), 200);
    assert.deepEqual(
      me.scopes.toSorted(),
      [...scopes, 'tenants:read', 'tenants:write', 'system:read', 'system:write'].sort(),
    );
    payload(await ask(operator.session, 'PATCH', '/v1/tenant', { name: 'Renamed' }), 200);
    const { items } = payload(await server.request('GET', '/v1/audit?limit=1', { key: own.key }), 200);
    assert.deepEqual([items[0].actorType, items[0].actorId], ['user', operator.userId]);
  });

  test('reads nothing of another tenant', async () => {
    const { other, operator, ask } = await createScene();
    for (const name of [other.id, other.slug])
      for (const path of ['/v1/tenant', '/v1/users', '/v1/audit', '/v1/tenants'])
        assertProblem(await ask({ ...operator.session, 'Svc-Tenant': name }, 'GET', path), '403 tenant_not_allowed');
  });

  test('cannot be changed, suspended, removed or invited by an administrator of the tenant, nor by its keys', async () => {
    const { own, operator, admin } = await createScene();
    const before = await readState(server);
    for (const caller of [{ headers: admin.session }, { key: own.key }])
      for (const [method, path, body] of [
        ['PATCH', `/v1/users/${operator.userId}`, { role: 'auditor' }],
        ['PATCH', `/v1/users/${operator.userId}`, { active: false }],
        ['DELETE', `/v1/users/${operator.userId}`, undefined],
        ['DELETE', `/v1/users/${operator.userId}/sessions`, undefined],
        ['DELETE', `/v1/users/${operator.userId}/mfa`, undefined],
        ['POST', `/v1/users/${operator.userId}/password-reset`, undefined],
        // The token of an invitation sets a new password.
        ['POST', '/v1/users/invitations', { email: operator.email }],
      ] as const)
        assertProblem(
          await server.request(method, path, { ...caller, ...(body !== undefined && { body }) }),
          '403 forbidden',
        );
    assert.equal(await readState(server), before);
  });

  test('is not reset by a link from the time before they had the role', async () => {
    const { own, admin, ask } = await createScene();
    const member = await server.createMember({ tenantId: own.id, role: 'auditor' });
    const path = `/v1/users/${member.userId}`;
    const { token } = payload(await ask(admin.session, 'POST', `${path}/password-reset`));
    await changePeople(server, own.id, [member.userId], { role: 'platform_admin' });
    const body = { token, password: goodPassword };
    const answer = await server.request('POST', '/v1/auth/password-reset', { key: null, body });
    assertProblem(answer, '404 not_found');
  });

  test('can be suspended by another one, and restored by the operator only', async () => {
    const { own, operator, ask } = await createScene();
    const second = await server.createMember({ tenantId: own.id, role: 'platform_admin' });
    const path = `/v1/users/${operator.userId}`;
    assert.equal(payload(await ask(second.session, 'PATCH', path, { active: false }), 200).status, 'suspended');
    assertProblem(await ask(operator.session, 'GET', '/v1/me'), '401 unauthenticated');
    assertProblem(await ask(second.session, 'PATCH', path, { active: true }), '403 forbidden');
    assertProblem(await ask(second.session, 'PATCH', path, { role: 'admin' }), '403 forbidden');
  });

  test('counts as an administrator of their tenant, so that the others can be demoted', async () => {
    const { own, operator, admin, ask } = await createScene();
    payload(await ask(operator.session, 'DELETE', `/v1/users/${admin.userId}`), 200);
    const second = await server.createMember({ tenantId: own.id, role: 'platform_admin' });
    payload(await ask(second.session, 'DELETE', `/v1/users/${operator.userId}`), 200);
    const colleague = await server.createMember({ tenantId: own.id });
    payload(await ask(second.session, 'PATCH', `/v1/users/${colleague.userId}`, { role: 'auditor' }), 200);
  });

  test('has no platform scope in a tenant where they have another role', async () => {
    const { other, operator, ask } = await createScene();
    const { session } = await server.createMember({ tenantId: other.id, email: operator.email });
    assertProblem(await ask(session, 'GET', '/v1/tenants'), '403 insufficient_scope');
  });
});
