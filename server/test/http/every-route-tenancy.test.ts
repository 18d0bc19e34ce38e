import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { changeMembers, type MembershipChange } from '../../accounts/members/membership.ts';
import { createSession } from '../../accounts/sign-in/session-store.ts';
import type { Route } from '../../http/route.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { noCounts } from '../../privacy/erasure/erasure.ts';
import { type Dialect, runTransaction } from '../../storage/database.ts';
import {
  describeOnEachDatabase,
  startTestServer,
  type TestMember,
  type TestResponse,
  type TestServer,
} from '../harness.ts';
import { assertTenantsNamed } from '../tenant-statements.ts';
import {
  acceptedCredentials,
  acceptedRequest,
  addRequiredQuery,
  fillPath,
  join,
  namesSomething,
} from './route-samples.ts';
import { createScene, Scene } from './scene.ts';
import { readStoredState } from './stored-rows.ts';
import { assertError } from './surface-forms.ts';

const hour = 60 * 60_000;

let server: TestServer;
let scene: Scene;
let stranger: Scene;

/** A test on its own server, because a test of every route adds many tenants. */
function testOnNewServer(dialect: Dialect, name: string, step: (context: TestContext) => Promise<void>): void {
  test(name, async (context) => {
    server = await startTestServer(dialect);
    context.after(() => server[Symbol.asyncDispose]());
    [scene, stranger] = [await createScene(server), await createScene(server)];
    await step(context);
    assertTenantsNamed(server);
  });
}

async function onRoutes(context: TestContext, fits: (_: Route) => boolean, check: (route: Route) => Promise<void>) {
  const fitting = server.app.routes.filter(fits);
  assert.ok(fitting.length > 0);
  for (const route of fitting) await context.test(`${route.method} ${route.path}`, () => check(route));
}

/** Runs a step and asserts that no row of any tenant was changed by it. */
async function assertNothingWritten(step: () => Promise<void>): Promise<void> {
  const before = await readStoredState(server);
  await step();
  assert.equal(await readStoredState(server), before);
}

/** An answer without what names the request. */
const withoutId = (body: object) =>
  JSON.stringify(body, (name, value) => (/^(request|erasure)Id$/.test(name) ? '' : value));

/** Nothing is known of an erased subject: its erasure again, and that of an unknown one, have nothing left to erase. */
function assertNothingErased({ status, body }: TestResponse): void {
  assert.equal(status, 200);
  assert.deepEqual(body.data.counts, noCounts);
}

