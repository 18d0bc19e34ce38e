import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { findOneTimeToken, spendOneTimeToken } from '../../../accounts/sign-in/one-time-token-store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import type { TestMember } from '../../harness.ts';
import { assertIntact } from '../keys/keys.ts';
import { accept, goodPassword, invite } from '../members/invitation-helpers.ts';
import { addPerson, changePeople, isSignedIn, readState, signIn, watch } from '../members/membership-helpers.ts';
import { createEnrolledMember } from '../mfa/authenticator.ts';

const day = 24 * 60 * 60_000;
const otherPassword = 'seven slow trains at noon';

describeServer('resetting a forgotten password', (server) => {
  const create = async (key: string, { userId }: Pick<TestMember, 'userId'>) =>
    payload(await server.request('POST', `/v1/users/${userId}/password-reset`, { key }), 201) as {
      readonly token: string;
      readonly expiresAt: string;
    };
  const reset = (token: unknown, password: unknown = goodPassword) =>
    server.request('POST', '/v1/auth/password-reset', { key: null, body: { token, password } });
  const start = async () => {
    const tenant = await createFreshTenant(server);
    const member = await server.createMember({ tenantId: tenant.id, role: 'engineer' });
    return { tenant, member };
  };

  test('sets the password, ends every session and is recorded without the token', async () => {
    const { tenant, member } = await start();
    const { result, events } = await watch(server, tenant.id, async () => {
      const { token, expiresAt } = await create(tenant.key, member);
      assert.equal(Date.parse(expiresAt) - server.clock.milliseconds(), day);
      assert.equal(await isSignedIn(server, member.session), true, 'until the link is used, nothing changes');
      assert.deepEqual(payload(await reset(token), 200), { email: member.email });
      return token;
    });
    assert.equal(await isSignedIn(server, member.session), false);
    assertProblem(await signIn(server, member.email, member.password), '401 invalid_credentials');
    assert.equal(payload(await signIn(server, member.email, goodPassword), 200).status, 'signed_in');
    assert.deepEqual(
      events.map(({ action, actorType, targetId, reason }) => [action, actorType, targetId, reason]),
      [
        ['account.password_reset_created', 'api_key', member.userId, null],
        ['account.password_changed', 'user', member.userId, 'Reset with a link'],
      ],
    );
    assert.ok(!JSON.stringify(events).includes(result) && !(await readState(server)).includes(result));
    await assertIntact(server);
  });

  test('works once, with the latest link, within a day, and not after another change of the password', async () => {
    const { tenant, member } = await start();
    const over = async (token: string) => {
      const before = await readState(server);
      assertProblem(await reset(token, otherPassword), '404 not_found');
      assert.equal(await readState(server), before);
    };
    const first = await create(tenant.key, member);
    const second = await create(tenant.key, member);
    await over(first.token);
    const answers = await Promise.all([reset(second.token), reset(second.token, otherPassword)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
    await over(second.token);
    const third = await create(tenant.key, member);
    server.clock.advance(day);
    await over(third.token);
    const fourth = await create(tenant.key, member);
    const { token } = await invite(server, tenant, member.email, 'engineer');
    payload(await accept(server, token), 200);
    await over(fourth.token);
    for (const text of ['', 'nonsense', `${fourth.token}0`, token]) {
      const { status } = await reset(text);
      assert.equal(status, text === '' ? 422 : 404);
    }
  });

  test('is spent once by two requests that both found it', async () => {
    const { tenant, member } = await start();
    const { token } = await create(tenant.key, member);
    const { database } = server.installation;
    const now = server.clock.now();
    const link = await findOneTimeToken(database, 'password_reset', token, now);
    assert.ok(link);
    const spend = () => runTransaction(database, now, (tx) => spendOneTimeToken(tx, link));
    assert.deepEqual([await spend(), await spend()], [true, false]);
  });

  test('rejects a weak password and lets the user try another with the same link', async () => {
    const { tenant, member } = await start();
    const { token } = await create(tenant.key, member);
    assertProblem(await reset(token, 'too short'), '422 validation_failed', ['body.password']);
    payload(await reset(token), 200);
  });

  test('keeps the second factor', async () => {
    const tenant = await createFreshTenant(server);
    const member = await createEnrolledMember(server, { tenantId: tenant.id });
    payload(await reset((await create(tenant.key, member)).token), 200);
    assert.equal(payload(await signIn(server, member.email, goodPassword), 200).status, 'mfa_required');
  });

  test('is for members whose account no other tenant relies on, then and when the link is used', async () => {
    const { tenant, member } = await start();
    const other = await createFreshTenant(server);
    const { token } = await create(tenant.key, member);
    const invitation = await invite(server, other, member.email);
    payload(await accept(server, invitation.token, member.password), 200);
    assertProblem(await reset(token), '404 not_found');
    const path = `/v1/users/${member.userId}/password-reset`;
    for (const { key } of [tenant, other]) assertProblem(await server.request('POST', path, { key }), '409 conflict');
    assert.equal(payload(await signIn(server, member.email, member.password), 200).status, 'signed_in');
    const stranger = await createFreshTenant(server);
    assertProblem(await server.request('POST', path, { key: stranger.key }), '404 not_found');
  });

  test('is not for members who cannot sign in, oneself, or members with more rights', async () => {
    const { tenant, member } = await start();
    const post = (userId: string, options: object = {}) =>
      server.request('POST', `/v1/users/${userId}/password-reset`, { key: tenant.key, ...options });
    const invited = await addPerson(server, tenant.id, { email: `invited-${randomUUID()}@example.com` });
    const admin = await server.createMember({ tenantId: tenant.id });
    assertProblem(await post(invited?.userId ?? ''), '409 conflict');
    assertProblem(await post(admin.userId, { headers: admin.session }), '409 conflict');
    const weak = await server.createKey(tenant.id, ['users:write']);
    assertProblem(await post(member.userId, { key: weak }), '403 forbidden');
    const { token } = await create(tenant.key, member);
    await changePeople(server, tenant.id, [member.userId], { isActivated: false });
    assertProblem(await post(member.userId), '409 conflict');
    assertProblem(await reset(token), '404 not_found');
  });
});
