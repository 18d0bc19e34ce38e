import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createApp } from '../../../cli/server/app.ts';
import { startHousekeeping } from '../../../cli/server/housekeeping.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { failSignIn, isOpen, signIn, startBeside } from './sign-in-requests.ts';

const minute = 60_000;
const hour = 60 * minute;

describeOnOneDatabase('a session', (dialect) => {
  const countRows = async (server: TestServer, table: 'sessions' | 'sign_in_challenges' | 'sign_in_failures') => {
    const { kysely } = server.installation.database;
    return (await kysely.selectFrom(table).selectAll().execute()).length;
  };

  test('ends when the settings say', async () => {
    await using server = await startTestServer(dialect, { SVC_SESSION_IDLE_MINUTES: '5', SVC_SESSION_HOURS: '1' });
    const member = await server.createMember();
    server.clock.advance(5 * minute);
    assert.ok(!(await isOpen(server, member.session)));
    const response = await signIn(server, member);
    assert.equal(Date.parse(response.body.data.session.expiresAt) - server.clock.milliseconds(), hour);
  });

  test('is extended by requests whose time is not written yet', async () => {
    await using server = await startTestServer(dialect);
    const { session, sessionId } = await server.createMember();
    const opened = server.clock.now();
    const lastSeen = async () => {
      const sessions = server.installation.database.kysely.selectFrom('sessions').selectAll();
      return (await sessions.where('id', '=', sessionId).executeTakeFirstOrThrow()).last_seen_at;
    };
    for (let time = 0; time < 3; time += 1) {
      server.clock.advance(hour - 1);
      assert.ok(await isOpen(server, session));
      assert.equal(await lastSeen(), opened);
    }
    await server.app.lastUses.write(server.installation.database);
    assert.equal(await lastSeen(), server.clock.now());
    await using restarted = await startBeside(server);
    server.clock.advance(hour - 1);
    assert.ok(await isOpen(restarted, session));
  });

  test('is not kept up by requests that it is refused', async () => {
    await using server = await startTestServer(dialect);
    const { session } = await server.createMember();
    server.clock.advance(hour - 1);
    const foreign = { ...session, Origin: 'https://evil.example' };
    assertProblem(await server.request('POST', '/v1/auth/sign-out', { headers: foreign }), 'forbidden');
    server.clock.advance(1);
    assert.ok(!(await isOpen(server, session)));
  });

  test('is deleted after its end, like old challenges and failures', async (context) => {
    await using server = await startTestServer(dialect);
    const { installation, clock } = server;
    const member = await server.createMember();
    const idle = await server.createMember();
    await failSignIn(server, member);
    await installation.database.kysely
      .insertInto('sign_in_challenges')
      .values({
        id: '01990000-0000-7000-8000-000000000000',
        tenant_id: server.tenant.id,
        user_id: member.userId,
        attempts: 0,
        expires_at: clock.now(),
      })
      .execute();
    clock.advance(hour - 1);
    // Noted, and not written yet.
    assert.ok(await isOpen(server, member.session));
    clock.advance(1);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const settings = { ...installation.settings, verifyInterval: 0 };
    const app = createApp({ ...installation, settings }, { log: pino({ level: 'silent' }) });
    const housekeeping = startHousekeeping(installation, app);
    /** Lets a minute pass, and what it starts run to its end. */
    const keepHouse = async (until: () => Promise<boolean>) => {
      context.mock.timers.tick(minute);
      for (let times = 0; times < 1000 && !(await until()); times += 1) await turn();
    };
    await keepHouse(async () => (await countRows(server, 'sign_in_challenges')) === 0);
    assert.equal(await countRows(server, 'sign_in_challenges'), 0);
    assert.equal(await countRows(server, 'sessions'), 2, 'another process may have noted the last request');
    assert.ok(await isOpen(server, member.session));
    assert.ok(!(await isOpen(server, idle.session)));
    await server.app.lastUses.write(installation.database);
    clock.advance(2 * minute);
    await keepHouse(async () => (await countRows(server, 'sessions')) === 1);
    assert.equal(await countRows(server, 'sessions'), 1);
    assert.ok(await isOpen(server, member.session));
    assert.equal(await countRows(server, 'sign_in_failures'), 2, 'those of the address and of the account');
    clock.advance(24 * hour);
    await keepHouse(async () => (await countRows(server, 'sign_in_failures')) === 0);
    assert.equal(await countRows(server, 'sign_in_failures'), 0);
    assert.equal(await countRows(server, 'sessions'), 0);
    await housekeeping.stop();
  });
});

describeOnOneDatabase('the cookie of a session', (dialect) => {
  test('counts once: of two the first is taken, and not whichever is good', async () => {
    await using server = await startTestServer(dialect);
    const [one, other] = [await server.createMember(), await server.createMember()];
    const me = await server.request('GET', '/v1/me', {
      headers: { Cookie: `${one.session.Cookie}; ${other.session.Cookie}` },
    });
    assert.equal(me.body.data.user.id, one.userId);
    assert.ok(!(await isOpen(server, { Cookie: `svc_session=junk; ${one.session.Cookie}` })));
  });

  test('does not count beside an Authorization header, good or bad', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember({ role: 'cs_agent' });
    const read = (headers: Readonly<Record<string, string>>) =>
      server.request('GET', '/v1/audit', { key: null, headers: { ...member.session, ...headers } });
    assertProblem(await read({}), 'insufficient_scope');
    assert.equal((await read({ Authorization: `Bearer ${server.tenant.key}` })).status, 200);
    for (const Authorization of ['Bearer svc_live_nothing', 'Bearer', 'Basic eDp5', member.session.Cookie as string])
      assertProblem(await read({ Authorization }), 'unauthenticated');
  });
});
