import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { generateApiKey } from '../../accounts/keys/api-key.ts';
import type { ProblemCode } from '../../http/problem.ts';
import { type MemberRole, scopes } from '../../http/roles.ts';
import type { Auth, Route } from '../../http/route.ts';
import { generateToken } from '../../installation/token.ts';
import { getToken, makeKey } from '../accounts/keys/keys.ts';
import { type RequestOptions, startTestServer, type TestMember, type TestServer } from '../harness.ts';
import { requestText, sendRaw } from './raw-socket.ts';
import { documentedRoles } from './role-scopes.ts';
import {
  acceptedCall,
  acceptedCredentials,
  acceptedRequest,
  fillPath,
  join,
  onlyWithoutTenants,
  scopesFor,
} from './route-samples.ts';
import { createScene, type Scene } from './scene.ts';
import { readStoredState } from './stored-rows.ts';
import { assertError } from './surface-forms.ts';

/** Headers that the pages of other sites send, and programs without a page. */
const foreignPages: readonly Readonly<Record<string, string>>[] = [
  { Origin: 'https://elsewhere.test' },
  { Origin: 'null' },
  { Origin: '' },
  { Origin: 'http://127.0.0.1:1' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'none' },
  { 'Sec-Fetch-Site': 'same-origin, cross-site' },
];
const isSafe = ({ method }: Route) => method === 'GET';
const by =
  (...kinds: readonly Auth[]) =>
  ({ auth }: Route) =>
    kinds.includes(auth);

