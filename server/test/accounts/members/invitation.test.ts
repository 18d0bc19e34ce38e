import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createUser } from '../../../accounts/members/invitations.ts';
import { scopes } from '../../../http/roles.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { assertProblem, createFreshTenant, describeServer, payload, readPages } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { accept, goodPassword, invite, sendInvitation } from './invitation-helpers.ts';
import { addPerson, changePeople, readState, watch } from './membership-helpers.ts';

const newEmail = () => `invited-${randomUUID()}@example.com`;
const week = 7 * 24 * 60 * 60 * 1000;

describeServer('an invitation', (server) => {
  const list = async ({ key }: TestTenant) =>
    payload(await server.request('GET', '/v1/users/invitations?limit=100', { key }), 200).items;
  const statuses = async (tenant: TestTenant) =>
    (await list(tenant)).map(({ status }: { status: string }) => status).reverse();

  test('is created by an administrator, who reads its token once', async () => {
    const tenant = await createFreshTenant(server);
    const admin = await server.createMember({ tenantId: tenant.id });
    const email = newEmail();
    const { result, events, webhooks } = await watch(server, tenant.id, () =>
      sendInvitation(server, { email: ` ${email.toUpperCase()} `, role: 'dpo' }, { headers: admin.session }),
    );
    const { token, ...invitation } = payload(result);
    assert.match(token, /^svc_invitation_[0-9A-Za-z]{38}$/);
    assert.deepEqual(invitation, {
      id: invitation.id,
      email,
      role: 'dpo',
      status: 'pending',
      createdAt: server.clock.now(),
      expiresAt: new Date(server.clock.milliseconds() + week).toISOString(),
      acceptedAt: null,
      revokedAt: null,
    });
    assert.deepEqual(await list(tenant), [invitation]);
    const [event, ...more] = events;
    assert.deepEqual([more, webhooks], [[], []]);
    assert.deepEqual(
      [event.module, event.action, event.actorId, event.targetId, event.targetRef, event.diff.role],
      ['identity', 'invitation.created', admin.userId, invitation.id, email, 'dpo'],
    );
    assert.equal(payload(await server.request('GET', '/v1/users', { key: tenant.key }), 200).items.length, 1);
  });

  test('has its token in no table, also where a retry must get it again', async () => {
    const tenant = await createFreshTenant(server);
    const body = { email: newEmail(), role: 'auditor' };
    const options = { key: tenant.key, headers: { 'Idempotency-Key': randomUUID() } };
    const first = await sendInvitation(server, body, options);
    const { token } = payload(first);
    const { result: again, events } = await watch(server, tenant.id, () => sendInvitation(server, body, options));
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual([again.text, events], [first.text, []]);
    for (const text of [token, token.slice(15), token.slice(20, 40)]) {
      assert.ok(!(await readState(server)).includes(text));
    }
    for (const path of ['/v1/users/invitations', '/v1/audit'])
      assert.ok(!(await server.request('GET', path, { key: tenant.key })).text.includes(token.slice(20, 40)));
    assertProblem(await sendInvitation(server, { ...body, email: newEmail() }, options), '422 idempotency_key_reused');
    payload(await accept(server, token), 200);
  });

  test('has the default role of the tenant when the request names none', async () => {
    const tenant = await createFreshTenant(server);
    const { key } = tenant;
    assert.equal(payload(await sendInvitation(server, { email: newEmail() }, { key })).role, 'cs_agent');
  });

  test('ends the one before it', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const first = await invite(server, tenant, email);
    const { result: second, actions } = await watch(server, tenant.id, () =>
      invite(server, tenant, email.toUpperCase(), 'engineer'),
    );
    assert.deepEqual(actions, ['invitation.revoked', 'invitation.created']);
    assert.deepEqual(await statuses(tenant), ['revoked', 'pending']);
    assertProblem(await accept(server, first.token), '404 not_found');
    payload(await accept(server, second.token), 200);
    assert.deepEqual(await statuses(tenant), ['revoked', 'accepted']);
  });

  test('leaves those of others and of other tenants open', async () => {
    const [tenant, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    const email = newEmail();
    const open = [await invite(server, tenant, newEmail()), await invite(server, other, email)];
    await invite(server, tenant, email);
    for (const { token } of open) payload(await accept(server, token), 200);
  });

  test('can be revoked while it is open, and stays as it is afterwards', async () => {
    const tenant = await createFreshTenant(server);
    const [open, taken] = [await invite(server, tenant, newEmail()), await invite(server, tenant, newEmail())];
    payload(await accept(server, taken.token), 200);
    const revoke = (id: string) => server.request('DELETE', `/v1/users/invitations/${id}`, { key: tenant.key });
    const { result, events } = await watch(server, tenant.id, () => revoke(open.id));
    const { status, revokedAt } = payload(result, 200);
    assert.deepEqual([status, revokedAt], ['revoked', server.clock.now()]);
    assert.deepEqual(
      events.map(({ action, targetId }) => [action, targetId]),
      [['invitation.revoked', open.id]],
    );
    server.clock.advance(1000);
    const before = await readState(server);
    assert.deepEqual(payload(await revoke(open.id), 200), payload(result, 200));
    assert.equal(payload(await revoke(taken.id), 200).status, 'accepted');
    assertProblem(await revoke(randomUUID()), '404 not_found');
    assertProblem(await accept(server, open.token), '404 not_found');
    assert.equal(await readState(server), before);
  });

  test('is good for a week, to the millisecond', async () => {
    const tenant = await createFreshTenant(server);
    const [first, second] = [await invite(server, tenant, newEmail()), await invite(server, tenant, newEmail())];
    server.clock.advance(week - 1);
    payload(await accept(server, first.token), 200);
    server.clock.advance(1);
    assertProblem(await accept(server, second.token), '404 not_found');
    assert.deepEqual(await statuses(tenant), ['accepted', 'expired']);
    const path = `/v1/users/invitations/${second.id}`;
    const revoked = await server.request('DELETE', path, { key: tenant.key });
    assert.equal(payload(revoked, 200).status, 'expired');
  });

  test('is listed page by page, newest first', async () => {
    const tenant = await createFreshTenant(server);
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) ids.unshift((await invite(server, tenant, newEmail())).id);
    for (const limit of [1, 3, 7, 50]) {
      const pages = await readPages<{ id: string }>(server, '/v1/users/invitations', limit, { key: tenant.key });
      assert.deepEqual(
        pages.flat().map(({ id }) => id),
        ids,
      );
    }
    const { nextCursor } = payload(
      await server.request('GET', '/v1/users/invitations?limit=1', { key: tenant.key }),
      200,
    );
    const foreign = await server.request('GET', `/v1/users/invitations?cursor=${nextCursor}`);
    assertProblem(foreign, '400 invalid_cursor');
  });

  test('is not for a suspended member, nor for one with another role', async () => {
    const tenant = await createFreshTenant(server);
    const { key } = tenant;
    const email = newEmail();
    const member = await addPerson(server, tenant.id, { email, role: 'engineer' });
    const before = await readState(server);
    assertProblem(await sendInvitation(server, { email, role: 'admin' }, { key }), '409 conflict');
    assert.equal(await readState(server), before);
    assert.equal(payload(await sendInvitation(server, { email }, { key })).role, 'engineer');
    for (const change of [{ isActivated: false }, { isActivated: true, isAssigned: false }]) {
      await changePeople(server, tenant.id, [member?.userId as string], change);
      assertProblem(await sendInvitation(server, { email, role: 'engineer' }, { key }), '409 conflict');
    }
  });

  test('ends when the member whom it was for is removed', async () => {
    const tenant = await createFreshTenant(server);
    const [email, other] = [newEmail(), newEmail()];
    const member = await addPerson(server, tenant.id, { email });
    await addPerson(server, tenant.id, { email: other });
    const [theirs, open] = [await invite(server, tenant, email), await invite(server, tenant, other)];
    const { actions } = await watch(server, tenant.id, () =>
      changePeople(server, tenant.id, [member?.userId as string], { isDeleted: true }),
    );
    assert.deepEqual(actions, ['user.deprovisioned', 'invitation.revoked']);
    assertProblem(await accept(server, theirs.token), '404 not_found');
    payload(await accept(server, open.token), 200);
    // A former member is invited again.
    payload(await accept(server, (await invite(server, tenant, email)).token), 200);
    const user = await server.request('GET', `/v1/users/${member?.userId}`, { key: tenant.key });
    assert.deepEqual([payload(user, 200).status, user.body.data.canSignIn], ['active', true]);
  });

  test('rejects a role with scopes that the inviter lacks', async () => {
    const tenant = await createFreshTenant(server);
    const key = await server.createKey(tenant.id, [
      'users:write',
      'consent:read',
      'dsr:read',
      'dsr:write',
      'members:read',
    ]);
    const admin = await server.createMember({ tenantId: tenant.id });
    const reader = await server.createKey(
      tenant.id,
      scopes.filter((scope) => scope !== 'users:write'),
    );
    const before = await readState(server);
    for (const role of ['admin', 'dpo', 'engineer', 'auditor'])
      assertProblem(await sendInvitation(server, { email: newEmail(), role }, { key }), '403 forbidden');
    // An invitation of a member gives them a new password: that, too, is not for less.
    assertProblem(await sendInvitation(server, { email: admin.email }, { key }), '403 forbidden');
    const refused = await sendInvitation(server, { email: newEmail(), role: 'auditor' }, { key: reader });
    assertProblem(refused, '403 insufficient_scope');
    assert.equal(await readState(server), before);
    payload(await sendInvitation(server, { email: newEmail(), role: 'cs_agent' }, { key }));
  });

  test('is revoked only by a caller with every scope of its role', async () => {
    const [tenant, home] = [await createFreshTenant(server), await createFreshTenant(server)];
    const { email } = await server.createMember({ tenantId: home.id });
    const { database, clock, passwords } = server.installation;
    const wanted = { email, role: 'platform_admin', passwordHash: await passwords.hash(goodPassword) } as const;
    await runTransaction(database, clock(), (tx) => createUser(tx, systemSource(tenant.id), wanted));
    const [ofStaff] = await list(tenant);
    const ofAdmin = await invite(server, tenant, newEmail(), 'admin');
    const address = newEmail();
    await invite(server, tenant, address, 'engineer');
    const narrow = await server.createKey(tenant.id, [
      'users:write',
      'consent:read',
      'dsr:read',
      'dsr:write',
      'members:read',
    ]);
    const revoke = (id: string, key: string) => server.request('DELETE', `/v1/users/invitations/${id}`, { key });
    const before = await readState(server);
    for (const key of [tenant.key, narrow]) assertProblem(await revoke(ofStaff.id, key), '403 forbidden');
    assertProblem(await revoke(ofAdmin.id, narrow), '403 forbidden');
    // A new invitation of an address revokes the earlier one.
    assertProblem(await sendInvitation(server, { email: address, role: 'cs_agent' }, { key: narrow }), '403 forbidden');
    assert.equal(await readState(server), before);
    payload(await revoke(ofAdmin.id, tenant.key), 200);
    payload(await sendInvitation(server, { email: address, role: 'cs_agent' }, { key: tenant.key }));
  });

  test('needs an address that can be one, and a role that there is', async () => {
    const { key } = server.tenant;
    for (const email of ['', 'unknown', 'a@b', '@example.com', 'a b@example.com', 5, null])
      assertProblem(await sendInvitation(server, { email }, { key }), '422 validation_failed', ['body.email']);
    for (const role of ['dpco_principal', 'platform_admin', 'owner', null])
      assertProblem(await sendInvitation(server, { email: newEmail(), role }, { key }), '422 validation_failed', [
        'body.role',
      ]);
  });
});
