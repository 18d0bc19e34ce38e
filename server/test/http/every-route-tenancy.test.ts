import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createSession } from '../../access/session-store.ts';
import { systemSource } from '../../audit/source.ts';
import type { Route } from '../../http/route.ts';
import type { MembershipChange } from '../../identity/membership.ts';
import { changeMembers } from '../../identity/membership-changes.ts';
import { runUnitOfWork } from '../../storage/unit-of-work.ts';
import { describeOnEachDatabase, startTestServer, type TestMember, type TestServer } from '../harness.ts';
import { acceptedCredentials, acceptedRequest, fillPath, join, namesSomething } from './route-samples.ts';
import { createScene, type Scene } from './scene.ts';
import { readAllRows } from './stored-rows.ts';
import { assertError } from './surface-forms.ts';

const hour = 60 * 60_000;

describeOnEachDatabase('every route', (dialect) => {
  let server: TestServer;
  let scene: Scene;
  let stranger: Scene;

  /** A test on a server of its own: what is written is found by reading every row, and scenes add up. */
  function testAlone(name: string, step: (context: TestContext) => Promise<void>): void {
    test(name, async (context) => {
      server = await startTestServer(dialect);
      context.after(() => server[Symbol.asyncDispose]());
      [scene, stranger] = [await createScene(server), await createScene(server)];
      await step(context);
    });
  }

  async function onRoutes(context: TestContext, fits: (_: Route) => boolean, check: (route: Route) => Promise<void>) {
    const fitting = server.app.routes.filter(fits);
    assert.ok(fitting.length > 0);
    for (const route of fitting) await context.test(`${route.method} ${route.path}`, () => check(route));
  }

  /** Runs a step and asserts that no row of any tenant was changed by it. */
  async function assertNothingWritten(step: () => Promise<void>): Promise<void> {
    const before = await readAllRows(server.installation.database);
    await step();
    assert.equal(await readAllRows(server.installation.database), before);
  }

  /** An answer without what names the request. */
  const withoutId = (body: object) => JSON.stringify(body, (name, value) => (name === 'requestId' ? '' : value));

  testAlone('answers about the things of another tenant as about none, and leaves them alone', async (context) => {
    await onRoutes(
      context,
      (route) => namesSomething(route) && route.auth !== 'public',
      async (route) => {
        const credentials = await acceptedCredentials(route, stranger);
        const request = await acceptedRequest(route, stranger);
        const paths = [await fillPath(route, scene), await fillPath(route, null)];
        await assertNothingWritten(async () => {
          const answers = [];
          for (const path of paths) {
            const response = await server.request(route.method, path, join(credentials, request));
            assertError(route, response, 'not_found');
            answers.push(withoutId(response.body));
          }
          const [foreign = '', unknown = ''] = answers;
          assert.equal(foreign, unknown);
        });
      },
    );
  });

  testAlone('answers about what another member of the tenant alone may name as about nothing', async (context) => {
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

  /** Asserts that a session is good for nothing any more. */
  async function assertEnded(context: TestContext, member: TestMember): Promise<void> {
    await onRoutes(
      context,
      ({ auth }) => auth === 'scope' || auth === 'session',
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
    testAlone(`refuses the session of a member from the moment that they are ${name}`, async (context) => {
      const member = await createActive();
      const { tenant } = stranger;
      await runUnitOfWork(server.installation.database, server.clock.now(), (work) =>
        changeMembers(work, systemSource(tenant.id), [member.userId], change, 'test'),
      );
      const left = await server.installation.database.kysely
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', member.userId)
        .execute();
      assert.deepEqual(left, []);
      // One that a sign-in opened in the same moment is good for nothing either.
      const { installation } = server;
      const late = await runUnitOfWork(installation.database, server.clock.now(), (work) => {
        const wanted = { tenantId: tenant.id, userId: member.userId, challengeId: null };
        return createSession(work, wanted, installation.settings.sessionLifetime);
      });
      const session = { ...member.session, Cookie: `svc_session=${late.token}` };
      await assertEnded(context, { ...member, session });
    });
  }

  testAlone('refuses a session from the moment that it was revoked', async (context) => {
    const member = await createActive();
    const { key } = stranger.tenant;
    const revoked = await server.request('DELETE', `/v1/users/${member.userId}/sessions/${member.sessionId}`, { key });
    assert.equal(revoked.status, 200, revoked.text);
    await assertEnded(context, member);
  });

  testAlone('refuses a session that nobody used for an hour, and takes it a moment before', async (context) => {
    const member = await createActive();
    server.clock.advance(hour - 1);
    assert.equal((await server.request('GET', '/v1/me', { headers: member.session })).status, 200);
    server.clock.advance(hour);
    await assertEnded(context, member);
  });

  testAlone('refuses a session after a day, however busy it was', async (context) => {
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
