import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { z } from 'zod';
import { knownVersions } from '../../http/answer.ts';
import { listSuccessHeaders } from '../../http/openapi-operation.ts';
import { platformScopeDescriptions, scopes } from '../../http/roles.ts';
import type { Route } from '../../http/route.ts';
import { describeOnOneDatabase, type RequestOptions, startTestServer, type TestServer } from '../harness.ts';
import { assertInvalid, assertProblem } from './problems.ts';
import {
  acceptedCall,
  acceptedCredentials,
  acceptedRequest,
  addQuery,
  fillPath,
  join,
  onlyWithoutTenants,
} from './route-samples.ts';
import { createScene, type Scene } from './scene.ts';
import { readStoredState } from './stored-rows.ts';
import { assertError, assertErrorForm } from './surface-forms.ts';

/** Routes of the same shape have the same paths, whatever they call the parameters. */
const shapeOf = ({ path }: Route) => path.replace(/\{\w+\}/g, '{}');

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Headers of HTTP and of browsers' rules, which the documentation of an operation does not list. */
const commonHeaders =
  'cache-control connection content-length content-type cross-origin-resource-policy date keep-alive';
const isCommon = (name: string) =>
  `${commonHeaders} content-encoding pragma transfer-encoding vary x-content-type-options`.split(' ').includes(name) ||
  name.startsWith('access-control-');

