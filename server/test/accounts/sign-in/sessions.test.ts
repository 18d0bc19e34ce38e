import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import type { TestMember } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { addMembership, isOpen, readCookies, readEvents, sessionOf, signIn } from './sign-in-requests.ts';

describeServer('the sessions of a user', (server) => {
  let member: TestMember;

  /** A member with this many sessions, the oldest first. */
  const createSessions = async (count: number) => {
    member = await server.createMember();
    const sessions = [{ id: member.sessionId, headers: member.session }];
    while (sessions.length < count) {
      server.clock.advance(1000);
      const response = await signIn(server, member);
      sessions.push({ id: response.body.data.session.id, headers: sessionOf(server, response) });
    }
    return sessions;
  };
  const end = (headers: Readonly<Record<string, string>>, id = '') =>
    server.request('DELETE', `/v1/me/sessions${id === '' ? '' : `/${id}`}`, { headers });

  test('are listed, the present one first and then the newest', async () => {
    const [first, second, third] = await createSessions(3);
    const { body } = await server.request('GET', '/v1/me/sessions', { headers: second?.headers ?? {} });
    assert.deepEqual(
      body.data.items.map(({ id, isCurrent }: { readonly id: string; readonly isCurrent: boolean }) => [id, isCurrent]),
      [
        [second?.id, true],
        [third?.id, false],
        [first?.id, false],
      ],
    );
    const [{ createdAt, expiresAt, challengeId }] = body.data.items;
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 24 * 60 * 60 * 1000);
    assert.equal(challengeId, null);
    assert.ok(!JSON.stringify(body).includes('svc_session_'));
  });

  test('are listed without ended ones, those of other users and those in other tenants', async () => {
    const [first] = await createSessions(1);
    const other = await server.createTenant('listed');
    await addMembership(server, other.id, member.email);
    assert.equal((await signIn(server, { ...member, tenant: other.slug })).status, 200);
    await server.createMember();
    server.clock.advance(59 * 60 * 1000);
    const second = sessionOf(server, await signIn(server, { ...member, tenant: 'first' }));
    const list = async () => (await server.request('GET', '/v1/me/sessions', { headers: second })).body.data.items;
    assert.equal((await list()).length, 2);
    server.clock.advance(60 * 1000);
    assert.ok(!(await isOpen(server, first?.headers ?? {})));
    assert.equal((await list()).length, 1);
  });

  test('end one at a time', async () => {
    const [first, second, third] = await createSessions(3);
    const ended = await end(first?.headers ?? {}, second?.id);
    assert.deepEqual(ended.body?.data, { ended: 1 }, ended.text);
    assert.ok(await isOpen(server, first?.headers ?? {}));
    assert.ok(!(await isOpen(server, second?.headers ?? {})));
    assert.ok(await isOpen(server, third?.headers ?? {}));
    assertProblem(await end(first?.headers ?? {}, second?.id), 'not_found');
    const [event] = (await readEvents(server, server.tenant.key, 'session.ended')).slice(-1);
    assert.equal(event.targetId, member.userId);
    assert.deepEqual(event.diff, { sessions: 1, sessionId: second?.id });
  });

  test('end all but the current one, and none in another tenant', async () => {
    const [first, second, third] = await createSessions(3);
    const other = await server.createTenant('spared');
    await addMembership(server, other.id, member.email);
    const there = sessionOf(server, await signIn(server, { ...member, tenant: other.slug }));
    assert.deepEqual((await end(second?.headers ?? {})).body?.data, { ended: 2 });
    assert.ok(!(await isOpen(server, first?.headers ?? {})));
    assert.ok(await isOpen(server, second?.headers ?? {}));
    assert.ok(!(await isOpen(server, third?.headers ?? {})));
    assert.ok(await isOpen(server, there));
    const events = (await readEvents(server, server.tenant.key, 'session.ended')).length;
    assert.deepEqual((await end(second?.headers ?? {})).body?.data, { ended: 0 });
    assert.equal((await readEvents(server, server.tenant.key, 'session.ended')).length, events);
  });

  test('end with a sign-out, whose token is good for nothing any more', async () => {
    const [first, second] = await createSessions(2);
    const response = await server.request('POST', '/v1/auth/sign-out', { headers: first?.headers ?? {} });
    assert.deepEqual(response.body?.data, { status: 'signed_out' }, response.text);
    assert.deepEqual(readCookies(response).get('svc_session'), {
      value: '',
      attributes: ['Path=/', 'HttpOnly', 'SameSite=Lax', 'Max-Age=0'],
    });
    for (const path of ['/v1/me', '/v1/users', '/v1/audit'])
      assertProblem(await server.request('GET', path, { headers: first?.headers ?? {} }), 'unauthenticated');
    assertProblem(
      await server.request('POST', '/v1/auth/sign-out', { headers: first?.headers ?? {} }),
      'unauthenticated',
    );
    assert.ok(await isOpen(server, second?.headers ?? {}));
    const [event] = (await readEvents(server, server.tenant.key, 'session.ended')).slice(-1);
    assert.deepEqual(event.diff, { sessionId: first?.id });
    assert.equal(event.actorId, member.userId);
  });

  test('end in a tenant with the membership there, and live on in another', async () => {
    const person = await server.createMember({ role: 'auditor' });
    const other = await server.createTenant('lives');
    await addMembership(server, other.id, person.email);
    const there = sessionOf(server, await signIn(server, { ...person, tenant: other.slug }));
    const edit = (active: boolean) => server.request('PATCH', `/v1/users/${person.userId}`, { body: { active } });
    assert.equal((await edit(false)).status, 200);
    assert.ok(!(await isOpen(server, person.session)));
    assert.ok(await isOpen(server, there));
    assert.equal((await edit(true)).status, 200);
    assert.ok(!(await isOpen(server, person.session)), 'it does not come back with the membership');
    assert.equal((await server.request('DELETE', `/v1/users/${person.userId}`)).status, 200);
    assert.ok(await isOpen(server, there));
  });

  test('allow what the role allows at the moment of each request', async () => {
    const person = await server.createMember({ role: 'auditor' });
    const statusOf = async () => (await server.request('GET', '/v1/audit', { headers: person.session })).status;
    const give = (role: string) => server.request('PATCH', `/v1/users/${person.userId}`, { body: { role } });
    assert.equal(await statusOf(), 200);
    assert.equal((await give('cs_agent')).status, 200);
    const refused = await server.request('GET', '/v1/audit', { headers: person.session });
    assertProblem(refused, 'insufficient_scope');
    assert.match(refused.body.error.message, /Your role lacks the scope audit:read/);
    assert.equal((await give('dpo')).status, 200);
    assert.equal(await statusOf(), 200);
    const { body } = await server.request('GET', '/v1/me', { headers: person.session });
    assert.equal(body.data.user.role, 'dpo');
    assert.ok(body.data.scopes.includes('consent:write') && !body.data.scopes.includes('users:write'));
  });

  test('name every tenant that the user can sign in to, and no other', async () => {
    const person = await server.createMember();
    const [open, waiting, suspended] = [
      await server.createTenant('open'),
      await server.createTenant('waiting'),
      await server.createTenant('suspended'),
    ];
    await addMembership(server, open.id, person.email);
    await addMembership(server, waiting.id, person.email, { isAccepted: false });
    await addMembership(server, suspended.id, person.email, { isActivated: false });
    const { body } = await server.request('GET', '/v1/me', { headers: person.session });
    assert.deepEqual(
      body.data.memberships.map(({ tenantSlug }: { readonly tenantSlug: string }) => tenantSlug).sort(),
      ['first', open.slug],
    );
  });

  test('act on the user in the tenant of the session, and reject another one in a header', async () => {
    const role = 'dpco_principal';
    const person = await server.createMember({ role });
    const other = await server.createTenant('portfolio');
    await addMembership(server, other.id, person.email, { role });
    const headers = { ...person.session, 'Svc-Tenant': other.slug };
    assert.equal((await server.request('GET', '/v1/audit', { headers })).status, 200);
    for (const [method, path] of [
      ['GET', '/v1/me'],
      ['DELETE', '/v1/me/sessions'],
      ['POST', '/v1/auth/sign-out'],
    ] as const)
      assertProblem(await server.request(method, path, { headers }), 'tenant_not_allowed');
    assert.ok(await isOpen(server, person.session));
    assert.ok(await isOpen(server, { ...person.session, 'Svc-Tenant': 'first' }));
  });
});
