import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { invite as createInvitation } from '../../../accounts/members/invitations.ts';
import { generateToken } from '../../../installation/token.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import {
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
} from '../../consent/helpers.ts';
import { assertIntact } from '../keys/keys.ts';
import { answer, createEnrolledMember, showCode } from '../mfa/authenticator.ts';
import { cookieOf, failSignIn, readCookies, signIn as signInFrom } from '../sign-in/sign-in-requests.ts';
import { accept, goodPassword, invite } from './invitation-helpers.ts';
import { addPerson, changePeople, isSignedIn, readState, sessionOf, signIn, watch } from './membership-helpers.ts';

const newEmail = () => `invited-${randomUUID()}@example.com`;

describeServer('taking an invitation', (server) => {
  test('makes a new user a member who can sign in with the chosen password', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const { id, token } = await invite(server, tenant, email, 'dpo');
    assertProblem(await signIn(server, email, goodPassword), '401 invalid_credentials');
    server.clock.advance(1000);
    const { result, events, webhooks } = await watch(server, tenant.id, () => accept(server, token));
    assert.deepEqual(payload(result, 200), { email, tenant: { id: tenant.id, slug: tenant.slug, name: tenant.slug } });
    assert.deepEqual([...readCookies(result).keys()], ['svc_device'], 'it opens no session');
    const signedIn = await signIn(server, email, goodPassword);
    const { user } = payload(signedIn, 200);
    assert.deepEqual([user.role, user.status, user.canSignIn], ['dpo', 'active', true]);
    assert.equal(await isSignedIn(server, sessionOf(server, signedIn)), true);
    assert.deepEqual(
      events.map(({ action, actorType, actorId, targetId }) => [action, actorType, actorId, targetId]),
      [
        ['invitation.accepted', 'user', user.id, id],
        ['user.provisioned', 'user', user.id, user.id],
        ['account.password_changed', 'user', user.id, user.id],
      ],
    );
    assert.deepEqual(
      webhooks.map(({ type, data }) => [type, data.userId, data.role]),
      [['user.provisioned', user.id, 'dpo']],
    );
    const { items } = payload(await server.request('GET', '/v1/users/invitations', { key: tenant.key }), 200);
    assert.deepEqual([items[0].status, items[0].acceptedAt], ['accepted', events[0].at]);
    assert.ok(!JSON.stringify(events).includes(token) && !(await readState(server)).includes(goodPassword));
  });

  test('names the tenant and the role to the holder of the token, as long as it is pending', async () => {
    const tenant = await createFreshTenant(server);
    const { token, id, expiresAt } = await invite(server, tenant, newEmail(), 'dpo');
    const preview = (body: object) => server.request('POST', '/v1/auth/invitations/preview', { key: null, body });
    const expected = { tenant: { id: tenant.id, slug: tenant.slug, name: tenant.slug }, role: 'dpo', expiresAt };
    await assertNothingWritten(server, async () => {
      assert.deepEqual(payload(await preview({ token }), 200), expected);
      for (const wrong of [generateToken('svc_invitation_'), `${token}x`, id, tenant.key])
        assertProblem(await preview({ token: wrong }), '404 not_found');
      assertProblem(await preview({}), '422 validation_failed', ['body.token']);
    });
    payload(await accept(server, token), 200);
    assertProblem(await preview({ token }), '404 not_found');
  });

  test('lets a member of the identity provider sign in, and not before', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const member = await addPerson(server, tenant.id, { email, role: 'engineer', givenName: 'Ann' });
    assertProblem(await signIn(server, email, goodPassword), '401 invalid_credentials');
    const { token } = await invite(server, tenant, email, 'engineer');
    const { result, actions, webhooks } = await watch(server, tenant.id, () => accept(server, token));
    payload(result, 200);
    assert.deepEqual(actions, ['invitation.accepted', 'user.updated', 'account.password_changed']);
    assert.deepEqual(webhooks, []);
    const { user } = payload(await signIn(server, email, goodPassword), 200);
    assert.deepEqual([user.id, user.role, user.givenName], [member?.userId, 'engineer', 'Ann']);
  });

  test('is refused when the member got another role in the meantime, be it more or less', async () => {
    for (const [invited, given] of [
      ['admin', 'cs_agent'],
      ['cs_agent', 'admin'],
    ] as const) {
      const tenant = await createFreshTenant(server);
      const email = newEmail();
      const { token } = await invite(server, tenant, email, invited);
      await addPerson(server, tenant.id, { email, role: given });
      const before = await readState(server);
      assertProblem(await accept(server, token), '409 conflict');
      assert.equal(await readState(server), before);
      const renewed = await invite(server, tenant, email, given);
      payload(await accept(server, renewed.token), 200);
      assert.equal(payload(await signIn(server, email, goodPassword), 200).user.role, given);
    }
  });

  test('is not blocked by failures of others, and makes the device known', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const { token } = await invite(server, tenant, email);
    for (let time = 0; time < 10; time += 1)
      assertProblem(await failSignIn(server, { email }), '401 invalid_credentials');
    assertProblem(await failSignIn(server, { email }), '429 rate_limited');
    const accepted = await accept(server, token);
    payload(accepted, 200);
    const device = { Cookie: cookieOf(accepted, 'svc_device') };
    // The new password starts the count again.
    for (let time = 0; time < 10; time += 1)
      assertProblem(await failSignIn(server, { email }), '401 invalid_credentials');
    assertProblem(await signInFrom(server, { email, password: goodPassword }), '429 rate_limited');
    payload(await signInFrom(server, { email, password: goodPassword }, device), 200);
  });

  test('records the state of the account with the change that allows sign-in', async () => {
    const [tenant, home] = [await createFreshTenant(server), await createFreshTenant(server)];
    const member = await createEnrolledMember(server, { tenantId: home.id });
    await addPerson(server, tenant.id, { email: member.email });
    const { token } = await invite(server, tenant, member.email);
    const { events, actions } = await watch(server, tenant.id, () => accept(server, token, member.password));
    assert.deepEqual(actions, ['invitation.accepted', 'user.updated']);
    const { states, before, after } = events[1].diff;
    assert.deepEqual([before, after], [{ isAccepted: false }, { isAccepted: true }]);
    assert.deepEqual(Object.keys(states).sort(), ['account/1', 'mfa/1', 'user/1']);
  });

  test('by a platform member has the actor type staff', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const { database, clock } = server.installation;
    const wanted = { email, role: 'dpco_principal', defaultRole: 'auditor' } as const;
    const { token } = await runTransaction(database, clock(), (tx) =>
      createInvitation(tx, systemSource(tenant.id), wanted),
    );
    const { events } = await watch(server, tenant.id, async () => {
      payload(await accept(server, token), 200);
      payload(await signIn(server, email, goodPassword), 200);
    });
    assert.deepEqual(
      events.map(({ action, actorType }) => [action, actorType]),
      ['invitation.accepted', 'user.provisioned', 'account.password_changed', 'session.created'].map((action) => [
        action,
        'staff',
      ]),
    );
  });

  test('brings a removed member back under the same id', async () => {
    const tenant = await createFreshTenant(server);
    const member = await server.createMember({ tenantId: tenant.id });
    await changePeople(server, tenant.id, [member.userId], { isDeleted: true });
    const { token } = await invite(server, tenant, member.email);
    payload(await accept(server, token), 200);
    assertProblem(await signIn(server, member.email, member.password), '401 invalid_credentials');
    const { user } = payload(await signIn(server, member.email, goodPassword), 200);
    assert.deepEqual([user.id, user.role], [member.userId, 'auditor']);
  });

  test('refuses a weak password and stays open', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const { token } = await invite(server, tenant, email);
    const before = await readState(server);
    for (const password of ['short', 'aaaaaaaaaaaaaaaaaaaa', `${tenant.slug}`, email, 'x'.repeat(300), '']) {
      assertProblem(await accept(server, token, password), '422 validation_failed', ['body.password']);
    }
    assert.equal(await readState(server), before);
    payload(await accept(server, token), 200);
  });

  test('answers alike for tokens that are used, unknown or no tokens, and changes nothing', async () => {
    const tenant = await createFreshTenant(server);
    const { token } = await invite(server, tenant, newEmail());
    payload(await accept(server, token), 200);
    const before = await readState(server);
    const unknown = generateToken('svc_invitation_');
    const messages = new Set<string>();
    for (const text of [token, unknown, `${token}x`, token.slice(0, -1), token.toLowerCase(), 'x', tenant.key]) {
      const response = await accept(server, text);
      assertProblem(response, '404 not_found');
      messages.add(response.body.error.message);
    }
    assert.equal(messages.size, 1);
    assert.equal(await readState(server), before);
    assertProblem(await accept(server, ''), '422 validation_failed', ['body.token']);
  });

  test('succeeds once in concurrent requests', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const { token } = await invite(server, tenant, email);
    const passwords = [1, 2, 3, 4].map((index) => `${goodPassword} ${index}`);
    const { result, actions } = await watch(server, tenant.id, () =>
      Promise.all(passwords.map((password) => accept(server, token, password))),
    );
    const codes = result.map(({ status }) => status).sort();
    assert.deepEqual(codes, [200, 404, 404, 404]);
    assert.deepEqual(actions, ['invitation.accepted', 'user.provisioned', 'account.password_changed']);
    const taken = passwords[result.findIndex(({ status }) => status === 200)];
    for (const password of passwords)
      assert.equal((await signIn(server, email, password)).status, password === taken ? 200 : 401);
  });

  test('is refused while the member is suspended, and good again afterwards', async () => {
    const tenant = await createFreshTenant(server);
    const email = newEmail();
    const member = await addPerson(server, tenant.id, { email });
    const { token } = await invite(server, tenant, email);
    await changePeople(server, tenant.id, [member?.userId as string], { isActivated: false });
    const before = await readState(server);
    assertProblem(await accept(server, token), '409 conflict');
    assert.equal(await readState(server), before);
    await changePeople(server, tenant.id, [member?.userId as string], { isActivated: true });
    payload(await accept(server, token), 200);
    payload(await signIn(server, email, goodPassword), 200);
  });

  test('gives a member a new password: their sessions end, their second factor stays', async () => {
    const tenant = await createFreshTenant(server);
    const member = await createEnrolledMember(server, { tenantId: tenant.id, role: 'auditor' });
    const { token } = await invite(server, tenant, member.email);
    assert.equal(await isSignedIn(server, member.session), true, 'an invitation does nothing until it is accepted');
    // With a second factor on, a shorter password will do.
    const password = 'k3-vw9-q';
    const { result, actions, webhooks } = await watch(server, tenant.id, () => accept(server, token, password));
    payload(result, 200);
    assert.deepEqual([actions, webhooks], [['invitation.accepted', 'account.password_changed'], []]);
    assert.equal(await isSignedIn(server, member.session), false);
    assertProblem(await signIn(server, member.email, member.password), '401 invalid_credentials');
    const asked = payload(await signIn(server, member.email, password), 200);
    assert.equal(asked.status, 'mfa_required');
    payload(await answer(server, asked.challengeId, showCode(server, member.secret)), 200);
  });

  test('leaves every row as the audit log records it', async () => {
    await assertIntact(server);
  });
});
