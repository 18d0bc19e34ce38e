import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import { changePeople, readAudit, readState } from './membership-helpers.ts';

describeServer('a data protection officer of the platform', (server) => {
  /** A platform member of two tenants, signed in to the first. */
  const createScene = async () => {
    const tenants = [await createFreshTenant(server), await createFreshTenant(server)] as const;
    const email = `dpco-${randomUUID()}@example.com`;
    const role = 'dpco_principal';
    const officer = await server.createMember({ tenantId: tenants[0].id, email, role });
    await server.createMember({ tenantId: tenants[1].id, email, role });
    const ask = (tenant: string, path = '/v1/users', method = 'GET', body?: unknown) =>
      server.request(method, path, {
        headers: { ...officer.session, 'Svc-Tenant': tenant },
        ...(body !== undefined && { body }),
      });
    return { tenants, officer, ask };
  };

  test('reads every tenant of the portfolio, by id or slug', async () => {
    const { tenants, officer, ask } = await createScene();
    const colleague = await server.createMember({ tenantId: tenants[1].id });
    for (const name of [tenants[1].id, tenants[1].slug]) {
      const { items } = payload(await ask(name), 200);
      const ids = items.map(({ id }: { id: string }) => id).sort();
      assert.deepEqual(ids, [officer.userId, colleague.userId].sort());
    }
    assert.equal(payload(await ask(tenants[0].slug), 200).items.length, 1);
    for (const path of ['/v1/audit', '/v1/consent', `/v1/users/${colleague.userId}`])
      assert.equal((await ask(tenants[1].slug, path)).status, 200);
  });

  test('names no tenant outside of the portfolio, nor one with another role there', async () => {
    const { officer, ask } = await createScene();
    const [foreign, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    await server.createMember({ tenantId: other.id, email: officer.email, role: 'admin' });
    for (const name of [foreign.id, foreign.slug, other.id, 'unknown', ''])
      assertProblem(await ask(name), '403 tenant_not_allowed');
  });

  test('loses a tenant in the moment of being suspended there, and only that one', async () => {
    const { tenants, officer, ask } = await createScene();
    const [home, away] = tenants;
    await changePeople(server, away.id, [officer.userId], { isActivated: false });
    assertProblem(await ask(away.id), '403 tenant_not_allowed');
    assert.equal((await ask(home.id)).status, 200);
    await changePeople(server, away.id, [officer.userId], { isActivated: true });
    assert.equal((await ask(away.id)).status, 200);
    await changePeople(server, away.id, [officer.userId], { role: 'auditor' });
    assertProblem(await ask(away.id), '403 tenant_not_allowed');
    await changePeople(server, home.id, [officer.userId], { isDeleted: true });
    assertProblem(await ask(home.id), '401 unauthenticated');
  });

  test('is staff in the audit log', async () => {
    const { tenants, officer } = await createScene();
    const ended = await server.request('DELETE', '/v1/me/sessions', { headers: officer.session });
    assert.equal(ended.status, 200);
    const signedOut = await server.request('POST', '/v1/auth/sign-out', { headers: officer.session });
    assert.equal(signedOut.status, 200);
    const events = (await readAudit(server, tenants[0].id)).filter(({ module, actorId }) => module && actorId);
    assert.ok(events.length > 0);
    for (const { actorType, actorId, actorEmail } of events)
      assert.deepEqual([actorType, actorId, actorEmail], ['staff', officer.userId, officer.email]);
    const listed = await server.request('GET', '/v1/audit?actor=staff', { key: tenants[0].key });
    assert.equal(listed.body.data.items.length, events.length);
  });

  test('is one whom only the operator makes', async () => {
    const { tenants, officer } = await createScene();
    const admin = await server.createMember({ tenantId: tenants[0].id });
    const { items } = payload(
      await server.request('GET', '/v1/users?role=dpco_principal', { headers: admin.session }),
      200,
    );
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      [officer.userId],
    );
    const invited = await server.request('POST', '/v1/users/invitations', {
      headers: admin.session,
      body: { email: 'other@example.com', role: 'dpco_principal' },
    });
    assertProblem(invited, '422 validation_failed', ['body.role']);
  });

  test('gets nothing from a tenant: no invitation, no other role, no way back', async () => {
    const { tenants, officer } = await createScene();
    const admin = await server.createMember({ tenantId: tenants[0].id });
    const path = `/v1/users/${officer.userId}`;
    const send = (method: string, to: string, body?: unknown) =>
      server.request(method, to, { headers: admin.session, ...(body !== undefined && { body }) });
    for (const status of ['active', 'suspended']) {
      const before = await readState(server);
      for (const body of [{ role: 'admin' }, { role: 'dpo', active: true }, { active: true }])
        assertProblem(await send('PATCH', path, body), '403 forbidden');
      assert.equal(await readState(server), before);
      if (status === 'suspended') continue;
      const { email } = officer;
      assertProblem(await send('POST', '/v1/users/invitations', { email }), '403 forbidden');
      assertProblem(await send('POST', '/v1/users/invitations', { email, role: 'auditor' }), '409 conflict');
      assert.equal(await readState(server), before);
      payload(await send('PATCH', path, { active: false }), 200);
    }
  });

  test('can be cut off by a tenant: sessions ended, suspended, removed', async () => {
    const { tenants, officer, ask } = await createScene();
    const admin = await server.createMember({ tenantId: tenants[0].id });
    const path = `/v1/users/${officer.userId}`;
    const send = (method: string, to: string, body?: unknown) =>
      server.request(method, to, { headers: admin.session, ...(body !== undefined && { body }) });
    assert.deepEqual(payload(await send('DELETE', `${path}/sessions`), 200), { ended: 1 });
    assertProblem(await ask(tenants[0].id), '401 unauthenticated');
    assert.equal(payload(await send('PATCH', path, { active: false }), 200).status, 'suspended');
    assert.equal(payload(await send('DELETE', path), 200).status, 'deleted');
  });
});