// Access is tested in every-route-access.test.ts.
describeOnOneDatabase('every route', (dialect) => {
  let server: TestServer;
  let scene: Scene;

  /** A test with a separate server: writes are detected by reading every row, and scenes accumulate. */
  function testOnNewServer(name: string, step: (context: TestContext) => Promise<void>): void {
    test(name, async (context) => {
      server = await startTestServer(dialect);
      context.after(() => server[Symbol.asyncDispose]());
      scene = await createScene(server);
      await step(context);
    });
  }

  /** Runs a subtest for each route that fits, so that a new route is covered by being there. */
  async function onRoutes(context: TestContext, check: (route: Route) => Promise<void>, fits = (_: Route) => true) {
    for (const route of server.app.routes.filter(fits)) {
      if (onlyWithoutTenants.has(route.operationId)) continue;
      await context.test(`${route.method} ${route.path}`, () => check(route));
    }
  }
  const isVersioned = ({ surface }: Route) => surface.isVersioned;
  const isPublic = ({ auth, surface }: Route) => auth === 'public' && surface.base === '/v1';

  async function send(route: Route, options: RequestOptions = {}, query = '') {
    const { path, request, credentials } = await acceptedCall(route, scene);
    return server.request(route.method, addQuery(path, query), join(credentials, request, options));
  }

  async function sendFresh(route: Route, method: string = route.method, headers = {}, query = '') {
    const { path, request, credentials } = await acceptedCall(route, await createScene(server));
    return server.request(method, addQuery(path, query), join(credentials, request, { headers }));
  }

  async function assertNothingWritten(step: () => Promise<void>): Promise<void> {
    const before = await readStoredState(server);
    await step();
    assert.equal(await readStoredState(server), before);
  }

  testOnNewServer(
    'returns its success status in the format of its surface, with an id of the request',
    async (context) => {
      await onRoutes(context, async (route) => {
        const { surface, status, isBare, answerType = surface.answerType } = route;
        const response = await sendFresh(route);
        assert.equal(response.status, status, response.text);
        assert.match(response.headers.get('svc-request-id') ?? '', /^[0-9a-f-]{36}$/);
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        assert.equal(response.headers.get('svc-version'), surface.isVersioned ? knownVersions.at(-1) : null);
        if (route.auth !== 'public') assert.equal(response.headers.get('cache-control'), 'no-store');
        const declared = listSuccessHeaders(route).map((name) => name.toLowerCase());
        const undeclared = [...response.headers.keys()].filter((name) => !isCommon(name) && !declared.includes(name));
        assert.deepEqual(undeclared, []);
        const type = response.headers.get('content-type');
        if (status === 204) assert.deepEqual([response.text, type], ['', null]);
        else assert.equal(type, answerType);
        if (surface.base === '/v1' && isBare !== true && status !== 204)
          assert.deepEqual(Object.keys(response.body), ['data']);
        if (surface.base === '/scim/v2' && status !== 204) assert.ok(response.body.schemas.length > 0);
      });
    },
  );

  testOnNewServer('rejects unknown and repeated query parameters', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const { path, request, credentials } = await acceptedCall(route, await createScene(server));
        await assertNothingWritten(async () => {
          for (const [query, name] of [
            ['nonsense=1', 'query.nonsense'],
            ['limit=1&limit=1', 'query.limit'],
            ['__proto__=1', 'query.__proto__'],
          ] as const) {
            assertInvalid(await server.request(route.method, addQuery(path, query), join(credentials, request)), name);
          }
        });
      },
      isVersioned,
    );
  });

  testOnNewServer('ignores unknown query parameters of SCIM', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const response = await sendFresh(route, route.method, {}, 'nonsense=1');
        assert.equal(response.status, route.status, response.text);
      },
      ({ surface }) => surface.base === '/scim/v2',
    );
  });

  testOnNewServer(
    'accepts every known Svc-Version, echoes it, and lists them after an unknown one',
    async (context) => {
      await onRoutes(
        context,
        async (route) => {
          const { path, request, credentials } = await acceptedCall(route, await createScene(server));
          const ask = (version: string) =>
            server.request(route.method, path, join(credentials, request, { headers: { 'Svc-Version': version } }));
          await assertNothingWritten(async () => {
            for (const version of ['2026-11-02', '2026-13-45', '1', 'latest', '', '2026-11-01, 2026-11-01']) {
              const message = assertError(route, await ask(version), 'unsupported_version');
              for (const known of knownVersions) assert.ok(message.includes(known), message);
            }
          });
          for (const version of knownVersions) {
            const { headers, status } = await ask(version);
            assert.deepEqual([status, headers.get('svc-version')], [route.status, version]);
          }
        },
        isVersioned,
      );
    },
  );

  testOnNewServer('has no version if its surface has none', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const response = await sendFresh(route, route.method, { 'Svc-Version': 'none' });
        assert.equal(response.status, route.status, response.text);
        assert.equal(response.headers.get('svc-version'), null);
      },
      (route) => !isVersioned(route),
    );
  });

  testOnNewServer('rejects other methods and lists those of its path', async (context) => {
    await onRoutes(context, async (route) => {
      const path = await fillPath(route, scene);
      const { key = null } = route.surface.authenticatesFirst ? { key: await scene.scimToken() } : {};
      // A literal segment wins: /v1/webhooks/deliveries has none of the methods of /v1/webhooks/{id}.
      const same = server.app.routes.filter((other) => shapeOf(other) === shapeOf(route));
      const allowed = new Set<string>(same.map(({ method }) => method));
      for (const method of methods.filter((one) => !allowed.has(one))) {
        const response = await server.request(method, path, { key });
        assertError(route, response, 'method_not_allowed');
        const expected = [...allowed, ...(allowed.has('GET') ? ['HEAD'] : [])].sort();
        assert.deepEqual(response.headers.get('allow')?.split(', '), expected);
      }
    });
    const shadowed = server.app.routes.filter(({ path, method }) =>
      server.app.routes.some(
        (other) =>
          other.path !== path &&
          new RegExp(`^${other.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path) &&
          other.method !== method,
      ),
    );
    assert.ok(shadowed.length > 3, 'routes beside a parameter are among those that were tried');
  });

  testOnNewServer('returns 404 if a parameter is not UTF-8 or has a NUL character', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const credentials = await acceptedCredentials(route, scene);
        for (const text of ['%00', 'a%00b', '%', 'a%zz', '%c3', '%ff%fe', '%ed%a0%80']) {
          const paths = [...route.path.matchAll(/\{\w+\}/g)].map(
            ({ 0: { length }, index }) =>
              `${route.path.slice(0, index).replace(/\{\w+\}/g, randomUUID())}${text}${route.path.slice(index + length).replace(/\{\w+\}/g, randomUUID())}`,
          );
          for (const path of paths)
            assertError(route, await server.request(route.method, path, credentials), 'not_found');
        }
      },
      ({ path }) => path.includes('{'),
    );
  });

  testOnNewServer('answers HEAD as GET, without the body', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const head = await sendFresh(route, 'HEAD');
        assert.equal(head.status, 200);
        assert.equal(head.text, '');
      },
      ({ method }) => method === 'GET',
    );
  });

  testOnNewServer('records nothing for a read', async (context) => {
    const countEvents = async () =>
      (await server.installation.database.kysely.selectFrom('audit_events').select('sequence').execute()).length;
    await onRoutes(
      context,
      async (route) => {
        const { path, request, credentials } = await acceptedCall(route, scene);
        const before = await countEvents();
        await server.request('GET', path, join(credentials, request));
        assert.equal(await countEvents(), before);
      },
      ({ method }) => method === 'GET',
    );
  });

  testOnNewServer(
    'rejects a body that it cannot parse, in the format of its surface, and changes nothing',
    async (context) => {
      await onRoutes(
        context,
        async (route) => {
          const { path, request, credentials } = await acceptedCall(route, await createScene(server));
          const { headers } = join(request);
          const sendBody = (rawBody: string, more: object) =>
            server.request(route.method, path, { ...join(credentials, { headers: { ...headers, ...more } }), rawBody });
          await assertNothingWritten(async () => {
            assertError(route, await sendBody('<xml/>', { 'Content-Type': 'text/xml' }), 'unsupported_media_type');
            assertError(route, await sendBody('x'.repeat(1024 * 1024 + 1), {}), 'payload_too_large');
            const isJson = headers?.['Content-Type']?.includes('json') === true;
            if (isJson) assertError(route, await sendBody('{"a":', {}), 'invalid_json');
          });
        },
        // An upload is not parsed, and evidence-files.test.ts tests its limit.
        ({ body, receive }) => body !== null && receive === undefined,
      );
    },
  );

  testOnNewServer(
    'rejects a body that is no object, has an unknown field or a field of another type, and names it',
    async (context) => {
      await onRoutes(
        context,
        async (route) => {
          const { path, request, credentials } = await acceptedCall(route, await createScene(server));
          const sample = request.body as Readonly<Record<string, unknown>>;
          const sendBody = (body: unknown) => server.request(route.method, path, join(credentials, request, { body }));
          await assertNothingWritten(async () => {
            assertInvalid(await sendBody([]), 'body');
            assertInvalid(await sendBody({ ...sample, surprise: 1 }), 'body.surprise');
            for (const [name, value] of Object.entries(sample)) {
              const answer = await sendBody({ ...sample, [name]: value === true || value === false ? 'yes' : true });
              assert.match(assertProblem(answer, 'validation_failed').details[0].path, new RegExp(`^body\\.${name}`));
            }
          });
        },
        ({ body, receive, surface }) => body !== null && receive === undefined && surface.isVersioned,
      );
    },
  );

  testOnNewServer('accepts its own tenant by id and by slug, and no other', async (context) => {
    const stranger = await server.createTenant('stranger');
    await onRoutes(
      context,
      async (route) => {
        const own = await createScene(server);
        const { id, slug } = own.tenant;
        const { path, request, credentials } = await acceptedCall(route, own);
        const ask = (tenant: string) =>
          server.request(route.method, path, join(credentials, request, { headers: { 'Svc-Tenant': tenant } }));
        await assertNothingWritten(async () => {
          for (const tenant of [stranger.id, stranger.slug, 'unknown', '', `${slug}, ${stranger.slug}`]) {
            assertError(route, await ask(tenant), 'tenant_not_allowed');
          }
        });
        for (const tenant of route.method === 'GET' ? [id, slug] : [slug]) {
          const response = await ask(tenant);
          assert.equal(response.status, route.status, response.text);
        }
      },
      ({ auth }) => ['scope', 'session', 'platform'].includes(auth),
    );
  });

  testOnNewServer('is open to every origin, on errors too, when it is public', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const path = await fillPath(route, scene);
        const request = await acceptedRequest(route, scene);
        const unknown = await fillPath(route, null);
        const answers = await Promise.all([
          send(route),
          send(route, {}, 'nonsense=1'),
          send(route, { headers: { 'Svc-Version': '1' } }),
          send(route, { headers: { Origin: 'https://elsewhere.test' } }),
          server.request(route.method, unknown, { ...request, key: null }),
          server.request('DELETE', path, { key: null }),
          server.request(route.method, `${path}%00`, { key: null }),
          server.request(route.method, `${path}/no-such-thing`, { key: null }),
        ]);
        for (const answer of answers) {
          assert.equal(answer.headers.get('access-control-allow-origin'), '*', answer.text);
          assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Svc-Request-Id/);
          assert.equal(answer.headers.get('access-control-allow-credentials'), null);
          if (answer.status >= 400) assertErrorForm(route, answer);
        }
      },
      isPublic,
    );
  });

  testOnNewServer('lets pages of other sites read nothing unless it is public', async (context) => {
    await onRoutes(
      context,
      async (route) => {
        const response = await sendFresh(route, route.method, { Origin: 'https://elsewhere.test' });
        // Browsers do not add a key by themselves, so its requests need no origin.
        if (route.auth === 'scope') assert.equal(response.status, route.status, response.text);
        for (const name of response.headers.keys()) assert.ok(!name.startsWith('access-control-'), name);
      },
      (route) => !isPublic(route),
    );
  });

  testOnNewServer('answers the preflight of a browser when it is public, and of no other route', async (context) => {
    await onRoutes(context, async (route) => {
      const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': route.method };
      const { key = null } = route.surface.authenticatesFirst ? await acceptedCredentials(route, scene) : {};
      const response = await server.request('OPTIONS', await fillPath(route, scene), { key, headers });
      const origin = response.headers.get('access-control-allow-origin');
      if (!isPublic(route)) {
        assertErrorForm(route, response);
        assert.equal(origin, null);
        return;
      }
      assert.equal(response.status, 204);
      assert.equal(origin, '*');
      assert.ok(response.headers.get('access-control-allow-methods')?.includes(route.method));
      assert.match(response.headers.get('access-control-allow-headers') ?? '', /Content-Type/);
    });
  });

  testOnNewServer(
    'answers a list with items and nextCursor, unless the specification gives it another form',
    async () => {
      const specified = ['listConsentNotices', 'listConsentRecords', 'listControls', 'listFrameworks'];
      const lists = server.app.routes.filter(
        ({ operationId, surface }) => operationId.startsWith('list') && surface.base === '/v1',
      );
      assert.ok(lists.length > 15);
      for (const { operationId, result } of lists.filter((route) => !specified.includes(route.operationId)))
        assert.deepEqual(Object.keys((result as z.ZodObject).shape), ['items', 'nextCursor'], operationId);
    },
  );

  testOnNewServer('needs a scope of the list of its kind when it needs one, and no other access has one', async () => {
    for (const { auth, scope, operationId } of server.app.routes) {
      if (auth === 'scope') assert.ok(scopes.includes(scope as never), operationId);
      else if (auth === 'platform') assert.ok(Object.hasOwn(platformScopeDescriptions, scope as never), operationId);
      else assert.equal(scope, null, operationId);
    }
  });
});
