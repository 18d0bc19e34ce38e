import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeMembers } from '../../../accounts/members/membership.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { assertProblem, createFreshTenant, describeServerOnEachDatabase, payload } from '../../consent/helpers.ts';
import {
  addPerson,
  changePeople,
  isSignedIn,
  readAudit,
  readState,
  sessionOf,
  signIn,
} from '../members/membership-helpers.ts';

const hour = 60 * 60_000;

describeServerOnEachDatabase('switching the tenant within a session', (server) => {
  const start = async () => {
    const [home, away] = [await createFreshTenant(server), await createFreshTenant(server)];
    const member = await server.createMember({ tenantId: home.id, role: 'admin' });
    await server.createMember({ tenantId: away.id, email: member.email, role: 'auditor' });
    return { home, away, member };
  };
  const switchTo = (tenant: unknown, headers: Readonly<Record<string, string>>) =>
    server.request('POST', '/v1/me/tenant', { headers, body: { tenant } });
  const readMe = async (headers: Readonly<Record<string, string>>) =>
    payload(await server.request('GET', '/v1/me', { headers }), 200);

  test('keeps the session with another token and the role there, and reveals neither tenant to the other', async () => {
    const { home, away, member } = await start();
    const before = await readMe(member.session);
    server.clock.advance(1000);
    const [homeCount, awayCount] = [
      (await readAudit(server, home.id)).length,
      (await readAudit(server, away.id)).length,
    ];
    const answer = await switchTo(away.slug, member.session);
    const { tenant, user, session } = payload(answer, 200);
    assert.deepEqual([tenant.id, user.role, session.id], [away.id, 'auditor', before.session.id]);
    assert.equal(session.expiresAt, before.session.expiresAt, 'it does not last longer');
    assert.equal(await isSignedIn(server, member.session), false, 'the earlier token is over');
    const headers = sessionOf(server, answer);
    assert.equal((await readMe(headers)).tenant.id, away.id);
    assertProblem(
      await server.request('PATCH', '/v1/tenant', { headers, body: { name: 'x' } }),
      '403 insufficient_scope',
    );
    const left = (await readAudit(server, home.id)).slice(homeCount);
    const entered = (await readAudit(server, away.id)).slice(awayCount);
    assert.deepEqual(
      [...left, ...entered].map(({ action, actorId, diff }) => [action, actorId, diff]),
      [
        ['session.ended', member.userId, { sessionId: session.id }],
        ['session.created', member.userId, { sessionId: session.id, method: 'tenant_switch' }],
      ],
    );
    assert.ok(!JSON.stringify(left).includes(away.id) && !JSON.stringify(entered).includes(home.id));
    // The next sign-in without a tenant opens the latest one.
    assert.equal(payload(await signIn(server, member.email, member.password), 200).tenant.id, away.id);
    server.clock.advance(25 * hour);
    assert.equal(await isSignedIn(server, headers), false);
  });

  test('is only for tenants that the user can sign in to', async () => {
    const { home, away, member } = await start();
    const [stranger, invited] = [await createFreshTenant(server), await createFreshTenant(server)];
    await addPerson(server, invited.id, { email: member.email });
    await changePeople(server, away.id, [member.userId], { isActivated: false });
    const before = await readState(server);
    for (const tenant of [stranger.id, stranger.slug, invited.slug, away.slug, 'none', '../x'])
      assertProblem(await switchTo(tenant, member.session), '403 tenant_not_allowed');
    assertProblem(await switchTo('', member.session), '422 validation_failed', ['body.tenant']);
    assert.equal(await readState(server), before);
    assert.equal((await readMe(member.session)).tenant.id, home.id);
  });

  test('ends with the membership that it moved to, and not with the earlier one', async () => {
    const { home, away, member } = await start();
    const headers = sessionOf(server, await switchTo(away.id, member.session));
    const remove = (tenantId: string) =>
      runTransaction(server.installation.database, server.clock.now(), (tx) =>
        changeMembers(tx, systemSource(tenantId), [member.userId], { isActivated: false }, 'test'),
      );
    await remove(home.id);
    assert.equal(await isSignedIn(server, headers), true);
    await remove(away.id);
    assert.equal(await isSignedIn(server, headers), false);
  });
});

describeServerOnEachDatabase('a page that shows another user than the session has', (server) => {
  test('gets forbidden for whatever it sends', async () => {
    const [shown, signedIn] = [
      await server.createMember({ role: 'admin' }),
      await server.createMember({ role: 'dpo' }),
    ];
    const ask = (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object, user = shown.userId) =>
      server.request(method, path, { headers: { ...signedIn.session, 'Svc-User': user }, ...(body && { body }) });
    const before = await readState(server);
    for (const user of [shown.userId, '', 'x'.repeat(2000), signedIn.userId.toUpperCase()])
      assertProblem(await ask('PATCH', '/v1/me', { givenName: 'Zoë' }, user), '403 forbidden', ['header.Svc-User']);
    for (const [method, path, body] of [
      ['GET', '/v1/me'],
      ['GET', '/v1/audit'],
      ['POST', '/v1/dsr', { subjectId: 'a', type: 'access' }],
      ['POST', '/v1/me/tenant', { tenant: 'other' }],
    ] as const)
      assertProblem(await ask(method, path, body), '403 forbidden', ['header.Svc-User']);
    assert.equal(await readState(server), before);
    assert.equal((await ask('PATCH', '/v1/me', { givenName: 'Zoë' }, signedIn.userId)).status, 200);
  });
});

describeServerOnEachDatabase('changing your own name', (server) => {
  test('changes it in this tenant only, and is recorded', async () => {
    const [tenant, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    const member = await server.createMember({ tenantId: tenant.id, role: 'cs_agent' });
    await server.createMember({ tenantId: other.id, email: member.email });
    const edit = (body: object) => server.request('PATCH', '/v1/me', { headers: member.session, body });
    const user = payload(await edit({ givenName: ' Zoë ', familyName: 'Smith' }), 200);
    assert.deepEqual([user.displayName, user.email, user.role], ['Zoë Smith', member.email, 'cs_agent']);
    assert.equal(payload(await edit({ familyName: null }), 200).displayName, 'Zoë');
    const event = (await readAudit(server, tenant.id)).at(-1);
    assert.deepEqual([event.action, event.actorId], ['user.updated', member.userId]);
    const there = await server.request('GET', `/v1/users/${member.userId}`, { key: other.key });
    assert.equal(payload(there, 200).displayName, member.email);
    for (const body of [
      { givenName: '' },
      { givenName: 'x'.repeat(201) },
      { familyName: 'a\u202eb' },
      { role: 'admin' },
    ])
      assert.equal((await edit(body)).status, 422);
  });
});
