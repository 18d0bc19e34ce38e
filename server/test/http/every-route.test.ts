import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { generateApiKey } from '../../access/api-key.ts';
import { scopes } from '../../access/scopes.ts';
import type { Route } from '../../http/route.ts';
import { knownVersions } from '../../http/versions.ts';
import {
  describeOnEachDatabase,
  type RequestOptions,
  startTestServer,
  type TestServer,
  type TestTenant,
} from '../harness.ts';
import { assertEnvelope, assertInvalid, assertProblem } from './problems.ts';
import { acceptedRequest, createResources, fillPath, type Resources, unknownResources } from './route-samples.ts';
import { readAllRows } from './stored-rows.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

describeOnEachDatabase('every route', (dialect) => {
  let server: TestServer;
  let resources: Resources;
  let stranger: TestTenant;
  before(async () => {
    server = await startTestServer(dialect);
    resources = await createResources(server, server.tenant.key);
    stranger = await server.createTenant('stranger');
  });
  after(() => server[Symbol.asyncDispose]());

  /** Runs a subtest for each route that fits, so that a new route is covered by being there. */
  async function onRoutes(context: TestContext, check: (route: Route) => Promise<void>, fits = (_: Route) => true) {
    for (const route of server.app.routes.filter(fits)) {
      await context.test(`${route.method} ${route.path}`, () => check(route));
    }
  }
  const needsKey = (route: Route) => route.scope !== null;
  const isPublic = (route: Route) => route.scope === null;

  function send(route: Route, options: RequestOptions = {}, query = '') {
    const accepted = acceptedRequest(route, resources);
    const headers = { ...accepted.headers, ...options.headers };
    return server.request(route.method, fillPath(route, resources) + query, { ...accepted, ...options, headers });
  }

  async function assertNothingWritten(step: () => Promise<void>): Promise<void> {
    const before = await readAllRows(server.installation.database);
    await step();
    assert.equal(await readAllRows(server.installation.database), before);
  }

  test('answers its success status with data, the version and an id of the request', async (context) => {
    await onRoutes(context, async (route) => {
      const fresh = await createResources(server, server.tenant.key);
      const response = await server.request(route.method, fillPath(route, fresh), acceptedRequest(route, fresh));
      assert.equal(response.status, route.status, response.text);
      assert.deepEqual(Object.keys(response.body), ['data']);
      assert.equal(response.headers.get('svc-version'), knownVersions.at(-1));
      assert.match(response.headers.get('svc-request-id') ?? '', /^[0-9a-f-]{36}$/);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    });
  });

  test('refuses whoever has no valid key', async (context) => {
    const key = await server.createKey(server.tenant.id, scopes);
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const unknown = generateApiKey('live');
    const credentials = [
      '',
      'Bearer',
      'Basic dXNlcjpwYXNz',
      `Basic ${key}`,
      key,
      `Bearer ${key} more`,
      `Bearer ${key},`,
    ];
    const tokens = [
      mistyped,
      unknown,
      key.toUpperCase(),
      key.replace('test', 'live'),
      'scim_0123456789',
      'svc_at_0123',
    ];
    const attempts: RequestOptions[] = [
      { key: null },
      ...credentials.map((Authorization) => ({ key: null, headers: { Authorization } })),
      ...tokens.map((token) => ({ key: token })),
    ];
    await onRoutes(
      context,
      (route) =>
        assertNothingWritten(async () => {
          for (const attempt of attempts) {
            const response = await send(route, attempt);
            assertProblem(response, 'unauthenticated');
            assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer realm="svc"/);
          }
        }),
      needsKey,
    );
  });

  test('refuses a key that has expired or was revoked', async (context) => {
    const expiring = await server.createKey(server.tenant.id, scopes, '2026-11-21T12:00:01.000Z');
    const revoked = await server.createKey(server.tenant.id, scopes);
    for (const key of [expiring, revoked])
      assert.equal((await server.request('GET', '/v1/audit', { key })).status, 200);
    server.clock.advance(1000);
    await server.installation.database.kysely
      .updateTable('api_keys')
      .set({ revoked_at: server.clock.now() })
      .where('display_prefix', '=', revoked.slice(0, 13))
      .execute();
    await onRoutes(
      context,
      async (route) => {
        for (const key of [expiring, revoked]) assertProblem(await send(route, { key }), 'unauthenticated');
      },
      needsKey,
    );
  });

  test('refuses a key with every scope but its own, and does nothing', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const key = await server.createKey(
          server.tenant.id,
          scopes.filter((scope) => scope !== route.scope),
        );
        await assertNothingWritten(async () => {
          const response = await send(route, { key });
          const error = assertProblem(response, 'insufficient_scope');
          assert.ok(error.message.includes(`${route.scope}`), error.message);
          assert.match(response.headers.get('www-authenticate') ?? '', new RegExp(`scope="${route.scope}"`));
        });
      },
      needsKey,
    );
  });

  test('works with its own scope alone', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const key = await server.createKey(server.tenant.id, [route.scope as never]);
        const fresh = await createResources(server, server.tenant.key);
        const options = { ...acceptedRequest(route, fresh), key };
        const response = await server.request(route.method, fillPath(route, fresh), options);
        assert.equal(response.status, route.status, response.text);
      },
      needsKey,
    );
  });

  test('answers about the resources of another tenant as about none', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const [foreign, unknown] = [resources, unknownResources()].map((ids) =>
          server.request(route.method, fillPath(route, ids), { ...acceptedRequest(route, ids), key: stranger.key }),
        );
        const answers = await Promise.all([foreign, unknown]);
        for (const answer of answers) assertProblem(answer as never, 'not_found');
        const [one, other] = answers.map((answer) => ({ ...answer?.body.error, requestId: '' }));
        assert.deepEqual(one, other);
      },
      (route) => needsKey(route) && route.path.includes('{'),
    );
  });

  test('refuses query parameters that it does not know or that come twice', async (context) => {
    await onRoutes(context, (route) =>
      assertNothingWritten(async () => {
        assertInvalid(await send(route, {}, '?nonsense=1'), 'query.nonsense');
        assertInvalid(await send(route, {}, '?limit=1&limit=1'), 'query.limit');
        assertInvalid(await send(route, {}, '?__proto__=1'), 'query.__proto__');
      }),
    );
  });

  test('takes every known Svc-Version, echoes it, and lists them to whoever asks for another', async (context) => {
    await onRoutes(context, async (route) => {
      for (const version of knownVersions) {
        const { headers } = await send(route, { headers: { 'Svc-Version': version } });
        assert.equal(headers.get('svc-version'), version);
      }
      await assertNothingWritten(async () => {
        for (const version of ['2026-11-02', '2026-13-45', '1', 'latest', '', '2026-11-01, 2026-11-01']) {
          const error = assertProblem(
            await send(route, { headers: { 'Svc-Version': version } }),
            'unsupported_version',
          );
          for (const known of knownVersions) assert.ok(error.message.includes(known), error.message);
        }
      });
    });
  });

  test('lets a key name its own tenant and no other', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        for (const tenant of [server.tenant.id, server.tenant.slug]) {
          assert.notEqual((await send(route, { headers: { 'Svc-Tenant': tenant } })).status, 403);
        }
        await assertNothingWritten(async () => {
          for (const tenant of [stranger.id, stranger.slug, 'nobody', '', `${server.tenant.slug}, ${stranger.slug}`]) {
            assertProblem(await send(route, { headers: { 'Svc-Tenant': tenant } }), 'tenant_not_allowed');
          }
        });
      },
      needsKey,
    );
  });

  test('refuses other methods and lists those of its path', async (context) => {
    await onRoutes(context, async (route) => {
      const path = fillPath(route, resources);
      const fitting = server.app.routes.filter((other) =>
        new RegExp(`^${other.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      );
      const allowed = new Set<string>(fitting.map(({ method }) => method));
      for (const method of methods.filter((one) => !allowed.has(one))) {
        const response = await server.request(method, path, { key: null });
        assertProblem(response, 'method_not_allowed');
        const expected = [...allowed, ...(allowed.has('GET') ? ['HEAD'] : [])].sort();
        assert.deepEqual(response.headers.get('allow')?.split(', '), expected);
      }
    });
  });

  test('answers HEAD as GET, without the body', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const fresh = await createResources(server, server.tenant.key);
        const head = await server.request('HEAD', fillPath(route, fresh), acceptedRequest(route, fresh));
        assert.equal(head.status, 200);
        assert.equal(head.text, '');
      },
      ({ method }) => method === 'GET',
    );
  });

  test('is open to every origin, on errors too, when it is public', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const path = fillPath(route, resources);
        const answers = await Promise.all([
          send(route, { key: null }),
          send(route, { key: null }, '?nonsense=1'),
          send(route, { key: null, headers: { 'Svc-Version': '1' } }),
          send(route, { key: null, headers: { Origin: 'https://elsewhere.test' } }),
          server.request(route.method, fillPath(route, unknownResources()), {
            ...acceptedRequest(route, resources),
            key: null,
          }),
          server.request('DELETE', path, { key: null }),
          server.request(route.method, `${path}%00`, { key: null }),
          server.request(route.method, `${path}/no-such-thing`, { key: null }),
        ]);
        for (const answer of answers) {
          assert.equal(answer.headers.get('access-control-allow-origin'), '*', answer.text);
          assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Svc-Request-Id/);
          assert.equal(answer.headers.get('access-control-allow-credentials'), null);
          if (answer.status >= 400) assertEnvelope(answer);
        }
      },
      isPublic,
    );
  });

  test('answers the preflight of a browser when it is public, and of no other route', async (context) => {
    await onRoutes(context, async (route) => {
      const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': route.method };
      const response = await server.request('OPTIONS', fillPath(route, resources), { key: null, headers });
      const origin = response.headers.get('access-control-allow-origin');
      if (route.scope !== null) {
        assertProblem(response, 'method_not_allowed');
        assert.equal(origin, null);
        return;
      }
      assert.equal(response.status, 204);
      assert.equal(origin, '*');
      assert.ok(response.headers.get('access-control-allow-methods')?.includes(route.method));
      assert.match(response.headers.get('access-control-allow-headers') ?? '', /Content-Type/);
    });
  });
});
