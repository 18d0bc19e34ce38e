import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, type RequestOptions, startTestServer, type TestServer } from '../harness.ts';
import { sendRaw } from '../http/raw-socket.ts';
import {
  assertScimError,
  createScimClient,
  groupUrn,
  members,
  patchUrn,
  type ScimClient,
  userUrn,
} from './scim-client.ts';

describeOnOneDatabase('access by SCIM', (dialect) => {
  let server: TestServer;
  let scim: ScimClient;
  let other: ScimClient;
  let id: string;
  before(async () => {
    server = await startTestServer(dialect);
    scim = await createScimClient(server);
    other = await createScimClient(server, (await server.createTenant('other')).id);
    id = await scim.createUser('mine@example.com', { externalId: 'mine', roles: [{ value: 'dpo' }] });
  });
  after(() => server[Symbol.asyncDispose]());

  /** A request of every operation that needs a token. */
  const operations = (): readonly (readonly [string, string, unknown?])[] => [
    ['GET', '/Users'],
    ['POST', '/Users', { schemas: [userUrn], userName: 'new@example.com' }],
    ['GET', `/Users/${id}`],
    ['PATCH', `/Users/${id}`, { schemas: [patchUrn], Operations: [{ op: 'replace', path: 'active', value: false }] }],
    ['PUT', `/Users/${id}`, { schemas: [userUrn], userName: 'mine@example.com', active: false }],
    ['DELETE', `/Users/${id}`],
    ['GET', '/Groups'],
    ['POST', '/Groups', { schemas: [groupUrn], displayName: 'dpo', members: members(id) }],
    ['GET', '/Groups/dpo'],
    ['PUT', '/Groups/dpo', { schemas: [groupUrn], members: [] }],
    ['PATCH', '/Groups/dpo', { schemas: [patchUrn], Operations: [{ op: 'replace', path: 'members', value: [] }] }],
    ['DELETE', '/Groups/dpo'],
    ['GET', '/Schemas'],
    ['GET', '/ResourceTypes'],
  ];
  const assertUntouched = async () => {
    const { body } = await scim.get(`/Users/${id}`);
    assert.equal(body.active, true);
    assert.deepEqual(await scim.membersOf('dpo'), [id]);
    assert.equal((await scim.get('/Users')).body.totalResults, 1);
  };

  test('needs the token of the tenant, which is checked first', async () => {
    const wrong: RequestOptions[] = [
      { key: null },
      { key: server.tenant.key },
      { key: `${scim.token.slice(0, -1)}${scim.token.endsWith('0') ? '1' : '0'}` },
      { key: scim.token.slice('scim_'.length) },
      { key: scim.token.toUpperCase() },
      { key: 'scim_' },
      ...[scim.token, `Basic ${scim.token}`, `Bearer ${scim.token}, Bearer x`, 'Bearer'].map((Authorization) => ({
        key: null,
        headers: { Authorization },
      })),
    ];
    for (const options of wrong) {
      for (const [method, path, body] of operations()) {
        const answer = await scim.send(method, path, body, options);
        assertScimError(answer, 401);
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="svc"/);
      }
      for (const [method, path] of [
        ['GET', '/nothing'],
        ['POST', '/Bulk'],
        ['DELETE', '/Users'],
      ] as const)
        assertScimError(await scim.send(method, path, undefined, options), 401);
      assertScimError(await scim.send('POST', '/Users', undefined, { ...options, rawBody: '{' }), 401);
    }
    const { token } = scim;
    for (const [first, second] of [
      [token, token],
      [token, other.token],
      [token, 'scim_other'],
      ['scim_other', token],
    ]) {
      const headers = `Authorization: Bearer ${first}\r\nAuthorization: Bearer ${second}\r\n`;
      const head = `GET /scim/v2/Users HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
      const [twice] = await sendRaw(server, `${head}${headers}\r\n`);
      assert.equal(twice?.status, 400);
    }
    await assertUntouched();
  });

  test('accepts the scheme in any case', async () => {
    const headers = { Authorization: `bEARER ${scim.token}` };
    assert.equal((await scim.send('GET', '/Users', undefined, { key: null, headers })).status, 200);
  });

  test('is revoked with the token: a new one replaces the old immediately', async () => {
    const bystander = await createScimClient(server, (await server.createTenant('bystander')).id);
    const { id: tenantId } = await server.createTenant('rotating');
    const old = await createScimClient(server, tenantId);
    assert.equal((await old.get('/Users')).status, 200);
    const renewed = await createScimClient(server, tenantId);
    const refused = await old.get('/Users');
    assertScimError(refused, 401);
    assert.match(refused.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    assert.equal((await renewed.get('/Users')).status, 200);
    assert.equal((await bystander.get('/Users')).status, 200);
  });

  test('does not include the REST API', async () => {
    for (const path of ['/v1/users', '/v1/audit', '/v1/tenant', '/v1/me'])
      assert.ok([401, 403].includes((await server.request('GET', path, { key: scim.token })).status), path);
  });

  test('reads and changes nothing of another tenant', async () => {
    for (const [method, path, body] of operations()) {
      const answer = await other.send(method, path, body);
      if (path.startsWith('/Users/') && method !== 'PUT') assertScimError(answer, 404);
      if (path === '/Groups' && method === 'POST') assertScimError(answer, 400, 'invalidValue');
    }
    for (const filter of ['userName eq "mine@example.com"', 'externalId eq "mine"'])
      assert.equal((await other.get('/Users', { filter })).body.totalResults, 0);
    assert.deepEqual(await other.membersOf('dpo'), []);
    await assertUntouched();
  });

  test('shares a user with another tenant, but none of its data about them', async () => {
    const shared = { name: { givenName: 'Their' }, externalId: 'theirs' };
    assert.equal(await other.createUser('MINE@example.com', shared), id);
    const mine = (await scim.get(`/Users/${id}`)).body;
    assert.equal(mine.userName, 'mine@example.com');
    assert.equal(mine.externalId, 'mine');
    assert.ok(!('name' in mine));
    await other.send('DELETE', `/Users/${id}`);
    await assertUntouched();
  });

  test('accepts JSON of SCIM and plain JSON, and nothing else', async () => {
    const body = { schemas: [patchUrn], Operations: [{ op: 'replace', path: 'active', value: true }] };
    const send = (type: string) => scim.send('PATCH', `/Users/${id}`, body, { headers: { 'Content-Type': type } });
    for (const type of [
      'application/scim+json',
      'application/json',
      'application/scim+json; charset=utf-8',
      'Application/SCIM+JSON;charset="UTF-8"',
      'application/scim+json;',
      'application/scim+json;version=2.0',
      'application/scim+json; charset=latin1',
    ])
      assert.equal((await send(type)).status, 200, type);
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded'])
      assertScimError(await send(type), 415);
  });

  test('accepts a body of a mebibyte and rejects a larger one', async () => {
    const frame = JSON.stringify({ schemas: [userUrn], userName: 'large@example.com', notes: '' });
    const fill = (size: number) => frame.replace('"notes":""', `"notes":"${'x'.repeat(size - frame.length)}"`);
    const largest = await scim.send('POST', '/Users', undefined, { rawBody: fill(1024 * 1024) });
    assert.equal(largest.status, 201);
    await scim.send('DELETE', `/Users/${largest.body.id}`);
    assertScimError(await scim.send('POST', '/Users', undefined, { rawBody: fill(1024 * 1024 + 1) }), 413);
  });

  test('responds to other methods and paths in the format of SCIM', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/Users', 'GET, HEAD, POST'],
      ['DELETE', '/Groups', 'GET, HEAD, POST'],
      ['POST', '/Groups/dpo', 'DELETE, GET, HEAD, PATCH, PUT'],
      ['POST', '/ServiceProviderConfig', 'GET, HEAD'],
      ['DELETE', '/Schemas', 'GET, HEAD'],
    ] as const) {
      const answer = await scim.send(method, path);
      assertScimError(answer, 405);
      assert.equal(answer.headers.get('allow'), allow);
    }
    for (const [path, status] of [
      ['/Me', 404],
      ['/Bulk', 404],
      ['/.search', 404],
      ['/Users/.search', 405],
      ['/Groups/.search', 405],
    ] as const)
      assertScimError(await scim.send('POST', path, {}), status);
    for (const path of ['', '/', '/Me', '/Bulk', '/users', '/Users/', '/Users/.search', `/Users/${id}/x`, '/%00'])
      assert.ok([400, 404, 405].includes((await scim.send('POST', path)).status), path);
    assertScimError(await scim.get('/nothing'), 404);
  });

  test('is limited for each tenant', async () => {
    await using limited = await startTestServer(dialect, { SVC_LIMIT_SCIM: '2' });
    const client = await createScimClient(limited);
    const second = await createScimClient(limited, (await limited.createTenant('second')).id);
    for (let request = 0; request < 2; request += 1) assert.equal((await client.get('/Users')).status, 200);
    const refused = await client.get('/Users');
    assertScimError(refused, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await second.get('/Users')).status, 200);
    assert.equal((await client.send('GET', '/ServiceProviderConfig', undefined, { key: null })).status, 200);
  });

  test('answers HEAD as GET', async () => {
    const head = await scim.send('HEAD', `/Users/${id}`);
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
  });
});
