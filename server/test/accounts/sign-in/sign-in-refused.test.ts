import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { updatePassword } from '../../../accounts/members/account-store.ts';
import { endSessions } from '../../../accounts/sign-in/session-store.ts';
import { databaseFile } from '../../../installation/installation.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { describeOnOneDatabase, startTestServer, type TestResponse, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { assertAbsent, needle } from '../../needle.ts';
import { addMembership, type Credentials, countHashes, readCookies, readEvents, signIn } from './sign-in-requests.ts';

describeOnOneDatabase('a sign-in that is refused', (dialect) => {
  let server: TestServer;
  let rounds = 0;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  const editUser = async (userId: string, body: object) => {
    const { status, text } = await server.request('PATCH', `/v1/users/${userId}`, { body });
    assert.equal(status, 200, text);
  };

  /** Every way in which a sign-in fails, with credentials that fail so. */
  async function createFailures(): Promise<ReadonlyMap<string, Credentials>> {
    const [member, suspended, deleted, elsewhere] = [
      await server.createMember(),
      await server.createMember(),
      await server.createMember(),
      await server.createMember({ tenantId: (await server.createTenant(`home-${rounds}`)).id }),
    ];
    const provisioned = `provisioned-${rounds}@example.com`;
    const foreign = await server.createTenant(`not-theirs-${rounds}`);
    rounds += 1;
    await editUser(suspended.userId, { active: false });
    assert.equal((await server.request('DELETE', `/v1/users/${deleted.userId}`)).status, 200);
    await addMembership(server, server.tenant.id, provisioned, { isAccepted: false });
    await addMembership(server, server.tenant.id, elsewhere.email, { isAccepted: false });
    const { password } = member;
    return new Map<string, Credentials>([
      ['a wrong password', { ...member, password: 'another password altogether' }],
      ['the password in another case', { ...member, password: password.toUpperCase() }],
      ['the password with more behind it', { ...member, password: `${password} ` }],
      ['the password cut short', { ...member, password: password.slice(0, -1) }],
      ['an unknown address', { email: 'unknown@example.com', password }],
      ['an address that is none', { email: 'unknown', password }],
      ['an address of another person with this one', { email: `x${member.email}`, password }],
      ['a suspended member', suspended],
      ['a deleted member', deleted],
      ['a member without a password', { email: provisioned, password }],
      ['a membership that was never accepted', { ...elsewhere, tenant: 'first' }],
      ['a tenant that they are no member of', { ...member, tenant: foreign.slug }],
      ['a tenant that does not exist', { ...member, tenant: 'no-such-tenant' }],
      ['an id of no tenant', { ...member, tenant: '01990000-0000-7000-8000-000000000000' }],
    ]);
  }

  /** The visible parts of an answer, without those that differ each time. */
  const describeAnswer = ({ status, headers, body }: TestResponse) => {
    const { requestId: _, ...error } = body.error;
    const shown = [...headers].filter(([name]) => !['date', 'svc-request-id'].includes(name));
    // The limit of the address counts down with each answer, whatever was sent.
    return { status, error, headers: shown.map(([name, value]) => [name, value.replace(/;r=\d+;/, ';r=;')]) };
  };

  test('answers alike whatever the cause is', async (context) => {
    const failures = await createFailures();
    const answers: object[] = [];
    for (const [name, credentials] of failures) {
      await context.test(name, async () => {
        const response = await signIn(server, credentials);
        assertProblem(response, 'invalid_credentials');
        assert.equal(response.status, 401);
        assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="svc"');
        assert.match(response.headers.get('ratelimit') ?? '', /^"sign_in_address";r=\d+;t=\d+$/);
        assert.equal(readCookies(response).size, 0);
        answers.push(describeAnswer(response));
        assert.deepEqual(answers.at(-1), answers[0]);
      });
    }
    assert.equal(answers.length, failures.size);
  });

  test('computes one hash for every cause, as a success does', async (context) => {
    const failures = await createFailures();
    const member = await server.createMember();
    assert.equal(await countHashes(() => signIn(server, member)), 1);
    for (const [name, credentials] of failures) {
      await context.test(name, async () => {
        assert.equal(await countHashes(() => signIn(server, credentials)), 1);
      });
    }
  });

  // A write waits for the disk, which takes longer than anything else but the hash.
  test('makes the same number of durable writes for every cause', { skip: dialect !== 'sqlite' }, async (context) => {
    const failures = await createFailures();
    for (const [name, credentials] of failures) {
      await context.test(name, async () => {
        assert.equal(await countCommits(() => signIn(server, credentials)), 2);
      });
    }
  });

  /** Counts the commits that a step adds to the log of the SQLite file. */
  async function countCommits(step: () => Promise<unknown>): Promise<number> {
    const log = `${databaseFile(server.installation.settings.dataDir)}-wal`;
    const before = statSync(log).size;
    await step();
    const added = readFileSync(log).subarray(before);
    const frameSize = 24 + 4096;
    let commits = 0;
    // The last frame of a commit names the size of the database (https://sqlite.org/fileformat2.html#walformat).
    for (let at = 0; at < added.length; at += frameSize) if (added.readUInt32BE(at + 4) > 0) commits += 1;
    return commits;
  }

  test('is recorded for every tenant whose invitation the user accepted, and for no other', async () => {
    const [other, left, lists, never] = [
      await server.createTenant('other'),
      await server.createTenant('left'),
      await server.createTenant('lists'),
      await server.createTenant('never'),
    ];
    const person = await server.createMember();
    for (const { id } of [other, left]) await addMembership(server, id, person.email);
    await addMembership(server, lists.id, person.email, { isAccepted: false });
    const removed = await server.request('DELETE', `/v1/users/${person.userId}`, { key: left.key });
    assert.equal(removed.status, 200, removed.text);
    await signIn(server, { ...person, password: 'wrong but long enough' }, { 'User-Agent': 'Test Browser' });
    for (const { key } of [server.tenant, other]) {
      const events = (await readEvents(server, key, 'session.refused')).filter(
        ({ targetId }) => targetId === person.userId,
      );
      assert.equal(events.length, 1);
      const [event] = events;
      assert.equal(event.actorType, 'user');
      assert.equal(event.actorId, null);
      assert.equal(event.actorEmail, null);
      assert.equal(event.targetRef, person.email);
      assert.equal(event.reason, 'Wrong password, or no active membership');
      const text = JSON.stringify(event);
      for (const secret of ['127.0.0.1', 'Test Browser', 'wrong but long', person.password])
        assert.ok(!text.includes(secret), secret);
    }
    for (const { key } of [left, lists, never]) assert.deepEqual(await readEvents(server, key, 'session.refused'), []);
  });

  test('is recorded only for the tenant that it named', async () => {
    const [named, other] = [await server.createTenant('named'), await server.createTenant('unnamed')];
    const person = await server.createMember({ tenantId: named.id });
    await addMembership(server, other.id, person.email);
    for (const tenant of [named.slug, named.id, 'no-such-tenant'])
      await signIn(server, { ...person, password: 'wrong but long enough', tenant });
    assert.equal((await readEvents(server, named.key, 'session.refused')).length, 2);
    assert.deepEqual(await readEvents(server, other.key, 'session.refused'), []);
  });

  test('is recorded in the same words when the password was right, which a tenant that the user left must not learn', async () => {
    const person = await server.createMember();
    await editUser(person.userId, { active: false });
    for (const password of [person.password, 'wrong but long enough']) await signIn(server, { ...person, password });
    const events = (await readEvents(server, server.tenant.key, 'session.refused')).slice(-2);
    for (const { targetId, reason } of events)
      assert.deepEqual([targetId, reason], [person.userId, 'Wrong password, or no active membership']);
  });

  test('stores no e-mail address in its counters', async () => {
    const email = `${needle('typo')}@example.com`;
    await signIn(server, { email, password: 'wrong but long enough' });
    const rows = await server.installation.database.kysely.selectFrom('sign_in_failures').selectAll().execute();
    assert.ok(rows.length > 0);
    assertAbsent(JSON.stringify(rows), email);
    for (const { subject } of rows) assert.match(subject, /^[0-9a-f]{64}$/);
  });
});