// Scopes are compared in the server: one database is enough.
describe('who may call every route', () => {
  let server: TestServer;
  let scene: Scene;
  let admin: TestMember;

  /** A test with a separate server: writes are detected by reading every row, and scenes accumulate. */
  function testOnNewServer(name: string, step: (context: TestContext) => Promise<void>): void {
    test(name, async (context) => {
      server = await startTestServer();
      context.after(() => server[Symbol.asyncDispose]());
      scene = await createScene(server);
      admin = await server.createMember({ tenantId: scene.tenant.id });
      await step(context);
    });
  }

  /** Runs a subtest for each route that fits, so that a new route is covered by being there. */
  async function onRoutes(context: TestContext, fits: (_: Route) => boolean, check: (route: Route) => Promise<void>) {
    const fitting = server.app.routes.filter(fits);
    assert.ok(fitting.length > 0);
    for (const route of fitting) await context.test(`${route.method} ${route.path}`, () => check(route));
  }

  /** Asserts that a route rejects each of these callers with the same error, and changes nothing. */
  async function assertRefuses(route: Route, code: ProblemCode, callers: readonly RequestOptions[], own = scene) {
    // Nothing changes, so all routes share a scene; only the start of a sign-in needs a person who is at its beginning.
    const request = await acceptedRequest(route, route.auth === 'anonymous' ? await createScene(server) : own);
    const path = await fillPath(route, own);
    const before = await readStoredState(server);
    for (const caller of callers) {
      const response = await server.request(route.method, path, join(request, caller));
      assertError(route, response, code);
      if (code === 'unauthenticated')
        assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer realm="svc"/);
    }
    assert.equal(await readStoredState(server), before);
  }

  /** Asserts that a route returns its success status to a caller. @param makeCaller creates one in the tenant of a scene. */
  async function assertTakes(route: Route, makeCaller: (own: Scene) => Promise<RequestOptions>) {
    const own = await createScene(server);
    const caller = await makeCaller(own);
    const { path, request } = await acceptedCall(route, own);
    const response = await server.request(route.method, path, join(request, caller));
    assert.equal(response.status, route.status, response.text);
  }

  const withCookie = (value: string) => ({ headers: { Cookie: `svc_session=${value}`, Origin: server.url } });
  /** A token in other notations than that of the header, and near misses. */
  const misspell = (token: string): RequestOptions[] => [
    ...['', 'Bearer', `Basic ${token}`, token, `Bearer ${token} more`, `Bearer ${token},`, `Bearer "${token}"`].map(
      (Authorization) => ({ key: null, headers: { Authorization } }),
    ),
    ...[token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'), token.toUpperCase(), `${token}0`].map((key) => ({
      key,
    })),
  ];

  testOnNewServer('rejects callers without valid credentials, wherever they are needed', async (context) => {
    const { key } = scene.tenant;
    const scim = await scene.scimToken();
    const token = admin.session.Cookie?.slice('svc_session='.length) as string;
    const anonymous = [
      { key: null },
      withCookie(''),
      withCookie(generateToken('svc_session_')),
      withCookie(`${token}0`),
    ];
    await onRoutes(context, by('scope', 'session', 'platform', 'scim'), async (route) => {
      const unknown: RequestOptions[] = [...anonymous, { key: null, headers: { Authorization: 'Basic dXNlcjpwYXNz' } }];
      if (route.auth !== 'scim') {
        const keys = [generateApiKey('live'), key.replace('test', 'live'), generateToken('svc_at_'), scim, token];
        unknown.push(...misspell(key), ...keys.map((other) => ({ key: other })));
      }
      if (route.auth === 'scim') {
        // API keys, access tokens and sessions are no SCIM tokens (spec.md "Authentication", 4).
        unknown.push(...misspell(scim), { key }, { key: generateToken('scim_') }, { headers: admin.session });
      }
      await assertRefuses(route, 'unauthenticated', unknown);
    });
  });

  testOnNewServer('rejects two Authorization headers, in either order', async (context) => {
    await onRoutes(context, by('scope', 'session', 'platform', 'scim'), async (route) => {
      const { key = null } = await acceptedCredentials(route, scene);
      const own = key ?? scene.tenant.key;
      const path = await fillPath(route, scene);
      const before = await readStoredState(server);
      for (const [first, second] of [
        [own, own],
        [own, 'wrong'],
        ['wrong', own],
      ]) {
        const headers = { Authorization: `Bearer ${first}`, authorization: `Bearer ${second}` };
        const [response] = await sendRaw(server, requestText(route.method, path, headers));
        assert.ok(response);
        assertError(route, response, 'invalid_header');
      }
      assert.equal(await readStoredState(server), before);
    });
  });

  testOnNewServer('rejects a key that has expired or was revoked', async (context) => {
    const own = await createScene(server);
    const end = new Date(server.clock.milliseconds() + 1000).toISOString();
    const expiring = await server.createKey(own.tenant.id, scopes, end);
    const revoked = await own.apiKey();
    assert.equal((await server.request('GET', '/v1/tenant', { key: expiring })).status, 200);
    server.clock.advance(1000);
    await server.request('DELETE', `/v1/api-keys/${revoked.id}`, { key: own.tenant.key });
    await onRoutes(context, by('scope'), (route) =>
      assertRefuses(route, 'unauthenticated', [{ key: expiring }, { key: revoked.key }], own),
    );
  });

  testOnNewServer('rejects a SCIM token that was replaced', async (context) => {
    const own = await createScene(server);
    const replaced = await own.scimToken();
    await server.createScimToken(own.tenant.id);
    await onRoutes(context, by('scim'), (route) => assertRefuses(route, 'unauthenticated', [{ key: replaced }]));
  });

  testOnNewServer('rejects a key with every scope but its own, and changes nothing', async (context) => {
    await onRoutes(context, by('scope'), async (route) => {
      const others = scopes.filter((scope) => scope !== route.scope);
      const key = await server.createKey(scene.tenant.id, others);
      await assertRefuses(route, 'insufficient_scope', [{ key }]);
      const response = await server.request(route.method, await fillPath(route, scene), { key });
      assert.ok(response.body.error.message.includes(`${route.scope}`), response.text);
      assert.match(response.headers.get('www-authenticate') ?? '', new RegExp(`scope="${route.scope}"`));
    });
  });

  testOnNewServer('accepts a key with only its own scope', async (context) => {
    await onRoutes(context, by('scope'), (route) =>
      assertTakes(route, async ({ tenant }) => ({ key: await server.createKey(tenant.id, scopesFor(route)) })),
    );
  });

  for (const [role, documented] of Object.entries(documentedRoles)) {
    testOnNewServer(
      `lets a session with the role ${role} call what the role may, and nothing else`,
      async (context) => {
        const member = await server.createMember({ tenantId: scene.tenant.id, role: role as MemberRole });
        await onRoutes(context, by('scope', 'platform'), async (route) => {
          if (!documented.split(' ').includes(route.scope as string))
            return assertRefuses(route, 'insufficient_scope', [{ headers: member.session }]);
          return assertTakes(route, async ({ tenant }) => ({
            headers: (await server.createMember({ tenantId: tenant.id, role: role as MemberRole })).session,
          }));
        });
      },
    );
  }

  testOnNewServer('accepts every role for operations on the signed-in user', async (context) => {
    for (const role of ['cs_agent', 'dpco_principal'] as const) {
      await onRoutes(
        context,
        (route) => by('session')(route) && isSafe(route),
        async (route) => {
          const { session } = await server.createMember({ tenantId: scene.tenant.id, role });
          const response = await server.request(route.method, route.path, { headers: session });
          assert.equal(response.status, route.status, response.text);
        },
      );
    }
  });

  testOnNewServer(
    'returns 403 for a valid key or access token where it acts on the signed-in user',
    async (context) => {
      const made = await makeKey(server);
      const { access_token } = await getToken(server, made);
      const keys = [await server.createKey(scene.tenant.id, scopes), made.key, access_token];
      const callers = keys.flatMap((key) => [
        { key },
        // A cookie beside the key changes nothing, because it is ambiguous which of the two applies.
        { headers: { ...admin.session, Authorization: `Bearer ${key}` } },
      ]);
      await onRoutes(context, by('session', 'platform'), (route) => assertRefuses(route, 'forbidden', callers));
    },
  );

  testOnNewServer('returns 401 for an invalid bearer value beside the cookie of a session', async (context) => {
    const callers = ['nonsense', generateApiKey('live'), await scene.scimToken()].map((token) => ({
      headers: { ...admin.session, Authorization: `Bearer ${token}` },
    }));
    await onRoutes(context, by('session', 'platform'), (route) => assertRefuses(route, 'unauthenticated', callers));
  });

  testOnNewServer('rejects changes in a session without an origin of this server', async (context) => {
    const { Cookie = '' } = admin.session;
    const near = [server.url.replace('http', 'https'), `${server.url}0`, `${server.url}.evil.example`];
    const pages = [{}, ...foreignPages, ...near.map((Origin) => ({ Origin }))];
    const callers = [
      ...pages.map((headers) => ({ headers: { Cookie, ...headers } })),
      // Sec-Fetch-Site, which the browser sets itself, has precedence over the Origin.
      { headers: { ...admin.session, 'Sec-Fetch-Site': 'cross-site' } },
    ];
    await onRoutes(
      context,
      (route) => by('scope', 'session', 'platform')(route) && !isSafe(route),
      (route) => assertRefuses(route, 'forbidden', callers),
    );
  });

  testOnNewServer(
    'allows reads in a session from anywhere, because browsers isolate the response from other pages',
    async (context) => {
      const { Cookie = '' } = admin.session;
      await onRoutes(
        context,
        (route) => by('scope', 'session')(route) && isSafe(route) && !route.path.includes('{'),
        async (route) => {
          const { path } = await acceptedCall(route, scene);
          for (const headers of [{}, ...foreignPages]) {
            const response = await server.request(route.method, path, { headers: { Cookie, ...headers } });
            assert.equal(response.status, route.status, response.text);
            assert.equal(response.headers.get('access-control-allow-origin'), null);
          }
        },
      );
    },
  );

  testOnNewServer('rejects the pages of other sites before sign-in', async (context) => {
    await onRoutes(
      context,
      (route) => by('anonymous')(route) && !isSafe(route),
      (route) =>
        assertRefuses(
          route,
          'forbidden',
          foreignPages.map((headers) => ({ key: null, headers })),
        ),
    );
  });

  testOnNewServer('accepts links and programs of other sites for reads', async (context) => {
    await onRoutes(
      context,
      (route) => by('anonymous')(route) && isSafe(route),
      async (route) => {
        for (const headers of foreignPages) {
          await assertTakes(route, async () => ({ key: null, headers }));
          const { status } = await server.request('HEAD', route.path, { key: null, headers });
          assert.equal(status, route.status);
        }
      },
    );
  });

  testOnNewServer('prevents other sites from embedding responses that are not public', async (context) => {
    await onRoutes(
      context,
      () => true,
      async (route) => {
        const own = await createScene(server);
        const { path, request, credentials } = await acceptedCall(route, own);
        for (const caller of [credentials, { key: 'nonsense' }]) {
          const { headers } = await server.request(route.method, path, join(request, caller));
          const expected = route.auth === 'public' ? null : 'same-origin';
          assert.equal(headers.get('cross-origin-resource-policy'), expected);
        }
      },
    );
  });

  testOnNewServer('accepts programs and the pages of this server before sign-in', async (context) => {
    const fits = (route: Route) => by('anonymous')(route) && !onlyWithoutTenants.has(route.operationId);
    await onRoutes(context, fits, async (route) => {
      for (const headers of [{}, { Origin: server.url }, { 'Sec-Fetch-Site': 'same-origin' }])
        await assertTakes(route, async () => ({ key: null, headers }));
    });
  });
});
