import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import { assertIntact } from '../keys/keys.ts';
import { createEnrolledMember, startEnrolment, startSignIn } from '../mfa/authenticator.ts';
import { addPerson, changePeople, isSignedIn, readState, signIn, watch } from './membership-helpers.ts';

describeServer('the reset of a second factor by an administrator', (server) => {
  const createScene = async () => {
    const tenant = await createFreshTenant(server);
    const member = await createEnrolledMember(server, { tenantId: tenant.id, role: 'auditor' });
    const admin = await server.createMember({ tenantId: tenant.id });
    return { tenant, member, admin };
  };
  const reset = (id: string, headers: Readonly<Record<string, string>>) =>
    server.request('DELETE', `/v1/users/${id}/mfa`, { headers });

  test('allows sign-in with only the password, and ends open sessions', async () => {
    const { tenant, member, admin } = await createScene();
    const challengeId = await startSignIn(server, member);
    const read = async () =>
      payload(await server.request('GET', `/v1/users/${member.userId}`, { key: tenant.key }), 200).mfaEnabled;
    assert.equal(await read(), true);
    const { result, events, webhooks } = await watch(server, tenant.id, () => reset(member.userId, admin.session));
    assert.equal(payload(result, 200).mfaEnabled, false);
    assert.equal(await read(), false);
    const [event, ...more] = events;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event.module, event.action, event.actorId, event.actorEmail, event.targetId, event.targetRef],
      ['mfa', 'mfa.reset', admin.userId, admin.email, member.userId, member.email],
    );
    assert.deepEqual(
      webhooks.map(({ type, data }) => [type, data]),
      [['mfa.disabled', { userId: member.userId, email: member.email }]],
    );
    assert.equal(await isSignedIn(server, member.session), false);
    const late = await server.request('POST', '/v1/auth/challenge', {
      key: null,
      body: { challengeId, code: member.backupCodes[0] },
    });
    assertProblem(late, '401 invalid_challenge');
    assert.equal(payload(await signIn(server, member.email, member.password), 200).status, 'signed_in');
    await assertIntact(server);
  });

  test('is rejected when there is none', async () => {
    const { tenant, admin } = await createScene();
    const plain = await server.createMember({ tenantId: tenant.id });
    const before = await readState(server);
    assertProblem(await reset(plain.userId, admin.session), '409 conflict');
    assert.equal(await readState(server), before);
  });

  test('cancels a pending enrolment, without a webhook', async () => {
    const { tenant, admin } = await createScene();
    const plain = await server.createMember({ tenantId: tenant.id });
    await startEnrolment(server, plain);
    const { result, actions, webhooks } = await watch(server, tenant.id, () => reset(plain.userId, admin.session));
    assert.deepEqual([result.status, actions, webhooks], [200, ['mfa.reset'], []]);
  });

  test('is rejected for a user who ever signed in to another tenant', async () => {
    const { member, admin } = await createScene();
    const other = await createFreshTenant(server);
    await server.createMember({ tenantId: other.id, email: member.email });
    for (const _ of ['member there', 'removed there']) {
      const before = await readState(server);
      assertProblem(await reset(member.userId, admin.session), '409 conflict');
      assert.equal(await readState(server), before);
      await changePeople(server, other.id, [member.userId], { isDeleted: true });
    }
  });

  test('is hidden from a tenant whose invitation the user did not accept', async () => {
    const { tenant, member, admin } = await createScene();
    const other = await createFreshTenant(server);
    await addPerson(server, other.id, { email: member.email });
    const look = async (key: string) => {
      const one = payload(await server.request('GET', `/v1/users/${member.userId}`, { key }), 200);
      const { items } = payload(await server.request('GET', '/v1/users', { key }), 200);
      const listed = items.find(({ id }: { readonly id: string }) => id === member.userId);
      return [one.mfaEnabled, listed.mfaEnabled];
    };
    assert.deepEqual(
      [await look(tenant.key), await look(other.key)],
      [
        [true, true],
        [false, false],
      ],
    );
    const { result, events, webhooks } = await watch(server, other.id, () => reset(member.userId, admin.session));
    assert.equal(result.status, 200);
    assert.deepEqual([events, webhooks], [[], []]);
    assertProblem(await server.request('DELETE', `/v1/users/${member.userId}/mfa`, { key: other.key }), '409 conflict');
    await assertIntact(server);
  });

  test('of a platform member can be reset only by the operator', async () => {
    const tenant = await createFreshTenant(server);
    const officer = await createEnrolledMember(server, { tenantId: tenant.id, role: 'dpco_principal' });
    const admin = await server.createMember({ tenantId: tenant.id });
    const before = await readState(server);
    assertProblem(await reset(officer.userId, admin.session), '403 forbidden');
    assert.equal(await readState(server), before);
  });
});
