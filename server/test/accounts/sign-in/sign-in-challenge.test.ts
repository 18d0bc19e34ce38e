import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../../http/problems.ts';
import { answer, createEnrolledMember, showCode, startSignIn } from '../mfa/authenticator.ts';
import { isOpen, readCookies, readEvents, sessionOf, signIn } from './sign-in-requests.ts';

const minute = 60_000;

describeServer('a sign-in with a second factor', (server) => {
  const createMember = () => createEnrolledMember(server, { role: 'auditor' });
  /** A code that is wrong now, and one step before and after. */
  const wrongCode = (secret: string) => {
    const near = [-1, 0, 1].map((steps) => showCode(server, secret, steps));
    return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code)) as string;
  };

  test('asks for a code after the right password, and opens no session before', async () => {
    const member = await createMember();
    const response = await signIn(server, member);
    assert.equal(response.status, 200);
    const { status, challengeId, expiresAt, ...more } = response.body.data;
    assert.equal(status, 'mfa_required');
    assert.equal(Date.parse(expiresAt) - server.clock.milliseconds(), 5 * minute);
    assert.deepEqual(more, {});
    assert.equal(readCookies(response).size, 0);
    assert.match(challengeId, /^[0-9a-f-]{36}$/);
  });

  test('requires no code after a wrong password', async () => {
    const member = await createMember();
    assertProblem(await signIn(server, { ...member, password: 'another password' }), 'invalid_credentials');
  });

  test('binds the session to the challenge', async () => {
    const member = await createMember();
    const challengeId = await startSignIn(server, member);
    const response = await answer(server, challengeId, showCode(server, member.secret));
    const session = sessionOf(server, response);
    assert.equal(response.body.data.status, 'signed_in');
    assert.equal(response.body.data.user.mfaEnabled, true);
    assert.deepEqual([...readCookies(response).keys()], ['svc_session', 'svc_device']);
    const me = await server.request('GET', '/v1/me', { headers: session });
    assert.equal(me.body.data.session.challengeId, challengeId);
    const [event] = (await readEvents(server, server.tenant.key, 'session.created')).slice(-1);
    assert.deepEqual(event.diff, { sessionId: response.body.data.session.id, method: 'totp' });
  });

  test('is recorded when the password was right, before a code arrives', async () => {
    const member = await createMember();
    const challengeId = await startSignIn(server, member);
    const [event] = (await readEvents(server, server.tenant.key, 'session.challenged')).slice(-1);
    assert.deepEqual(
      [event.actorType, event.actorId, event.targetId, event.targetRef, event.diff],
      ['user', member.userId, member.userId, member.email, { challengeId }],
    );
    const created = await readEvents(server, server.tenant.key, 'session.created');
    assert.ok(created.every(({ targetId }) => targetId !== member.userId));
  });

  test('accepts five codes, not more, even if the sixth is right', async () => {
    const member = await createMember();
    const challengeId = await startSignIn(server, member);
    for (let time = 0; time < 5; time += 1)
      assertProblem(await answer(server, challengeId, wrongCode(member.secret)), 'code_incorrect');
    assertProblem(await answer(server, challengeId, showCode(server, member.secret)), 'invalid_challenge');
    const [event] = (await readEvents(server, server.tenant.key, 'session.refused')).slice(-1);
    assert.equal(event.targetId, member.userId);
    assert.equal(event.reason, 'Wrong code');
  });

  test('blocks the user after ten consecutive wrong codes, also in new challenges', async () => {
    const member = await createMember();
    for (let round = 0; round < 2; round += 1) {
      const challengeId = await startSignIn(server, member);
      for (let time = 0; time < 5; time += 1) await answer(server, challengeId, wrongCode(member.secret));
    }
    assertProblem(await signIn(server, member), 'rate_limited');
  });

  test('an attempt that the limit rejects does not count against the challenge', async () => {
    const member = await createMember();
    const challengeId = await startSignIn(server, member);
    for (let time = 0; time < 10; time += 1) await signIn(server, { ...member, password: 'another password' });
    for (let time = 0; time < 6; time += 1)
      assertProblem(await answer(server, challengeId, showCode(server, member.secret)), 'rate_limited');
    server.clock.advance(minute);
    assert.equal((await answer(server, challengeId, showCode(server, member.secret))).status, 200);
  });

  test('expires after five minutes', async () => {
    const member = await createMember();
    const [early, late] = [await startSignIn(server, member), await startSignIn(server, member)];
    server.clock.advance(5 * minute - 1);
    assert.equal((await answer(server, early, showCode(server, member.secret))).status, 200);
    server.clock.advance(1);
    assertProblem(await answer(server, late, showCode(server, member.secret, 1)), 'invalid_challenge');
  });

  test('is valid once', async () => {
    const member = await createMember();
    const challengeId = await startSignIn(server, member);
    assert.equal((await answer(server, challengeId, showCode(server, member.secret))).status, 200);
    server.clock.advance(30_000);
    assertProblem(await answer(server, challengeId, showCode(server, member.secret)), 'invalid_challenge');
  });

  test('opens one session for the same answer in concurrent requests', async () => {
    const member = await createMember();
    const challengeId = await startSignIn(server, member);
    const code = showCode(server, member.secret);
    const answers = await Promise.all(Array.from({ length: 5 }, () => answer(server, challengeId, code)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const response of answers.filter(({ status }) => status !== 200))
      assert.ok(['invalid_challenge', 'code_incorrect'].includes(response.body.error.code), response.text);
  });

  test('opens one session when two right codes answer it concurrently', async () => {
    for (let round = 0; round < 3; round += 1) {
      const member = await createMember();
      const challengeId = await startSignIn(server, member);
      const codes = [showCode(server, member.secret), ...member.backupCodes.slice(0, 2)];
      const answers = await Promise.all(codes.map((code) => answer(server, challengeId, code)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
    }
  });

  test('accepts a backup code once', async () => {
    const member = await createMember();
    const [code = ''] = member.backupCodes;
    const response = await answer(server, await startSignIn(server, member), code);
    assert.equal(response.status, 200, response.text);
    const [event] = (await readEvents(server, server.tenant.key, 'session.created')).slice(-1);
    assert.equal(event.diff.method, 'backup_code');
    assertProblem(await answer(server, await startSignIn(server, member), code), 'code_incorrect');
  });

  test('of a member who was suspended in the meantime opens no session', async () => {
    const member = await createMember();
    const challengeId = await startSignIn(server, member);
    const edit = (active: boolean) => server.request('PATCH', `/v1/users/${member.userId}`, { body: { active } });
    assert.equal((await edit(false)).status, 200);
    assertProblem(await answer(server, challengeId, showCode(server, member.secret)), 'invalid_challenge');
    assert.equal((await edit(true)).status, 200);
    assertProblem(await answer(server, challengeId, showCode(server, member.secret)), 'invalid_challenge');
  });

  test('is invalidated by a change of the password', async () => {
    const member = await createMember();
    const challengeId = await startSignIn(server, member);
    const changed = await server.request('POST', '/v1/auth/password', {
      headers: member.session,
      body: { currentPassword: member.password, newPassword: 'seven tall giraffes went by' },
    });
    assert.equal(changed.status, 200, changed.text);
    assertProblem(await answer(server, challengeId, showCode(server, member.secret)), 'invalid_challenge');
    assert.ok(await isOpen(server, sessionOf(server, changed)));
    const me = await server.request('GET', '/v1/me', { headers: sessionOf(server, changed) });
    assert.equal(me.body.data.session.challengeId, null, 'the session was enrolled in, not answered for');
  });

  test('rejects unknown challenges and invalid bodies', async () => {
    const code = '000000';
    const unknown = await answer(server, '01990000-0000-7000-8000-000000000000', code);
    assertProblem(unknown, 'invalid_challenge');
    assert.equal(unknown.headers.get('www-authenticate'), 'Bearer realm="svc"');
    assertInvalid(await answer(server, 'no id', code), 'body.challengeId');
    const challengeId = await startSignIn(server, await createMember());
    assertInvalid(await answer(server, challengeId, ''), 'body.code');
    assertInvalid(await answer(server, challengeId, '0'.repeat(65)), 'body.code');
    for (const odd of ['００００００', '0', 'Ω', '12345678', '-00001'])
      assertProblem(await answer(server, challengeId, odd), 'code_incorrect');
  });
});