describeOnOneDatabase('a sign-in beside a change of what it stands on', (dialect) => {
  test('never leaves a session that was opened with the old password', async () => {
    await using server = await startTestServer(dialect, {}, { hashesSlowly: true });
    for (let round = 0; round < 5; round += 1) {
      const member = await server.createMember();
      server.clock.advance(1000);
      const [changed, ...signedIn] = await Promise.all([
        server.request('POST', '/v1/auth/password', {
          headers: member.session,
          body: { currentPassword: member.password, newPassword: 'seven tall giraffes went by' },
        }),
        ...Array.from({ length: 4 }, () => signIn(server, member)),
      ]);
      assert.equal(changed?.status, 200, changed?.text);
      for (const response of signedIn) {
        const token = readCookies(response).get('svc_session');
        if (token === undefined) assertProblem(response, 'invalid_credentials');
        else {
          const { status } = await server.request('GET', '/v1/me', {
            headers: { Cookie: `svc_session=${token.value}` },
          });
          assert.equal(status, 401);
        }
      }
    }
  });

  const skip = dialect === 'sqlite' ? 'SQLite has one writer at a time' : false;
  test('waits for a concurrent change of the password', { skip }, async () => {
    await using server = await startTestServer(dialect);
    const { database, passwords } = server.installation;
    const member = await server.createMember();
    const hash = await passwords.hash('seven tall giraffes went by');
    server.clock.advance(1000);
    let response: Promise<TestResponse> | undefined;
    await runTransaction(database, server.clock.now(), async (tx) => {
      await updatePassword(tx, systemSource, member.userId, hash);
      response = signIn(server, member);
      const isWaiting = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await isWaiting.execute(database.kysely)).rows[0]?.count === 0);
      await endSessions(tx.queries, { userIds: [member.userId] });
    });
    assertProblem((await response) as TestResponse, 'invalid_credentials');
    assert.deepEqual(await database.kysely.selectFrom('sessions').selectAll().execute(), []);
  });

  test('never leaves a session of a member who is suspended concurrently', async () => {
    await using server = await startTestServer(dialect, {}, { hashesSlowly: true });
    for (let round = 0; round < 5; round += 1) {
      const member = await server.createMember({ role: 'auditor' });
      const edit = (active: boolean) => server.request('PATCH', `/v1/users/${member.userId}`, { body: { active } });
      const suspend = async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return edit(false);
      };
      const [suspended, ...signedIn] = await Promise.all([
        suspend(),
        ...Array.from({ length: 4 }, () => signIn(server, member)),
      ]);
      assert.equal(suspended?.status, 200, suspended?.text);
      assert.equal((await edit(true)).status, 200);
      for (const response of signedIn) {
        const token = readCookies(response).get('svc_session');
        if (token === undefined) continue;
        const { status } = await server.request('GET', '/v1/me', { headers: { Cookie: `svc_session=${token.value}` } });
        assert.equal(status, 401, 'a session from before the suspension lives on');
      }
    }
  });
});
