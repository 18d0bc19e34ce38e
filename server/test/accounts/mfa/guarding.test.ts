import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { assertInvalid, assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { showCode, startEnrolment, verify } from './authenticator.ts';

const password = 'member of the granite choir';
const operations: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/v1/me/mfa'],
  ['POST', '/v1/me/mfa/totp/enroll', { password }],
  ['POST', '/v1/me/mfa/totp/verify', { code: '123456' }],
  ['DELETE', '/v1/me/mfa/totp', { password }],
  ['POST', '/v1/me/mfa/backup-codes', { password }],
];

describeOnOneDatabase('the operations on the second factor', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect, { SVC_LIMIT_SIGN_IN: '20' });
  });
  after(() => server[Symbol.asyncDispose]());

  async function assertNothingWritten(step: () => Promise<void>): Promise<void> {
    const { database } = server.installation;
    const before = await readAllRows(database);
    await step();
    assert.equal(await readAllRows(database), before);
  }

  for (const [method, path, body] of operations) {
    const withBody = body === undefined ? {} : { body };

    test(`${method} ${path} requires a session`, async () => {
      const { session } = await server.createMember();
      const scim = await server.createScimToken();
      await assertNothingWritten(async () => {
        const send = (options: object) => server.request(method, path, { key: null, ...withBody, ...options });
        assertProblem(await send({}), 'unauthenticated');
        assertProblem(await send({ headers: { ...session, Cookie: 'svc_session=nonsense' } }), 'unauthenticated');
        assertProblem(await send({ key: server.tenant.key }), 'forbidden');
        assertProblem(await send({ headers: { ...session, Authorization: `Bearer ${scim}` } }), 'unauthenticated');
      });
    });

    if (method === 'GET') continue;

    test(`${method} ${path} rejects requests of other sites`, async () => {
      const { session } = await server.createMember();
      const origins: readonly Readonly<Record<string, string>>[] = [
        { Origin: 'https://elsewhere.test' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
      ];
      await assertNothingWritten(async () => {
        for (const headers of origins)
          assertProblem(
            await server.request(method, path, { headers: { ...session, ...headers }, body: body as object }),
            'forbidden',
          );
        const { Cookie } = session;
        assertProblem(
          await server.request(method, path, { headers: { Cookie: Cookie as string }, body: body as object }),
          'forbidden',
        );
      });
    });

    test(`${method} ${path} takes its field and nothing else`, async () => {
      const { session: headers } = await server.createMember();
      const [field] = Object.keys(body as object) as [string];
      await assertNothingWritten(async () => {
        const send = (sent: unknown) => server.request(method, path, { headers, body: sent });
        assertInvalid(await send({}), `body.${field}`);
        assertInvalid(await send({ [field]: '' }), `body.${field}`);
        assertInvalid(await send({ [field]: 123456 }), `body.${field}`);
        assertInvalid(await send({ [field]: null }), `body.${field}`);
        assertInvalid(await send({ [field]: 'x'.repeat(1025) }), `body.${field}`);
        assertInvalid(await send({ ...body, userId: 'another user' }), 'body.userId');
        assertInvalid(await send([]), 'body');
        assertInvalid(await server.request(method, path, { headers }), 'body');
        assertProblem(await server.request(method, path, { headers, rawBody: '{' }), 'invalid_json');
      });
    });
  }

  test('take passwords only so often, and never lock for good', async () => {
    const member = await server.createMember();
    const other = await server.createMember();
    const enrol = (password: string, headers = member.session) =>
      server.request('POST', '/v1/me/mfa/totp/enroll', { headers, body: { password } });
    let limited = 0;
    for (let attempt = 0; attempt < 120; attempt += 1) {
      const response = await enrol(`wrong ${attempt}`);
      if (response.status === 403) assertProblem(response, 'password_incorrect');
      else {
        assertProblem(response, 'rate_limited');
        assert.ok(Number(response.headers.get('retry-after')) >= 1);
        limited += 1;
      }
      server.clock.advance(3000);
    }
    assert.ok(limited > 100, `${limited} of 120 were limited`);
    // The right one waits too; otherwise the answer would reveal it.
    const blocked = assertProblem(await enrol(member.password), 'rate_limited');
    assert.match(blocked.message, /try again in \d+ s/);
    server.clock.advance(60_000);
    // No other user waits for it.
    assert.equal((await enrol(other.password, other.session)).status, 200);
  });

  test('take the right password again once the wait is over', async () => {
    const member = await server.createMember();
    const enrol = (password: string) =>
      server.request('POST', '/v1/me/mfa/totp/enroll', { headers: member.session, body: { password } });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      assertProblem(await enrol('wrong'), 'password_incorrect');
      server.clock.advance(10_000);
    }
    const response = await enrol(member.password);
    assertProblem(response, 'rate_limited');
    server.clock.advance(Number(response.headers.get('retry-after')) * 1000);
    assert.equal((await enrol(member.password)).status, 200);
  });

  test('take codes only so often, and never lock for good', async () => {
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

  test('allow as many attempts a minute as configured', async () => {
    await using narrow = await startTestServer(dialect, { SVC_LIMIT_SIGN_IN: '3' });
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
