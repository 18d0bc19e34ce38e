import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../harness.ts';

const limit = 3;

/** Paths that no route object describes. */
const pages: readonly string[] = [
  'GET /v1/openapi.json',
  'GET /.well-known/svc-ledger-key',
  'GET /.well-known/svc-ledger-key-rotations',
  'GET /.well-known/security.txt',
  'GET /',
  'GET /demo',
  'GET /demo/demo.css',
  'GET /docs',
  'GET /docs/no/such/page',
  'GET /widgets',
  'GET /widgets/svc-consent/0.1.0/svc-consent.js',
  'GET /trust/acme',
  'GET /trust/acme/',
  'GET /trust/trust.css',
  'GET /privacy/acme/request',
  'GET /privacy/form.js',
  'GET /no/such/path',
  'POST /no/such/path',
  'GET /v1/no-such-feature',
  'GET /v1/audit/no/such/path',
  'DELETE /v1/audit',
  'GET /v1/public/consent',
  'OPTIONS /v1/public/consent/0190a000-0000-7000-8000-000000000000',
  'GET /scim/v2/NoSuchThing',
  'DELETE /oauth/token',
];

describe('requests without credentials', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer('sqlite', {
      SVC_TRUSTED_PROXIES: '1',
      SVC_LIMIT_VISITOR: String(limit),
      // Of the groups with separate limits.
      SVC_LIMIT_API_KEY: String(limit),
      SVC_LIMIT_SIGN_IN: String(limit),
      SVC_LIMIT_CAPTURE_CLIENT: String(limit),
    });
  });
  after(() => server[Symbol.asyncDispose]());

  let clients = 0;
  const nextClient = () => `198.51.${Math.floor(++clients / 250)}.${(clients % 250) + 1}`;
  const visit = (line: string, client: string) => {
    const [method = '', path = ''] = line.split(' ');
    const body = method === 'GET' || method === 'OPTIONS' ? undefined : {};
    return server.request(method, path, { key: null, headers: { 'X-Forwarded-For': client }, ...(body && { body }) });
  };

  test('are limited for each address, on every path and route', async () => {
    const routes = server.app.routes
      .filter(({ auth }) => auth === 'public' || auth === 'anonymous')
      .map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, 'acme')}`);
    assert.ok(routes.length >= 8, routes.join());
    for (const line of [...pages, ...routes]) {
      const client = nextClient();
      for (let request = 0; request < limit; request += 1)
        assert.notEqual((await visit(line, client)).status, 429, line);
      const { status, headers } = await visit(line, client);
      assert.equal(status, 429, line);
      assert.equal(headers.get('retry-after'), '60', line);
      assert.match(headers.get('ratelimit') ?? '', /;r=0;t=60/, line);
    }
  });

  test('are counted per address over all paths', async () => {
    const [client, other] = [nextClient(), nextClient()];
    await visit('GET /no/such/path', client);
    await visit('GET /trust/acme', client);
    await visit('GET /v1/public/trust/acme/widget', client);
    assert.equal((await visit('GET /docs', client)).status, 429);
    assert.equal((await visit('GET /no/such/path', other)).status, 404);
    server.clock.advance(60_000);
    assert.equal((await visit('GET /no/such/path', client)).status, 404);
  });

  test('are counted for a whole IPv6 site (/48), ten times as many', async () => {
    const from = (network: number) => `2001:db8:7:${network.toString(16)}::1`;
    for (let network = 0; network < 10; network += 1)
      for (let request = 0; request < limit; request += 1)
        assert.equal((await visit('GET /no/such/path', from(network))).status, 404);
    const refused = await visit('GET /no/such/path', from(10));
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('ratelimit') ?? '', /"visitor_site";r=0;t=60$/);
    assert.equal((await visit('GET /no/such/path', '2001:db8:8::1')).status, 404);
  });

  test('do not consume the limits of a caller with credentials', async () => {
    const client = nextClient();
    for (let request = 0; request < limit + 1; request += 1) await visit('GET /no/such/path', client);
    const { status } = await server.request('GET', '/v1/audit', { headers: { 'X-Forwarded-For': client } });
    assert.equal(status, 200);
  });
});
