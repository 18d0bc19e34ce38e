import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { oauth } from '../../accounts/keys/oauth.ts';
import { isOn, rest, type Surface } from '../../http/answer.ts';
import { Problem, type ProblemCode, problemKinds } from '../../http/problem.ts';
import { scim } from '../../scim/resource.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { assertError } from './surface-forms.ts';

const surfaces: readonly Surface[] = [rest, scim, oauth];
const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';

describe('the surfaces', () => {
  let server: TestServer;
  let scimToken: string;
  before(async () => {
    server = await startTestServer('sqlite');
    scimToken = await server.createScimToken();
  });
  after(() => server[Symbol.asyncDispose]());

  const ask = (method: string, path: string, more: object = {}) =>
    server.request(method, path, { key: scimToken, ...more });

  test('contain the paths below their prefix, and none that only starts with the same characters', () => {
    for (const surface of surfaces) {
      const { base } = surface;
      for (const path of [base, `${base}/`, `${base}/anything/else`]) assert.ok(isOn(surface, path), path);
      for (const path of ['/', '', `${base}2`, `${base}x/y`, `/x${base}`, base.slice(0, -1), base.toUpperCase()])
        assert.ok(!isOn(surface, path), path);
    }
  });

  test('return every error in the documented format', () => {
    for (const surface of surfaces) {
      for (const code of Object.keys(problemKinds) as ProblemCode[]) {
        const { status, body } = surface.presentProblem(new Problem(code, 'A message.'), 'request id');
        surface.text.errors.parse(body);
        assert.ok(status >= 400 && status < 600, `${surface.base} ${code}`);
      }
    }
  });

  test('reject unknown paths and methods in their own format', async () => {
    for (const path of ['/scim/v2', '/scim/v2/', '/scim/v2/Nothing', '/scim/v2/Users/x/y', '/scim/v2/users'])
      assertError({ surface: scim }, await ask('GET', path), 'not_found');
    const method = await ask('POST', '/scim/v2/ServiceProviderConfig', { body: {} });
    assertError({ surface: scim }, method, 'method_not_allowed');
    assert.equal(method.headers.get('allow'), 'GET, HEAD');
    for (const path of ['/oauth', '/oauth/nothing'])
      assertError({ surface: oauth }, await ask('POST', path), 'not_found');
    assertError({ surface: oauth }, await ask('GET', '/oauth/token'), 'method_not_allowed');
    for (const path of ['/v1', '/v1/nothing']) assertError({ surface: rest }, await ask('GET', path), 'not_found');
    // A path of no surface has the errors of the REST API.
    for (const path of ['/scim', '/scim/v3/Users', '/scim/v2x/Users'])
      assertError({ surface: rest }, await ask('GET', path), 'not_found');
  });

  test('of SCIM reveal no paths and methods without a token', async () => {
    for (const [method, path] of [
      ['GET', '/scim/v2/Nothing'],
      ['GET', '/scim/v2'],
      ['PUT', '/scim/v2/Users'],
      ['DELETE', '/scim/v2/Groups'],
      ['POST', '/scim/v2/Bulk'],
      ['GET', '/scim/v2/Users/%00'],
    ] as const) {
      for (const key of [null, server.tenant.key, 'scim_wrong']) {
        const response = await server.request(method, path, { key });
        assertError({ surface: scim }, response, 'unauthenticated');
        assert.equal(response.headers.get('allow'), null);
      }
    }
  });

  test('of SCIM accept bodies of SCIM and of JSON, up to 1 MiB', async () => {
    const path = '/scim/v2/Users';
    const create = (type: string, rawBody: string) => ask('POST', path, { rawBody, headers: { 'Content-Type': type } });
    const body = (userName: string, filling = '') => JSON.stringify({ schemas: [userUrn], userName, filling });
    for (const [index, type] of [
      'application/scim+json',
      'application/json',
      'application/scim+json; charset=utf-8',
    ].entries()) {
      const response = await create(type, body(`user-${index}@example.com`));
      assert.equal(response.status, 201, response.text);
      assert.equal(response.headers.get('content-type'), 'application/scim+json');
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/scim+xml'])
      assertError({ surface: scim }, await create(type, body('other@example.com')), 'unsupported_media_type');
    const limit = 1024 * 1024;
    const room = limit - body('large@example.com').length;
    const full = await create('application/json', body('large@example.com', 'x'.repeat(room)));
    assert.equal(full.status, 201, full.text.slice(0, 200));
    const more = await create('application/json', body('large@example.com', 'x'.repeat(room + 1)));
    assertError({ surface: scim }, more, 'payload_too_large');
    assertError({ surface: scim }, await create('application/json', '{"schemas":'), 'invalid_json');
  });

  test('of OAuth accept only forms', async () => {
    const json = await ask('POST', '/oauth/token', { key: null, body: { grant_type: 'client_credentials' } });
    assertError({ surface: oauth }, json, 'unsupported_media_type');
  });
});
