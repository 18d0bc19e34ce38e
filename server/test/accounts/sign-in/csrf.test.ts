import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Route } from '../../../http/route.ts';
import { startTestServer, type TestMember, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { isOpen, readCookies, signIn } from './sign-in-requests.ts';

const anyId = '01990000-0000-7000-8000-000000000000';

/** Headers that browsers send with requests of another site's pages, or of none. */
const foreignHeaders = {
  'the Origin of another site': { Origin: 'https://evil.example' },
  'the Origin of another port': { Origin: 'http://127.0.0.1:1' },
  'our Origin over another scheme': { Origin: 'https:' },
  'our host with more behind it': { Origin: 'suffix' },
  'the Origin null of a sandbox': { Origin: 'null' },
  'an empty Origin': { Origin: '' },
  'Sec-Fetch-Site cross-site': { 'Sec-Fetch-Site': 'cross-site' },
  'Sec-Fetch-Site same-site': { 'Sec-Fetch-Site': 'same-site' },
  'Sec-Fetch-Site none': { 'Sec-Fetch-Site': 'none' },
  'a Sec-Fetch-Site that is unknown': { 'Sec-Fetch-Site': 'same-origin, cross-site' },
} as const;

describe('a request that changes something in a session', () => {
  let server: TestServer;
  let member: TestMember;
  before(async () => {
    server = await startTestServer();
    member = await server.createMember();
  });
  after(() => server[Symbol.asyncDispose]());

  const cookie = () => ({ Cookie: member.session.Cookie as string });
  const isUnsafe = ({ method, auth }: Route) => method !== 'GET' && ['session', 'scope', 'platform'].includes(auth);
  const send = ({ method, path }: Pick<Route, 'method' | 'path'>, headers: Readonly<Record<string, string>>) =>
    server.request(method, path.replace(/\{\w+\}/g, anyId), { headers, body: {} });

  /** The headers of a page of another site, for the address of this server. */
  function* pretend(): Generator<readonly [string, Readonly<Record<string, string>>]> {
    for (const [name, headers] of Object.entries(foreignHeaders)) {
      const { Origin } = headers as { readonly Origin?: string };
      const own = { 'https:': server.url.replace('http:', 'https:'), suffix: `${server.url}.evil.example` };
      yield [name, Origin === undefined ? headers : { Origin: own[Origin as keyof typeof own] ?? Origin }];
    }
  }

  test('is refused when it comes from anywhere but a page of ours, whatever the operation', async (context) => {
    const routes = server.app.routes.filter(isUnsafe);
    assert.ok(routes.length > 20);
    for (const route of routes) {
      await context.test(`${route.method} ${route.path}`, async () => {
        assertProblem(await send(route, cookie()), 'forbidden');
        for (const [name, headers] of pretend()) {
          const response = await send(route, { ...cookie(), ...headers });
          assert.equal(response.status, 403, name);
          assertProblem(response, 'forbidden');
          assert.equal(response.headers.get('access-control-allow-origin'), null);
        }
      });
    }
    assert.ok(await isOpen(server, cookie()), 'and none of them ended the session');
  });

  test('is taken from a page of ours, by the word of the browser or by the Origin', async () => {
    for (const headers of [
      { Origin: server.url },
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'same-origin', Origin: server.url },
    ]) {
      const response = await send({ method: 'DELETE', path: '/v1/me/sessions' }, { ...cookie(), ...headers });
      assert.notEqual(response.status, 403, response.text);
    }
  });

  test('is refused by the word of the browser, even if the Origin looks like ours', async () => {
    const headers = { ...cookie(), 'Sec-Fetch-Site': 'cross-site', Origin: server.url };
    assertProblem(await send({ method: 'DELETE', path: '/v1/me/sessions' }, headers), 'forbidden');
  });

  test('must be JSON, which no form of another page can send', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    for (const type of types) {
      const response = await server.request('POST', '/v1/auth/sign-in', {
        key: null,
        headers: { 'Content-Type': type },
        rawBody: JSON.stringify({ email: member.email, password: member.password }),
      });
      assertProblem(response, 'unsupported_media_type');
    }
  });

  test('is never caused by a safe method', async () => {
    const before = await server.installation.database.kysely.selectFrom('audit_events').selectAll().execute();
    const routes = server.app.routes.filter(({ method, auth }) => method === 'GET' && auth !== 'public');
    for (const { method, path } of routes)
      await server.request(method, path.replace(/\{\w+\}/g, anyId), { headers: cookie() });
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const path of ['/v1/auth/sign-in', '/v1/auth/sign-out', '/v1/auth/password', '/v1/auth/challenge'])
        assert.equal((await server.request(method, path, { headers: cookie() })).status, 405, `${method} ${path}`);
    assert.ok(await isOpen(server, cookie()));
    const after = await server.installation.database.kysely.selectFrom('audit_events').selectAll().execute();
    assert.equal(after.length, before.length);
  });

  test('needs no Origin with an API key, which browsers do not add', async () => {
    const headers = { Authorization: `Bearer ${server.tenant.key}`, Origin: 'https://app.example' };
    const response = await server.request('PATCH', `/v1/users/${member.userId}`, { headers, body: { role: 'admin' } });
    assert.equal(response.status, 200, response.text);
  });

  test('allows reads in a session without an Origin, and returns no CORS headers', async () => {
    const response = await server.request('GET', '/v1/me', {
      headers: { ...cookie(), Origin: 'https://evil.example' },
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.equal(response.headers.get('access-control-allow-credentials'), null);
  });

  test('answers that no page of another site may embed', async () => {
    for (const [path, status] of [
      ['/v1/me', 200],
      ['/v1/users', 200],
      ['/v1/users/x', 422],
    ] as const) {
      const response = await server.request('GET', path, { headers: cookie() });
      assert.equal(response.status, status, response.text);
      assert.equal(response.headers.get('cross-origin-resource-policy'), 'same-origin', path);
    }
  });
});

