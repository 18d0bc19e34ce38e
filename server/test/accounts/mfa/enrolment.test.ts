import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import { startTestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import {
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
const on = { enabled: true, methods: ['totp', 'backup_code'], backupCodesRemaining: 10 };

describeServer('the enrolment of a second factor', (server) => {
  test('returns a URI and ten codes, and takes effect only after a code is verified', async () => {
    const member = await server.createMember();
    assert.deepEqual(await readMfa(server, member.session), off);
    const { uri, backupCodes, secret } = await startEnrolment(server, member);
    assert.equal(uri.protocol, 'otpauth:');
    assert.ok(decodeURIComponent(uri.pathname).endsWith(`Svc:${member.email}`));
    assert.equal(new Set(backupCodes).size, 10);
    assert.deepEqual(await readMfa(server, member.session), off);
    const { email, password } = member;
    const signedIn = await server.request('POST', '/v1/auth/sign-in', { key: null, body: { email, password } });
    assert.equal(signedIn.body.data.status, 'signed_in');
    const verified = await verify(server, member, showCode(server, secret));
    assert.equal(verified.status, 200, verified.text);
    assert.deepEqual(verified.body, { data: on });
    const session = readSession(server, verified);
    assert.deepEqual(await readMfa(server, session), on);
    assert.equal((await server.request('GET', '/v1/me/mfa', { headers: session })).text, JSON.stringify(on));
    await startSignIn(server, member);
  });

  test('ends every session that was opened without a code, in every tenant, and renews the present one', async () => {
    const other = await server.createTenant('other-sessions');
    const member = await server.createMember();
    const elsewhere = await server.createMember({ tenantId: other.id, email: member.email });
    const bystander = await server.createMember();
    const { secret } = await startEnrolment(server, member);
    const verified = await verify(server, member, showCode(server, secret));
    const session = readSession(server, verified);
    assert.notEqual(session.Cookie, member.session.Cookie);
    assert.match(verified.headers.getSetCookie().join(), /; Path=\/; HttpOnly; SameSite=Lax/);
    const statuses = [member.session, elsewhere.session, bystander.session, session].map(async (headers) => {
      const { status } = await server.request('GET', '/v1/me', { headers });
      return status;
    });
    assert.deepEqual(await Promise.all(statuses), [401, 401, 200, 200]);
    const me = await server.request('GET', '/v1/me/mfa', { headers: session });
    assert.equal(me.status, 200);
  });

  test('uses the code up that verified it', async () => {
    const member = await server.createMember();
    const { secret } = await startEnrolment(server, member);
    const code = showCode(server, secret);
    assert.equal((await verify(server, member, code)).status, 200);
    assertProblem(await signIn(server, member, code), 'code_incorrect');
    server.clock.advance(30_000);
    assertProblem(await signIn(server, member, code), 'code_incorrect');
    assert.equal((await signIn(server, member, showCode(server, secret))).status, 200);
  });

  test('refuses whatever is no code, and a backup code', async () => {
    const member = await server.createMember();
    const { backupCodes, secret } = await startEnrolment(server, member);
    const code = showCode(server, secret);
    const others = [backupCodes[0], code.slice(1), `${code}0`, `${code}.0`, `${code}x`, `+${code}`, '\t', '-00000x'];
    for (const other of others) assertProblem(await verify(server, member, other as string), 'code_incorrect');
    assert.deepEqual(await readMfa(server, member.session), off);
    // Nine failures in a row cost nothing yet.
    assert.equal((await verify(server, member, code)).status, 200);
  });

  test('is replaced with its codes while it is pending', async () => {
    const member = await server.createMember();
    const first = await startEnrolment(server, member);
    const second = await startEnrolment(server, member);
    assert.notEqual(first.secret, second.secret);
    assertProblem(await verify(server, member, showCode(server, first.secret)), 'code_incorrect');
    assert.equal((await verify(server, member, showCode(server, second.secret))).status, 200);
    assertProblem(await signIn(server, member, first.backupCodes[0] as string), 'code_incorrect');
    assert.equal((await signIn(server, member, second.backupCodes[0] as string)).status, 200);
  });

  test('is refused while a second factor is on, which stays as it is', async () => {
    const member = await createEnrolledMember(server);
    const rows = () => server.installation.database.kysely.selectFrom('second_factors').selectAll().execute();
    const before = await rows();
    const body = { password: member.password };
    assertProblem(
      await server.request('POST', '/v1/me/mfa/totp/enroll', { headers: member.session, body }),
      'conflict',
    );
    assert.deepEqual(await rows(), before);
    assertProblem(await verify(server, member, showCode(server, member.secret)), 'conflict');
    assert.deepEqual(await readMfa(server, member.session), on);
    assert.equal((await signIn(server, member, showCode(server, member.secret))).status, 200);
    assert.equal((await signIn(server, member, member.backupCodes[9] as string)).status, 200);
  });

  test('must be pending before a code can be verified', async () => {
    const member = await server.createMember();
    assertProblem(await verify(server, member, '123456'), 'conflict');
    const { secret } = await startEnrolment(server, member);
    const { session, password } = member;
    const dropped = await server.request('DELETE', '/v1/me/mfa/totp', { headers: session, body: { password } });
    assert.deepEqual([dropped.status, dropped.body], [200, { data: off }]);
    const renewed = { ...member, session: readSession(server, dropped) };
    assertProblem(await verify(server, renewed, showCode(server, secret)), 'conflict');
  });

  test('is finished once by two requests that send the code at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      const member = await server.createMember();
      const { secret } = await startEnrolment(server, member);
      const code = showCode(server, secret);
      const answers = await Promise.all(Array.from({ length: 4 }, () => verify(server, member, code)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      // Later requests find no pending enrolment, or an ended session.
      for (const { status, text } of answers) assert.ok([200, 401, 409].includes(status), text);
    }
  });

  test('started twice at the same time leaves one that works as it was shown', async () => {
    const member = await server.createMember();
    const both = await Promise.all([startEnrolment(server, member), startEnrolment(server, member)]);
    let worked = 0;
    for (const { secret, backupCodes } of both) {
      const verified = await verify(server, member, showCode(server, secret));
      if (verified.status !== 200) continue;
      worked += 1;
      assert.deepEqual(await readMfa(server, readSession(server, verified)), on);
      assert.equal((await signIn(server, member, backupCodes[0] as string)).status, 200);
    }
    assert.equal(worked, 1);
  });

  test('is recorded for every tenant of the user, and sent to webhooks once it is enabled', async () => {
    const other = await server.createTenant('other-recorded');
    const stranger = await server.createTenant('stranger');
    const member = await server.createMember();
    await server.createMember({ tenantId: other.id, email: member.email });
    const { secret } = await startEnrolment(server, member);
    await verify(server, member, '000000' === showCode(server, secret) ? '000001' : '000000');
    await verify(server, member, showCode(server, secret));
    const recorded = async (key: string) =>
      (await readTenantEvents(server, key, member.userId)).map(({ action, actorId, targetRef }) => ({
        action,
        actorId,
        targetRef,
      }));
    const by = { actorId: member.userId, targetRef: member.email };
    const [started, failed, enabled] = ['enrolment_started', 'verification_failed', 'enabled'].map((verb) => ({
      action: `mfa.${verb}`,
      ...by,
    }));
    assert.deepEqual(await recorded(server.tenant.key), [started, failed, enabled]);
    assert.deepEqual(await recorded(other.key), [started, enabled]);
    assert.deepEqual(await recorded(stranger.key), []);
    const data = { userId: member.userId, email: member.email };
    for (const id of [server.tenant.id, other.id])
      assert.deepEqual(await readOutbox(server, id, member.userId), [{ type: 'mfa.enabled', data }]);
    assert.deepEqual(await readOutbox(server, stranger.id, member.userId), []);
    await verifyTenantRows(server, server.tenant.id, other.id);
  });

  test('is recorded for a tenant that the user joins later', async () => {
    const member = await createEnrolledMember(server);
    const later = await server.createTenant('later');
    await server.createMember({ tenantId: later.id, email: member.email });
    await verifyTenantRows(server, server.tenant.id, later.id);
  });

  test('takes codes only so often, and never locks for good', async () => {
    const member = await server.createMember();
    const { secret } = await startEnrolment(server, member);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      server.clock.advance(10_000);
      assertProblem(await verify(server, member, showCode(server, secret, 5)), 'code_incorrect');
    }
    const blocked = await verify(server, member, showCode(server, secret));
    assertProblem(blocked, 'rate_limited');
    server.clock.advance(Number(blocked.headers.get('retry-after')) * 1000);
    assert.equal((await verify(server, member, showCode(server, secret))).status, 200);
  });

  test('allows as many attempts a minute as configured', async () => {
    await using narrow = await startTestServer('sqlite', { SVC_LIMIT_SIGN_IN: '3' });
    const member = await narrow.createMember();
    await startEnrolment(narrow, member);
    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt += 1) statuses.push((await verify(narrow, member, 'no code')).status);
    // The password of the enrolment was the first try.
    assert.deepEqual(statuses, [403, 403, 429, 429]);
    narrow.clock.advance(60_000);
    assertProblem(await verify(narrow, member, 'no code'), 'code_incorrect');
  });
});
