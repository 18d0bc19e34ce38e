import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import type { TestMember } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { addPerson } from '../members/membership-helpers.ts';
import {
  answer,
  createEnrolledMember,
  readMfa,
  readSession,
  showCode,
  signIn,
  startEnrolment,
  startSignIn,
  verify,
} from './authenticator.ts';
import { readOutbox, readTenantEvents, verifyTenantRows } from './recorded.ts';

const off = { enabled: false, methods: [], backupCodesRemaining: 0 };

describeServer('a second factor that is disabled', (server) => {
  function disable({ session: headers, password }: TestMember) {
    return server.request('DELETE', '/v1/me/mfa/totp', { headers, body: { password } });
  }

  async function readStored(userId: string) {
    const { kysely } = server.installation.database;
    const factor = await kysely
      .selectFrom('second_factors')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return { factor, codes: factor?.codes?.split(' ').length ?? 0 };
  }

  test('is no longer required, and leaves no secret or codes behind', async () => {
    const member = await createEnrolledMember(server);
    const disabled = await disable(member);
    assert.deepEqual([disabled.status, disabled.body], [200, { data: off }]);
    assert.deepEqual(await readMfa(server, readSession(server, disabled)), off);
    const { email, password } = member;
    const signedIn = await server.request('POST', '/v1/auth/sign-in', { key: null, body: { email, password } });
    assert.equal(signedIn.body.data.status, 'signed_in');
    const { factor, codes } = await readStored(member.userId);
    assert.equal(codes, 0);
    assert.ok(factor);
    const { state, secret, codes_salt, last_step } = factor;
    assert.deepEqual(
      { state, secret, codes_salt, last_step },
      { state: 'disabled', secret: null, codes_salt: null, last_step: null },
    );
  });

  test('can be enrolled again, with another secret and other codes', async () => {
    const enrolled = await createEnrolledMember(server);
    const member = { ...enrolled, session: readSession(server, await disable(enrolled)) };
    const again = await startEnrolment(server, member);
    assert.notEqual(again.secret, member.secret);
    assert.equal(again.backupCodes.filter((code) => member.backupCodes.includes(code)).length, 0);
    assertProblem(await verify(server, member, showCode(server, member.secret)), 'code_incorrect');
    const verified = await verify(server, member, showCode(server, again.secret));
    assert.equal((await readMfa(server, readSession(server, verified))).backupCodesRemaining, 10);
    assertProblem(await signIn(server, member, member.backupCodes[0] as string), 'code_incorrect');
    assert.equal((await signIn(server, member, again.backupCodes[0] as string)).status, 200);
  });

  test('ends the other sessions and the sign-ins that wait, in every tenant, and renews the present session', async () => {
    const other = await server.createTenant('other-ends');
    const member = await createEnrolledMember(server);
    const elsewhere = await server.createMember({ tenantId: other.id, email: member.email });
    const second = readSession(server, await signIn(server, member, member.backupCodes[0] as string));
    const challenge = await startSignIn(server, member);
    const disabled = await disable(member);
    assert.equal(disabled.status, 200);
    const renewed = readSession(server, disabled);
    assert.notEqual(renewed.Cookie, member.session.Cookie);
    const sessions = [renewed, member.session, second, elsewhere.session];
    const statuses = sessions.map(async (headers) => (await server.request('GET', '/v1/me', { headers })).status);
    assert.deepEqual(await Promise.all(statuses), [200, 401, 401, 401]);
    assertProblem(await answer(server, challenge, member.backupCodes[1] as string), 'invalid_challenge');
  });

  test('must have been on, or have waited', async () => {
    const member = await server.createMember();
    const before = await readTenantEvents(server, server.tenant.key, member.userId);
    assertProblem(await disable(member), 'conflict');
    await startEnrolment(server, member);
    const dropped = await disable(member);
    assert.equal(dropped.status, 200);
    const refused = await disable({ ...member, session: readSession(server, dropped) });
    assertProblem(refused, 'conflict');
    assert.deepEqual(refused.headers.getSetCookie(), []);
    assert.equal((await readMfa(server, readSession(server, dropped))).enabled, false, 'the session goes on');
    const events = await readTenantEvents(server, server.tenant.key, member.userId);
    assert.equal(events.length, before.length + 2);
    assert.deepEqual(await readOutbox(server, server.tenant.id, member.userId), []);
    await verifyTenantRows(server, server.tenant.id);
  });

  test('needs the password', async () => {
    const member = await createEnrolledMember(server);
    const before = await readStored(member.userId);
    for (const password of [`${member.password}x`, member.password.toUpperCase(), showCode(server, member.secret)])
      assertProblem(await disable({ ...member, password }), 'password_incorrect');
    assert.deepEqual(await readStored(member.userId), before);
    assert.equal((await signIn(server, member, showCode(server, member.secret))).status, 200);
  });

  test('is rejected while the password is too weak without it', async () => {
    const member = await createEnrolledMember(server);
    const short = 'k3-vw9-q';
    const change = (session: TestMember['session'], currentPassword: string, newPassword: string) =>
      server.request('POST', '/v1/auth/password', { headers: session, body: { currentPassword, newPassword } });
    const shortened = readSession(server, await change(member.session, member.password, short));
    const before = await readStored(member.userId);
    const refused = await disable({ ...member, session: shortened, password: short });
    assertProblem(refused, 'conflict');
    assert.deepEqual(refused.headers.getSetCookie(), []);
    assert.deepEqual(await readStored(member.userId), before);
    assert.equal((await readMfa(server, shortened)).enabled, true);
    const lengthened = readSession(server, await change(shortened, short, 'nine blue herons at dawn'));
    const disabled = await disable({ ...member, session: lengthened, password: 'nine blue herons at dawn' });
    assert.equal(disabled.status, 200, disabled.text);
  });

  test('is recorded for every tenant of the user and sent to webhooks', async () => {
    const other = await server.createTenant('other-disabled');
    const member = await createEnrolledMember(server);
    await server.createMember({ tenantId: other.id, email: member.email });
    const lists = await server.createTenant('lists');
    await addPerson(server, lists.id, { email: member.email });
    await disable(member);
    assert.deepEqual(await readTenantEvents(server, lists.key, member.userId), [], 'not to one that only lists them');
    assert.deepEqual(await readOutbox(server, lists.id, member.userId), []);
    for (const { id, key } of [server.tenant, other]) {
      const event = (await readTenantEvents(server, key, member.userId)).at(-1);
      assert.deepEqual(
        [event.action, event.module, event.actorId, event.targetRef, event.reason, event.diff.state],
        ['mfa.disabled', 'mfa', member.userId, member.email, null, { before: 'enabled', after: 'disabled' }],
      );
      const data = { userId: member.userId, email: member.email };
      assert.deepEqual((await readOutbox(server, id, member.userId)).at(-1), { type: 'mfa.disabled', data });
    }
    await verifyTenantRows(server, server.tenant.id, other.id, lists.id);
  });

  test('by two requests at the same time is disabled once', async (context) => {
    const member = await createEnrolledMember(server);
    // The first request ends the session: both must be past its check before either goes on.
    const { passwords } = server.installation;
    const verifyPassword = passwords.verify.bind(passwords);
    const { promise: bothArrived, resolve: release } = Promise.withResolvers<void>();
    let arrived = 0;
    context.mock.method(passwords, 'verify', async (...args: Parameters<typeof verifyPassword>) => {
      arrived += 1;
      if (arrived === 2) release();
      await bothArrived;
      return verifyPassword(...args);
    });
    const answers = await Promise.all([disable(member), disable(member)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.deepEqual(
      (await readOutbox(server, server.tenant.id, member.userId)).map(({ type }) => type),
      ['mfa.enabled', 'mfa.disabled'],
    );
  });
});