describe('a request without a session', () => {
  let server: TestServer;
  let member: TestMember;
  before(async () => {
    server = await startTestServer();
    member = await server.createMember();
  });
  after(() => server[Symbol.asyncDispose]());

  test('is rejected from the pages of another site, which cannot sign a user in to another account', async () => {
    const routes = server.app.routes.filter(({ auth, method }) => auth === 'anonymous' && method !== 'GET');
    assert.ok(routes.length >= 3);
    for (const { method, path } of routes)
      for (const [name, headers] of Object.entries(foreignHeaders)) {
        const response = await server.request(method, path, { key: null, headers, body: {} });
        assert.equal(response.status, 403, `${path} ${name}`);
        if (path.startsWith('/v1/')) assertProblem(response, 'forbidden');
        assert.equal(readCookies(response).size, 0);
      }
  });

  test('may read from any page what needs no credentials', async () => {
    for (const headers of Object.values(foreignHeaders)) {
      const response = await server.request('GET', '/scim/v2/ServiceProviderConfig', { key: null, headers });
      assert.equal(response.status, 200, response.text);
      assert.equal(response.headers.get('access-control-allow-origin'), null);
    }
  });

  test('is accepted from our own pages, and from programs without an Origin', async () => {
    for (const headers of [{}, { Origin: server.url }, { 'Sec-Fetch-Site': 'same-origin' }])
      assert.equal((await signIn(server, member, headers)).status, 200);
  });
});

describe('the public address of the server', () => {
  test('is checked against the public address, not the Host header', async () => {
    await using server = await startTestServer('sqlite', { SVC_BASE_URL: 'http://svc.example/' });
    const member = await server.createMember();
    const { Cookie = '' } = member.session;
    const end = (Origin: string) => server.request('DELETE', '/v1/me/sessions', { headers: { Cookie, Origin } });
    assert.equal((await end('http://svc.example')).status, 200);
    assertProblem(await end(server.url), 'forbidden');
    assertProblem(await end('http://svc.example:80'), 'forbidden');
    assertProblem(await end('http://SVC.example'), 'forbidden');
  });
});
