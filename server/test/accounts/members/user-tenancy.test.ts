import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, createFreshTenant, describeServerOnEachDatabase, payload } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { readState } from './membership-helpers.ts';

describeServerOnEachDatabase('the view of a tenant on its members', (server) => {
  const createScene = async () => {
    const [owner, stranger] = [await createFreshTenant(server), await createFreshTenant(server)];
    const member = await server.createMember({ tenantId: owner.id });
    await server.createMember({ tenantId: owner.id });
    const invited = await server.request('POST', '/v1/users/invitations', {
      key: owner.key,
      body: { email: `invited-${owner.slug}@example.com`, role: 'auditor' },
    });
    const spy = await server.createMember({ tenantId: stranger.id });
    return { owner, stranger, member, invitation: payload(invited), spy };
  };
  /** Every operation on what a tenant has of its people. */
  const operations = (userId: string, sessionId: string, invitationId: string) =>
    [
      ['GET', `/v1/users/${userId}`],
      ['PATCH', `/v1/users/${userId}`, { active: false }],
      ['DELETE', `/v1/users/${userId}`],
      ['GET', `/v1/users/${userId}/sessions`],
      ['DELETE', `/v1/users/${userId}/sessions`],
      ['DELETE', `/v1/users/${userId}/sessions/${sessionId}`],
      ['DELETE', `/v1/users/${userId}/mfa`],
      ['DELETE', `/v1/users/invitations/${invitationId}`],
    ] as const;

  test('is not there for another one, with a key or in a session', async () => {
    const { stranger, member, invitation, spy } = await createScene();
    const before = await readState(server);
    for (const [method, path, body] of operations(member.userId, member.sessionId, invitation.id)) {
      for (const options of [{ key: stranger.key }, { headers: spy.session }]) {
        const response = await server.request(method, path, { ...options, ...(body && { body }) });
        assertProblem(response, '404 not_found');
      }
    }
    assert.equal(await readState(server), before);
    const totals = async ({ key }: TestTenant) => [
      payload(await server.request('GET', '/v1/users', { key }), 200).items.length,
      payload(await server.request('GET', '/v1/users/invitations', { key }), 200).items.length,
    ];
    assert.deepEqual(await totals(stranger), [1, 0]);
  });

  test('answers alike for what is in another tenant and what is nowhere', async () => {
    const { stranger, member, invitation } = await createScene();
    const nothing = '01900000-0000-7000-8000-000000000000';
    const there = operations(member.userId, member.sessionId, invitation.id);
    for (const [index, [method, path, body]] of operations(nothing, nothing, nothing).entries()) {
      const send = (to: string) => server.request(method, to, { key: stranger.key, ...(body && { body }) });
      const [unknown, foreign] = [await send(path), await send(there[index]?.[1] as string)];
      assert.deepEqual(
        [foreign.status, { ...foreign.body.error, requestId: '' }],
        [unknown.status, { ...unknown.body.error, requestId: '' }],
      );
    }
  });

  test('is not reached by naming the other tenant', async () => {
    const { owner, member, spy } = await createScene();
    const headers = { ...spy.session, 'Svc-Tenant': owner.slug };
    for (const path of ['/v1/users', `/v1/users/${member.userId}`])
      assertProblem(await server.request('GET', path, { headers }), '403 tenant_not_allowed');
  });
});
