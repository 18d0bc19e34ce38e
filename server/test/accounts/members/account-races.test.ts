import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { runTransaction } from '../../../storage/database.ts';
import { createFreshTenant, describeServerOnEachDatabase } from '../../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, type TestResponse } from '../../harness.ts';
import { assertIntact } from '../keys/keys.ts';
import { createEnrolledMember, showCode, signIn as signInWithCode } from '../mfa/authenticator.ts';
import { accept, invite } from './invitation-helpers.ts';
import { addPerson, changePeople } from './membership-helpers.ts';

describeServerOnEachDatabase('an account that everybody changes at once', (server) => {
  test('does not deadlock, and leaves every row as the audit logs record it', async () => {
    for (let round = 0; round < 4; round += 1) {
      const [home, other, lists] = [
        await createFreshTenant(server),
        await createFreshTenant(server),
        await createFreshTenant(server),
      ];
      const member = await createEnrolledMember(server, { tenantId: home.id, role: 'auditor' });
      const { token } = await invite(server, other, member.email);
      const { session: headers, password, email, userId } = member;
      const user = `/v1/users/${userId}`;
      const newPassword = 'seven tall giraffes went by';
      const requests = [
        accept(server, token, password),
        server.request('DELETE', `${user}/mfa`, { key: home.key }),
        signInWithCode(server, member, showCode(server, member.secret)).catch(() => null),
        server.request('PATCH', user, { key: home.key, body: { role: 'dpo', active: false } }),
        server.request('POST', '/v1/auth/password', { headers, body: { currentPassword: password, newPassword } }),
        server.request('DELETE', '/v1/me/mfa/totp', { headers, body: { password } }),
        server.request('POST', '/v1/me/mfa/backup-codes', { headers, body: { password } }),
        server.request('DELETE', `${user}/sessions`, { key: home.key }),
      ];
      const [answers] = await Promise.all([
        Promise.all(requests),
        addPerson(server, lists.id, { email }),
        addPerson(server, other.id, { email }),
        changePeople(server, home.id, [userId], { givenName: 'Ann', isActivated: true }),
      ]);
      for (const answer of answers) assert.ok(answer === null || answer.status < 500, answer?.text);
    }
    await assertIntact(server);
  });
});

describeOnEachDatabase('whatever ends a session', (dialect) => {
  const skip = dialect === 'sqlite' ? 'SQLite has one writer at a time' : false;
  test('locks the tenant before the session, so that sign-ins cannot deadlock', { skip }, async () => {
    await using server = await startTestServer(dialect, {}, { hashesSlowly: true });
    const { database } = server.installation;
    const isWaiting = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    for (const [method, path] of [
      ['POST', '/v1/auth/sign-out'],
      ['DELETE', '/v1/me/sessions/:session'],
      ['DELETE', '/v1/users/:user/sessions'],
      ['DELETE', '/v1/users/:user/sessions/:session'],
    ] as const) {
      const { userId, sessionId, session } = await server.createMember();
      const headers = path.startsWith('/v1/users') ? {} : session;
      const to = path.replace(':user', userId).replace(':session', sessionId);
      let response: Promise<TestResponse> | undefined;
      await runTransaction(database, server.clock.now(), async (tx) => {
        await tx.lockTenant(server.tenant.id);
        response = server.request(method, to, { headers });
        while ((await isWaiting.execute(database.kysely)).rows[0]?.count === 0);
        const own = sql`select id from sessions where id = ${sessionId} for update nowait`;
        assert.equal((await own.execute(tx.queries)).rows.length, 1, `${method} ${path}`);
      });
      const ended = await response;
      assert.equal(ended?.status, 200, ended?.text);
    }
  });
});
