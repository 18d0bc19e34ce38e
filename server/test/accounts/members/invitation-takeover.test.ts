import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { updatePassword } from '../../../accounts/members/account-store.ts';
import { createUser } from '../../../accounts/members/invitations.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { assertIntact } from '../keys/keys.ts';
import { createEnrolledMember, showCode } from '../mfa/authenticator.ts';
import { cookieOf, readCookies, signIn as signInFrom } from '../sign-in/sign-in-requests.ts';
import { accept, goodPassword, invite } from './invitation-helpers.ts';
import { addPerson, changePeople, isSignedIn, readAudit, signIn, watch } from './membership-helpers.ts';

const attackersPassword = 'the attacker knows this one';

describeServer('the account of a user of several tenants', (server) => {
  const createScene = async () => {
    const [attacker, home] = [await createFreshTenant(server), await createFreshTenant(server)];
    return { attacker, home, email: `victim-${randomUUID()}@example.com` };
  };
  /** Makes a user an administrator, as the operator does. */
  const create = async ({ id }: TestTenant, email: string) => {
    const { database, passwords } = server.installation;
    const user = { email, role: 'admin', passwordHash: await passwords.hash(goodPassword) } as const;
    return runTransaction(database, server.clock.now(), (tx) => createUser(tx, systemSource(id), user));
  };
  const readHash = async (email: string) => {
    const users = server.installation.database.kysely.selectFrom('users').select('password_hash');
    return (await users.where('email', '=', email).executeTakeFirst())?.password_hash;
  };

  test('comes to another tenant with the password that it has, which stays', async () => {
    const { attacker: other, home, email } = await createScene();
    const member = await server.createMember({ tenantId: home.id, email });
    const { token } = await invite(server, other, email, 'dpo');
    const hash = await readHash(email);
    const { result, actions } = await watch(server, other.id, () => accept(server, token, member.password));
    payload(result, 200);
    assert.deepEqual(actions, ['invitation.accepted', 'user.provisioned']);
    assert.equal(await readHash(email), hash);
    assert.equal(await isSignedIn(server, member.session), true, 'nothing of the account changed');
    for (const { slug, id } of [home, other]) {
      const { tenant } = payload(await signIn(server, email, member.password, { tenant: slug }), 200);
      assert.equal(tenant.id, id);
    }
  });

  test('is not opened by a tenant that invites it and accepts the invitation itself', async () => {
    const { attacker, home, email } = await createScene();
    const victim = await createEnrolledMember(server, { tenantId: home.id, email });
    const { token } = await invite(server, attacker, email, 'admin');
    const earlier = (await readAudit(server, attacker.id)).length;
    const { events, actions } = await watch(server, home.id, async () => {
      for (const password of [attackersPassword, goodPassword, 'x']) {
        const refused = await accept(server, token, password);
        assertProblem(refused, '401 invalid_credentials');
        assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer/);
      }
    });
    assert.deepEqual(actions, Array(3).fill('session.refused'));
    for (const { actorId, targetId, reason } of events)
      assert.deepEqual([actorId, targetId, reason], [null, victim.userId, 'Wrong password for an invitation']);
    assert.equal((await readAudit(server, attacker.id)).length, earlier, 'the inviting tenant learns nothing of it');
    const { items } = payload(await server.request('GET', '/v1/users/invitations', { key: attacker.key }), 200);
    assert.equal(items[0].status, 'pending');
    assertProblem(await signIn(server, email, attackersPassword), '401 invalid_credentials');
    assert.equal(payload(await signIn(server, email, victim.password), 200).status, 'mfa_required');
    assert.equal(await isSignedIn(server, victim.session), true);
  });

  test('is not opened by a password that was set before its tenant came', async () => {
    const { attacker, home, email } = await createScene();
    const { token } = await invite(server, attacker, email, 'admin');
    payload(await accept(server, token, attackersPassword), 200);
    payload(await signIn(server, email, attackersPassword), 200);
    // The tenant of the person provisions them, as an identity provider does.
    const member = await addPerson(server, home.id, { email, role: 'admin' });
    assertProblem(await signIn(server, email, attackersPassword, { tenant: home.slug }), '401 invalid_credentials');
    const signedIn = payload(await signIn(server, email, attackersPassword), 200);
    assert.equal(signedIn.tenant.id, attacker.id, 'the only tenant that it opens is the one that made it');
    const { items } = payload(await server.request('GET', '/v1/users', { key: home.key }), 200);
    assert.deepEqual([items[0].id, items[0].canSignIn], [member?.userId, false]);
    // Nor does the person get in with a password of their own: the operator must reset the one that is there.
    const theirs = await invite(server, home, email, 'admin');
    assertProblem(await accept(server, theirs.token, goodPassword), '401 invalid_credentials');
  });

  test('cannot be guessed with further invitations: attempts count for the account, and a known device separately', async () => {
    const { attacker, home, email } = await createScene();
    const victim = await server.createMember({ tenantId: home.id, email });
    const device = { Cookie: cookieOf(await signInFrom(server, victim), 'svc_device') };
    for (let failures = 0; failures < 10; failures += 1) {
      const { token } = await invite(server, attacker, email);
      assertProblem(await accept(server, token, `${attackersPassword} ${failures}`), '401 invalid_credentials');
    }
    const { token } = await invite(server, attacker, email);
    assertProblem(await accept(server, token, victim.password), '429 rate_limited');
    assertProblem(await signIn(server, email, victim.password), '429 rate_limited');
    payload(await signInFrom(server, victim, device), 200);
    const body = { token, password: victim.password };
    payload(await server.request('POST', '/v1/auth/invitations/accept', { key: null, body, headers: device }), 200);
  });

  test('allows no further codes with the password: neither a known device nor a reset counter', async () => {
    const { attacker, home, email } = await createScene();
    const victim = await createEnrolledMember(server, { tenantId: home.id, email });
    const right = [-1, 0, 1].map((steps) => showCode(server, victim.secret, steps));
    const wrong = ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) as string;
    let guesses = 0;
    const guess = async (headers: Readonly<Record<string, string>>) => {
      const challenged = await signInFrom(server, victim, headers);
      if (challenged.status === 429) return false;
      const body = { challengeId: payload(challenged, 200).challengeId, code: wrong };
      for (let time = 0; time < 5; time += 1) {
        const answered = await server.request('POST', '/v1/auth/challenge', { key: null, body, headers });
        if (answered.status === 429) return false;
        assertProblem(answered, '403 code_incorrect');
        guesses += 1;
      }
      return true;
    };
    for (let round = 0, admitted = true; admitted && round < 5; round += 1) {
      const { token } = await invite(server, attacker, email);
      const accepted = await accept(server, token, victim.password);
      if (accepted.status === 429) break;
      payload(accepted, 200);
      const device = readCookies(accepted).get('svc_device');
      admitted = await guess(device ? { Cookie: `svc_device=${device.value}` } : {});
    }
    assert.equal(guesses, 10);
    assertProblem(await signInFrom(server, victim), '429 rate_limited');
  });

  test('that has the right password may try in vain as often as it likes', async () => {
    const { attacker: tenant, home, email } = await createScene();
    const member = await server.createMember({ tenantId: home.id, email });
    const { token } = await invite(server, tenant, email, 'auditor');
    await addPerson(server, tenant.id, { email, role: 'dpo' });
    for (let time = 0; time < 11; time += 1) {
      const refused = await accept(server, token, member.password);
      assertProblem(refused, '409 conflict');
      assert.match(refused.body.error.message, /role was changed/);
    }
    payload(await signIn(server, email, member.password), 200);
  });

  test('that is new may send many weak passwords with its invitation before a good one', async () => {
    const { attacker: tenant, email } = await createScene();
    const { token } = await invite(server, tenant, email);
    for (let time = 0; time < 11; time += 1)
      assertProblem(await accept(server, token, 'too short'), '422 validation_failed');
    payload(await accept(server, token, goodPassword), 200);
  });

  test('opens no tenant that the operator adds it to, until the user accepts an invitation with its password', async () => {
    const { attacker: eve, home: acme, email } = await createScene();
    // Eve invites an address that is not hers, and has its password before its owner comes.
    payload(await accept(server, (await invite(server, eve, email, 'admin')).token, attackersPassword), 200);
    const created = await create(acme, email);
    assert.equal(created?.isPasswordSet, false);
    assertProblem(await signIn(server, email, attackersPassword, { tenant: acme.slug }), '401 invalid_credentials');
    const only = payload(await signIn(server, email, attackersPassword), 200);
    assert.deepEqual([only.tenant.id, only.user.role], [eve.id, 'admin']);
    const { items } = payload(await server.request('GET', '/v1/users', { key: acme.key }), 200);
    assert.deepEqual([items[0].id, items[0].canSignIn], [created?.userId, false]);
    // The operator resets the password, and the person comes with the new one.
    const theirs = await server.installation.passwords.hash(goodPassword);
    await runTransaction(server.installation.database, server.clock.now(), async (tx) => {
      await updatePassword(tx, systemSource, created?.userId as string, theirs);
    });
    assertProblem(await accept(server, created?.invitationToken, attackersPassword), '401 invalid_credentials');
    payload(await accept(server, created?.invitationToken, goodPassword), 200);
    assert.equal(payload(await signIn(server, email, goodPassword, { tenant: acme.slug }), 200).user.role, 'admin');
  });

  test('that the operator adds to a tenant needs no invitation when it is new, or comes back to where it was', async () => {
    const { home, email } = await createScene();
    const first = await create(home, email);
    assert.deepEqual([first?.isPasswordSet, first?.invitationToken], [true, null]);
    payload(await signIn(server, email, goodPassword), 200);
    assert.equal(await create(home, email), undefined, 'a member already');
    await changePeople(server, home.id, [first?.userId as string], { isDeleted: true });
    const again = await create(home, email);
    assert.deepEqual(again, { userId: first?.userId, isPasswordSet: false, invitationToken: null });
    payload(await signIn(server, email, goodPassword), 200);
  });

  test('stays protected after the user left its first tenant', async () => {
    const { attacker, home, email } = await createScene();
    const victim = await server.createMember({ tenantId: home.id, email });
    const { token } = await invite(server, attacker, email);
    for (const change of [{ isActivated: false }, { isDeleted: true }] as const) {
      await changePeople(server, home.id, [victim.userId], change);
      assertProblem(await accept(server, token, attackersPassword), '401 invalid_credentials');
    }
    await addPerson(server, home.id, { email, role: 'admin' });
    assertProblem(await signIn(server, email, attackersPassword), '401 invalid_credentials');
    payload(await signIn(server, email, victim.password), 200);
  });

  test('gets no new password by an invitation of one of its tenants', async () => {
    const { attacker, home, email } = await createScene();
    const victim = await server.createMember({ tenantId: home.id, email });
    await server.createMember({ tenantId: attacker.id, email, role: 'auditor' });
    const hash = await readHash(email);
    const { token } = await invite(server, attacker, email);
    assertProblem(await accept(server, token, attackersPassword), '401 invalid_credentials');
    assert.equal(await readHash(email), hash);
    payload(await signIn(server, email, victim.password, { tenant: home.slug }), 200);
  });

  test('is one tenant’s or the other’s, when both take an invitation at once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { attacker, home, email } = await createScene();
      const invitations = [await invite(server, attacker, email), await invite(server, home, email)];
      const passwords = [attackersPassword, goodPassword];
      const answers = await Promise.all(invitations.map(({ token }, index) => accept(server, token, passwords[index])));
      const statuses = answers.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
      assert.ok(
        statuses.every((status) => [200, 401, 409].includes(status)),
        String(statuses),
      );
      const won = statuses.indexOf(200);
      payload(await signIn(server, email, passwords[won] as string), 200);
      assertProblem(await signIn(server, email, passwords[1 - won] as string), '401 invalid_credentials');
    }
    await assertIntact(server);
  });
});