describeOnEachDatabase('every route, for another tenant', (dialect) => {
  testOnNewServer(
    dialect,
    'returns the same 404 for a resource of another tenant as for an unknown one, and changes nothing',
    async (context) => {
      await onRoutes(
        context,
        (route) => namesSomething(route) && route.auth !== 'public' && route.auth !== 'anonymous',
        async (route) => {
          const credentials = await acceptedCredentials(route, stranger);
          const request = await acceptedRequest(route, stranger);
          const filled = [await fillPath(route, scene), await fillPath(route, null)];
          const paths = filled.map((path) => addRequiredQuery(route, path));
          await assertNothingWritten(async () => {
            const answers = [];
            for (const path of paths) {
              const response = await server.request(route.method, path, join(credentials, request));
              if (route.operationId === 'eraseSubject') assertNothingErased(response);
              else assertError(route, response, 'not_found');
              answers.push(withoutId(response.body));
            }
            const [foreign = '', unknown = ''] = answers;
            assert.equal(foreign, unknown);
          });
        },
      );
    },
  );

  testOnNewServer(
    dialect,
    'returns 404 for a part of another resource, of the same tenant or of another, and changes nothing',
    async (context) => {
      const sibling = new Scene(server, stranger.tenant);
      await onRoutes(
        context,
        (route) => /\{.*\{/.test(route.path) && namesSomething(route) && route.auth !== 'public',
        async (route) => {
          const credentials = await acceptedCredentials(route, stranger);
          const request = await acceptedRequest(route, stranger);
          const own = (await fillPath(route, stranger)).split('/');
          const whole = route.path.split('/').findIndex((segment) => segment.startsWith('{'));
          for (const other of [sibling, scene]) {
            const path = (await fillPath(route, other)).split('/').with(whole, own[whole] as string);
            // The hash of equal contents is the same.
            if (path.join() === own.join()) continue;
            await assertNothingWritten(async () => {
              const target = addRequiredQuery(route, path.join('/'));
              assertError(route, await server.request(route.method, target, join(credentials, request)), 'not_found');
            });
          }
        },
      );
    },
  );

  testOnNewServer(dialect, 'returns 404 for a resource of another member of the tenant', async (context) => {
    const colleague = await server.createMember({ tenantId: scene.tenant.id });
    await onRoutes(
      context,
      (route) => route.auth === 'session' && namesSomething(route),
      async (route) => {
        const path = await fillPath(route, scene);
        await assertNothingWritten(async () => {
          const response = await server.request(route.method, path, { headers: colleague.session });
          assertError(route, response, 'not_found');
        });
      },
    );
  });
});

// Sessions are recognized before a route is chosen: one database is enough.
describe('every route, with a session that ended', () => {
  /** Asserts that every operation rejects a session. */
  async function assertEnded(context: TestContext, member: TestMember): Promise<void> {
    await onRoutes(
      context,
      ({ auth }) => ['scope', 'session', 'platform'].includes(auth),
      async (route) => {
        const request = await acceptedRequest(route, await createScene(server));
        const path = await fillPath(route, stranger);
        await assertNothingWritten(async () => {
          const response = await server.request(route.method, path, join(request, { headers: member.session }));
          assertError(route, response, 'unauthenticated');
        });
      },
    );
  }

  const createActive = async (): Promise<TestMember> => {
    const member = await server.createMember({ tenantId: stranger.tenant.id });
    assert.equal((await server.request('GET', '/v1/me', { headers: member.session })).status, 200);
    return member;
  };
  const changes: readonly [name: string, change: MembershipChange][] = [
    ['suspended', { isActivated: false }],
    ['removed from the group of their role', { isAssigned: false }],
    ['removed from the tenant', { isDeleted: true }],
  ];
  for (const [name, change] of changes) {
    testOnNewServer('sqlite', `rejects the session of a member as soon as they are ${name}`, async (context) => {
      const member = await createActive();
      const { tenant } = stranger;
      await runTransaction(server.installation.database, server.clock.now(), (tx) =>
        changeMembers(tx, systemSource(tenant.id), [member.userId], change, 'test'),
      );
      const left = await server.installation.database.kysely
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', member.userId)
        .execute();
      assert.deepEqual(left, []);
      // A session that a concurrent sign-in opened is rejected too.
      const { installation } = server;
      const late = await runTransaction(installation.database, server.clock.now(), (tx) => {
        const wanted = { tenantId: tenant.id, userId: member.userId, challengeId: null };
        return createSession(tx, wanted, installation.settings.sessionLifetime);
      });
      const session = { ...member.session, Cookie: `svc_session=${late.token}` };
      await assertEnded(context, { ...member, session });
    });
  }

  testOnNewServer('sqlite', 'rejects a session as soon as it is revoked', async (context) => {
    const member = await createActive();
    const { key } = stranger.tenant;
    const revoked = await server.request('DELETE', `/v1/users/${member.userId}/sessions/${member.sessionId}`, { key });
    assert.equal(revoked.status, 200, revoked.text);
    await assertEnded(context, member);
  });

  testOnNewServer(
    'sqlite',
    'rejects a session that was idle for an hour, and accepts it a millisecond earlier',
    async (context) => {
      const member = await createActive();
      server.clock.advance(hour - 1);
      assert.equal((await server.request('GET', '/v1/me', { headers: member.session })).status, 200);
      server.clock.advance(hour);
      await assertEnded(context, member);
    },
  );

  testOnNewServer('sqlite', 'rejects a session after a day, even if it is used', async (context) => {
    const member = await createActive();
    for (let hours = 0; hours < 47; hours += 1) {
      server.clock.advance(hour / 2);
      assert.equal((await server.request('GET', '/v1/me', { headers: member.session })).status, 200, `${hours / 2}`);
    }
    server.clock.advance(hour / 2 - 1);
    assert.equal((await server.request('GET', '/v1/me', { headers: member.session })).status, 200);
    server.clock.advance(1);
    await assertEnded(context, member);
  });
});
