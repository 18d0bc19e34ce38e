import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import { describeOnOneDatabase, startTestServer, type TestMember, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { addMembership, cookieOf, isOpen, readCookies, readEvents, sessionOf, signIn } from './sign-in-requests.ts';

describeServer('a sign-in', (server) => {
  let member: TestMember;
  before(async () => {
    member = await server.createMember({ role: 'dpo' });
  });

  test('opens a session and returns the user, the tenant and the expiry', async () => {
    const response = await signIn(server, member);
    assert.equal(response.status, 200, response.text);
    const { status, user, tenant, session } = response.body.data;
    assert.equal(status, 'signed_in');
    assert.equal(user.id, member.userId);
    assert.equal(user.email, member.email);
    assert.equal(user.role, 'dpo');
    assert.deepEqual(tenant, { id: server.tenant.id, slug: 'first', name: 'first' });
    assert.equal(Date.parse(session.expiresAt), server.clock.milliseconds() + 24 * 60 * 60_000);
    const me = await server.request('GET', '/v1/me', { headers: sessionOf(server, response) });
    assert.equal(me.status, 200, me.text);
    assert.equal(me.body.data.session.id, session.id);
    assert.equal(me.body.data.user.id, member.userId);
  });

  test('creates a new token each time, which is only in the cookie', async () => {
    const answers = [await signIn(server, member), await signIn(server, member)];
    const tokens = answers.map((answer) => readCookies(answer).get('svc_session')?.value ?? '');
    assert.notEqual(tokens[0], tokens[1]);
    for (const [index, token] of tokens.entries()) {
      assert.match(token, /^svc_session_[0-9A-Za-z]{38}$/);
      assert.ok(!answers[index]?.text.includes(token.slice(12, 30)));
    }
  });

  test('stores the token as a hash', async () => {
    const token = readCookies(await signIn(server, member)).get('svc_session')?.value ?? '';
    const rows = await server.installation.database.kysely.selectFrom('sessions').selectAll().execute();
    assert.ok(rows.length > 0);
    assert.ok(!JSON.stringify(rows).includes(token.slice('svc_session_'.length)));
  });

  test('sets cookies that scripts cannot read and other sites do not send', async () => {
    const cookies = readCookies(await signIn(server, member));
    assert.deepEqual([...cookies.keys()], ['svc_session', 'svc_device']);
    assert.deepEqual(cookies.get('svc_session')?.attributes, ['Path=/', 'HttpOnly', 'SameSite=Lax']);
    assert.deepEqual(cookies.get('svc_device')?.attributes, ['Path=/', 'HttpOnly', 'SameSite=Lax', 'Max-Age=34560000']);
    for (const [name, { value }] of cookies) {
      assert.match(value, /^[\w~-]+$/);
      assert.ok(name.length + value.length < 1000);
    }
  });

  test('accepts the slug and the id of the tenant', async () => {
    const other = await server.createTenant('by-name');
    await addMembership(server, other.id, member.email);
    for (const tenant of ['by-name', other.id]) {
      const { body, text } = await signIn(server, { ...member, tenant });
      assert.equal(body.data?.tenant.id, other.id, text);
      assert.equal(body.data.user.role, 'auditor');
    }
  });

  test('without a tenant opens the tenant of the latest sign-in', async () => {
    const person = await server.createMember();
    const [second, third] = [await server.createTenant('second'), await server.createTenant('third')];
    for (const { id } of [second, third]) await addMembership(server, id, person.email);
    for (const { id } of [second, server.tenant, third, second]) {
      server.clock.advance(1000);
      assert.equal((await signIn(server, { ...person, tenant: id })).status, 200);
      const { body } = await signIn(server, person);
      assert.equal(body.data.tenant.id, id);
    }
  });

  test('without a tenant passes over one whose membership is suspended', async () => {
    const person = await server.createMember();
    const other = await server.createTenant('left');
    await addMembership(server, other.id, person.email);
    server.clock.advance(1000);
    assert.equal((await signIn(server, { ...person, tenant: 'left' })).status, 200);
    const suspended = await server.request('PATCH', `/v1/users/${person.userId}`, {
      key: other.key,
      body: { active: false },
    });
    assert.equal(suspended.status, 200, suspended.text);
    assert.equal((await signIn(server, person)).body.data?.tenant.id, server.tenant.id);
    assertProblem(await signIn(server, { ...person, tenant: 'left' }), 'invalid_credentials');
  });

  test('ends the session that the browser had, of any user', async () => {
    const [one, other] = [await server.createMember(), await server.createMember()];
    const first = sessionOf(server, await signIn(server, one));
    const beside = sessionOf(server, await signIn(server, one));
    const second = sessionOf(server, await signIn(server, other, first));
    assert.ok(!(await isOpen(server, first)));
    assert.ok(await isOpen(server, second));
    assert.ok(await isOpen(server, beside));
    const [event] = (await readEvents(server, server.tenant.key, 'session.ended')).slice(-1);
    assert.equal(event.targetId, one.userId);
    assert.equal(event.reason, 'Replaced by a new sign-in in the same browser');
  });

  test('ends the session that the browser had in another tenant, whichever of the two is locked first', async () => {
    const person = await server.createMember();
    const other = await server.createTenant('elsewhere');
    await addMembership(server, other.id, person.email);
    let session = sessionOf(server, await signIn(server, person));
    for (const tenant of [other, server.tenant]) {
      const next = sessionOf(server, await signIn(server, { ...person, tenant: tenant.slug }, session));
      assert.deepEqual([await isOpen(server, session), await isOpen(server, next)], [false, true]);
      session = next;
    }
    for (const { key } of [server.tenant, other])
      assert.equal((await readEvents(server, key, 'session.ended')).at(-1).targetId, person.userId);
  });

  test('that fails leaves the session of the browser open', async () => {
    const session = sessionOf(server, await signIn(server, member));
    assertProblem(await signIn(server, { ...member, password: 'another one' }, session), 'invalid_credentials');
    assert.ok(await isOpen(server, session));
  });

  test('returns the time of the latest sign-in', async () => {
    const person = await server.createMember();
    assert.equal((await signIn(server, person)).body.data.user.lastSignedInAt, null);
    const before = server.clock.now();
    server.clock.advance(5000);
    assert.equal((await signIn(server, person)).body.data.user.lastSignedInAt, before);
  });

  test('is recorded only for its tenant, without the address of the client', async () => {
    const other = await server.createTenant('untold');
    const person = await server.createMember();
    await addMembership(server, other.id, person.email);
    const response = await signIn(server, { ...person, tenant: 'first' }, { 'User-Agent': 'Test Browser' });
    const [event] = (await readEvents(server, server.tenant.key, 'session.created')).slice(-1);
    assert.equal(event.actorType, 'user');
    assert.equal(event.actorId, person.userId);
    assert.equal(event.actorEmail, person.email);
    assert.equal(event.targetId, person.userId);
    assert.deepEqual(event.diff, { sessionId: response.body.data.session.id, method: 'password' });
    assert.match(event.ip, /^[0-9a-f]{64}$/);
    assert.match(event.userAgent, /^[0-9a-f]{64}$/);
    const text = JSON.stringify(event);
    for (const secret of ['127.0.0.1', 'Test Browser', person.password, 'svc_session_'])
      assert.ok(!text.includes(secret), secret);
    assert.deepEqual(await readEvents(server, other.key, 'session.created'), []);
  });

  test('refuses a body that is not a sign-in and sets no cookie', async () => {
    const { email, password } = member;
    const wrong = [
      {},
      { email },
      { password },
      { email: '', password },
      { email, password: '' },
      { email: 7, password },
      { email, password, tenant: '' },
      { email, password, remember: true },
      { email, password: 'x'.repeat(1025) },
      { email: 'x'.repeat(321), password },
    ];
    for (const body of wrong) {
      const response = await server.request('POST', '/v1/auth/sign-in', { key: null, body });
      assertProblem(response, 'validation_failed');
      assert.deepEqual(response.headers.getSetCookie(), []);
      assert.ok(!response.text.includes(password), 'the password is not repeated');
    }
  });
});

describeOnOneDatabase('a sign-in over https', (dialect) => {
  const url = 'https://svc.example';
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect, { SVC_BASE_URL: url });
  });
  after(() => server[Symbol.asyncDispose]());

  test('sets cookies with the prefix __Host-, which browsers send only over https and to this host', async () => {
    const response = await signIn(server, await server.createMember(), { Origin: url });
    assert.equal(response.status, 200, response.text);
    const cookies = readCookies(response);
    assert.deepEqual([...cookies.keys()], ['__Host-svc_session', '__Host-svc_device']);
    for (const { attributes } of cookies.values()) {
      assert.deepEqual(attributes.slice(0, 4), ['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']);
      assert.ok(!attributes.some((attribute) => attribute.startsWith('Domain')));
    }
    const session = { Cookie: cookieOf(response, '__Host-svc_session'), Origin: url };
    assert.ok(await isOpen(server, session));
    const signedOut = await server.request('POST', '/v1/auth/sign-out', { headers: session });
    assert.equal(signedOut.status, 200, signedOut.text);
    assert.deepEqual(readCookies(signedOut).get('__Host-svc_session'), {
      value: '',
      attributes: ['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure', 'Max-Age=0'],
    });
  });
});
