import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import { isSignedIn, readState, sessionOf, signIn, watch } from './membership-helpers.ts';

describeServer('the sessions of a member', (server) => {
  /** An administrator of a tenant, and a member with two sessions there and one in another tenant. */
  const createScene = async () => {
    const [tenant, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    const admin = await server.createMember({ tenantId: tenant.id });
    const member = await server.createMember({ tenantId: tenant.id, role: 'auditor' });
    const elsewhere = await server.createMember({ tenantId: other.id, email: member.email });
    server.clock.advance(1000);
    const signedIn = await signIn(server, member.email, member.password, { tenant: tenant.slug });
    const second = { id: payload(signedIn, 200).session.id as string, session: sessionOf(server, signedIn) };
    return { tenant, other, admin, member, elsewhere, second };
  };
  const list = async (id: string, headers: Readonly<Record<string, string>>) =>
    payload(await server.request('GET', `/v1/users/${id}/sessions`, { headers }), 200).items;

  test('are listed newest first, only those of this tenant and without tokens', async () => {
    const { admin, member, second } = await createScene();
    const sessions = await list(member.userId, admin.session);
    assert.deepEqual(
      sessions.map(({ id }: { id: string }) => id),
      [second.id, member.sessionId],
    );
    const day = 24 * 60 * 60 * 1000;
    assert.deepEqual(sessions[0], {
      id: second.id,
      createdAt: server.clock.now(),
      lastSeenAt: server.clock.now(),
      idleExpiresAt: new Date(server.clock.milliseconds() + 60 * 60_000).toISOString(),
      device: null,
      expiresAt: new Date(server.clock.milliseconds() + day).toISOString(),
      challengeId: null,
      isCurrent: false,
    });
    const [own] = await list(admin.userId, admin.session);
    assert.deepEqual([own.id, own.isCurrent], [admin.sessionId, true]);
  });

  test('are not listed once they have ended by themselves', async () => {
    const { admin, member, second } = await createScene();
    server.clock.advance(30 * 60_000);
    assert.equal(await isSignedIn(server, second.session), true);
    assert.equal((await list(member.userId, admin.session)).length, 2);
    await server.app.lastUses.write(server.installation.database);
    server.clock.advance(30 * 60_000);
    const left = await list(member.userId, admin.session);
    assert.deepEqual(
      left.map(({ id }: { id: string }) => id),
      [second.id],
      'an hour without a request ends a session',
    );
    assert.equal(await isSignedIn(server, member.session), false);
  });

  test('can be ended one by one', async () => {
    const { tenant, admin, member, second } = await createScene();
    const path = `/v1/users/${member.userId}/sessions/${member.sessionId}`;
    const { result, events } = await watch(server, tenant.id, () =>
      server.request('DELETE', path, { headers: admin.session }),
    );
    assert.deepEqual(payload(result, 200), { ended: 1 });
    const [event, ...more] = events;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event.action, event.actorId, event.targetId, event.targetRef, event.diff],
      ['session.revoked', admin.userId, member.userId, member.email, { sessions: 1, sessionId: member.sessionId }],
    );
    assert.deepEqual(
      [await isSignedIn(server, member.session), await isSignedIn(server, second.session)],
      [false, true],
    );
    const before = await readState(server);
    assertProblem(await server.request('DELETE', path, { headers: admin.session }), '404 not_found');
    assert.equal(await readState(server), before);
  });

  test('can be ended all at once, those of other tenants and of colleagues stay', async () => {
    const { tenant, other, admin, member, elsewhere, second } = await createScene();
    const { result, events } = await watch(server, tenant.id, () =>
      server.request('DELETE', `/v1/users/${member.userId}/sessions`, { headers: admin.session }),
    );
    assert.deepEqual(payload(result, 200), { ended: 2 });
    assert.deepEqual([events.length, events[0].diff], [1, { sessions: 2 }]);
    const all = [member, second, elsewhere, admin].map(({ session }) => isSignedIn(server, session));
    assert.deepEqual(await Promise.all(all), [false, false, true, true]);
    const again = await watch(server, tenant.id, () =>
      server.request('DELETE', `/v1/users/${member.userId}/sessions`, { headers: admin.session }),
    );
    assert.deepEqual([payload(again.result, 200), again.events], [{ ended: 0 }, []]);
    assert.equal((await list(member.userId, (await server.createMember({ tenantId: other.id })).session)).length, 1);
  });

  test('cannot be ended by a caller with fewer scopes than the member', async () => {
    const { tenant, member, second } = await createScene();
    const key = await server.createKey(tenant.id, ['users:read', 'users:write']);
    const before = await readState(server);
    for (const path of ['sessions', `sessions/${second.id}`])
      assertProblem(await server.request('DELETE', `/v1/users/${member.userId}/${path}`, { key }), '403 forbidden');
    assert.equal(await readState(server), before);
    assert.equal(await isSignedIn(server, member.session), true);
  });

  test('of another tenant or user cannot be ended', async () => {
    const { tenant, admin, member, elsewhere } = await createScene();
    const key = await server.createKey(tenant.id, ['users:read']);
    const before = await readState(server);
    for (const path of [
      `${member.userId}/sessions/${elsewhere.sessionId}`,
      `${member.userId}/sessions/${admin.sessionId}`,
      `${member.userId}/sessions/${randomUUID()}`,
      `${randomUUID()}/sessions/${member.sessionId}`,
      `${randomUUID()}/sessions`,
    ])
      assertProblem(await server.request('DELETE', `/v1/users/${path}`, { headers: admin.session }), '404 not_found');
    const refused = await server.request('DELETE', `/v1/users/${member.userId}/sessions`, { key });
    assertProblem(refused, '403 insufficient_scope');
    assert.equal(await readState(server), before);
  });
});
