import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
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
const on = { enabled: true, methods: ['totp', 'backup_code'], backupCodesRemaining: 10 };

describeOnOneDatabase('the enrolment of a second factor', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

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
    const other = await server.createTenant(`other-sessions-${dialect}`);
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

  test('ends sign-ins that wait for a code of an earlier enrolment', async () => {
    const member = await createEnrolledMember(server);
    const challenge = await startSignIn(server, member);
    const { session, password } = member;
    await server.request('DELETE', '/v1/me/mfa/totp', { headers: session, body: { password } });
    assertProblem(await answer(server, challenge, showCode(server, member.secret)), 'invalid_challenge');
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

  test('accepts the codes of the adjacent steps, and spaces', async () => {
    for (const steps of [-1, 1]) {
      const member = await server.createMember();
      const { secret } = await startEnrolment(server, member);
      for (const far of [-2, 2, 3, -10])
        assertProblem(await verify(server, member, showCode(server, secret, far)), 'code_incorrect');
      const code = showCode(server, secret, steps);
      const verified = await verify(server, member, ` ${code.slice(0, 3)} ${code.slice(3)}`);
      assert.equal(verified.status, 200, verified.text);
    }
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
    const other = await server.createTenant(`other-recorded-${dialect}`);
    const stranger = await server.createTenant(`stranger-${dialect}`);
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
    const later = await server.createTenant(`later-${dialect}`);
    await server.createMember({ tenantId: later.id, email: member.email });
    await verifyTenantRows(server, server.tenant.id, later.id);
  });
});
