import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updatePassword } from '../../../accounts/members/account-store.ts';
import { hashPurpose, PasswordHasher } from '../../../installation/password-hash.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { describeServer } from '../../consent/helpers.ts';
import { describeOnOneDatabase, startTestServer, type TestMember } from '../../harness.ts';
import { assertInvalid, assertProblem } from '../../http/problems.ts';
import { createEnrolledMember } from '../mfa/authenticator.ts';
import { verifyTenantRows } from '../mfa/recorded.ts';
import {
  addMembership,
  isOpen,
  lowCost,
  readCookies,
  readEvents,
  secret,
  sessionOf,
  signIn,
} from './sign-in-requests.ts';

const newPassword = 'seven tall giraffes went by';

describeServer('a change of the password', (server) => {
  const change = (member: TestMember, body: object = {}) =>
    server.request('POST', '/v1/auth/password', {
      headers: member.session,
      body: { currentPassword: member.password, newPassword, ...body },
    });
  const readHash = async ({ userId }: TestMember) => {
    const users = server.installation.database.kysely.selectFrom('users').selectAll();
    return (await users.where('id', '=', userId).executeTakeFirstOrThrow()).password_hash;
  };

  test('makes the new one count and the old one not', async () => {
    const member = await server.createMember();
    const response = await change(member);
    assert.equal(response.status, 200, response.text);
    assert.equal((await signIn(server, { ...member, password: newPassword })).status, 200);
    assertProblem(await signIn(server, member), 'invalid_credentials');
  });

  test('ends every other session, in all tenants, and continues with a new token', async () => {
    const member = await server.createMember();
    const other = await server.createTenant('also');
    await addMembership(server, other.id, member.email);
    const here = sessionOf(server, await signIn(server, { ...member, tenant: 'first' }));
    const there = sessionOf(server, await signIn(server, { ...member, tenant: other.slug }));
    const response = await change(member);
    for (const session of [member.session, here, there]) assert.ok(!(await isOpen(server, session)));
    const session = sessionOf(server, response);
    const me = await server.request('GET', '/v1/me', { headers: session });
    assert.equal(me.body.data.session.id, response.body.data.session.id);
    assert.equal(me.body.data.tenant.id, server.tenant.id);
    assert.deepEqual(readCookies(response).get('svc_session')?.attributes, ['Path=/', 'HttpOnly', 'SameSite=Lax']);
  });

  test('asks for the present one', async () => {
    const member = await server.createMember();
    const hash = await readHash(member);
    for (const currentPassword of ['wrong', newPassword, member.password.toUpperCase()])
      assertProblem(await change(member, { currentPassword }), 'password_incorrect');
    assertInvalid(await change(member, { currentPassword: '' }), 'body.currentPassword');
    assert.equal(await readHash(member), hash);
    assert.ok(await isOpen(server, member.session));
  });

  test('rejects a weak one, with the reason', async () => {
    const member = await server.createMember();
    const hash = await readHash(member);
    for (const [weak, issue] of [
      ['too short', /at least 15 characters/],
      ['🦒'.repeat(65), /at most 256 bytes/],
      ['aaaaaaaaaaaaaaaaaaaa', /too easy to guess; choose/],
      ['Password123456!', /too easy to guess; choose/],
      ['correcthorsebatterystaple', /many people know; choose/],
      [member.email, /your address/],
    ] as const) {
      const response = await change(member, { newPassword: weak });
      assertInvalid(response, 'body.newPassword');
      assert.match(response.body.error.details[0].issue, issue);
    }
    assertInvalid(await change(member, { newPassword: '' }), 'body.newPassword');
    assertInvalid(await change(member, { newPassword: 'x'.repeat(1025) }), 'body.newPassword');
    assert.equal(await readHash(member), hash);
    assert.ok(await isOpen(server, member.session));
  });

  test('accepts a shorter one of a user with a second factor', async () => {
    const short = 'kq7 zt pw';
    assertInvalid(await change(await server.createMember(), { newPassword: short }), 'body.newPassword');
    const enrolled = await createEnrolledMember(server);
    const response = await change(enrolled, { newPassword: short });
    assert.equal(response.status, 200, response.text);
  });

  test('is recorded for every tenant of the user, without hash and password', async () => {
    const member = await server.createMember();
    const other = await server.createTenant('other');
    const stranger = await server.createTenant('stranger');
    await addMembership(server, other.id, member.email);
    await addMembership(server, stranger.id, member.email, { isAccepted: false });
    assert.equal((await change(member)).status, 200);
    for (const { key } of [server.tenant, other]) {
      const events = await readEvents(server, key, 'account.password_changed');
      const event = events.filter(({ targetId, actorId }) => targetId === member.userId && actorId !== null).at(-1);
      assert.equal(event?.actorId, member.userId);
      const text = JSON.stringify(event);
      for (const secret of [newPassword, member.password, 'argon2', (await readHash(member)) as string])
        assert.ok(!text.includes(secret), secret);
    }
    assert.deepEqual(await readEvents(server, stranger.key, 'account.password_changed'), []);
    await verifyTenantRows(server, server.tenant.id, other.id, stranger.id);
  });

  test('beside another one: one of them counts, the other is refused', async () => {
    const member = await server.createMember();
    const passwords = ['seven tall giraffes went by', 'eight small beetles came along'] as const;
    const answers = await Promise.all(passwords.map((password) => change(member, { newPassword: password })));
    const winner = answers.findIndex(({ status }) => status === 200);
    const loser = 1 - winner;
    assert.notEqual(winner, -1);
    // It comes too late for the password, or the session has ended before it is looked at.
    assert.ok([401, 403].includes(answers[loser]?.status ?? 0), answers[loser]?.text);
    assert.equal((await signIn(server, { ...member, password: passwords[winner] as string })).status, 200);
    assertProblem(await signIn(server, { ...member, password: passwords[loser] as string }), 'invalid_credentials');
    await verifyTenantRows(server, server.tenant.id);
  });

  test('is never asked for by age', async () => {
    const member = await server.createMember();
    server.clock.advance(10 * 365 * 24 * 60 * 60 * 1000);
    assert.equal((await signIn(server, member)).body.data?.status, 'signed_in');
  });
});

describeOnOneDatabase('a hash of an earlier cost', (dialect) => {
  const start = async () => {
    const server = await startTestServer(dialect, { SVC_SECRET: secret }, { hashesSlowly: true });
    const member = await server.createMember();
    const { box } = server.installation;
    const cheap = new PasswordHasher(box, lowCost);
    const hash = await cheap.hash(member.password);
    await runTransaction(server.installation.database, server.clock.now(), async (tx) => {
      await updatePassword(tx, systemSource, member.userId, hash);
    });
    const read = () =>
      server.installation.database.kysely
        .selectFrom('users')
        .selectAll()
        .where('id', '=', member.userId)
        .executeTakeFirstOrThrow();
    return { server, member, hash, read, box };
  };

  test('is computed again at the next sign-in, which is recorded and keeps the time of the change', async () => {
    const { server, member, hash, read, box } = await start();
    await using _ = server;
    const before = await read();
    server.clock.advance(1000);
    assert.equal((await signIn(server, member)).status, 200);
    const after = await read();
    assert.notEqual(after.password_hash, hash);
    assert.match(box.open(after.password_hash ?? '', hashPurpose), /m=19456,t=2,p=1/);
    assert.equal(after.password_changed_at, before.password_changed_at);
    const [event, ...more] = await readEvents(server, server.tenant.key, 'account.password_rehashed');
    assert.deepEqual(more, []);
    assert.equal(event.actorId, member.userId);
    assert.ok(!JSON.stringify(event).includes('argon2'));
    assert.equal((await signIn(server, member)).status, 200);
    assert.equal((await read()).password_hash, after.password_hash);
    await verifyTenantRows(server, server.tenant.id);
  });

  test('stays where the password is wrong', async () => {
    const { server, member, hash, read } = await start();
    await using _ = server;
    assertProblem(await signIn(server, { ...member, password: 'another password' }), 'invalid_credentials');
    assert.equal((await read()).password_hash, hash);
  });

  test('is computed again only once in concurrent sign-ins', async () => {
    const { server, member } = await start();
    await using _ = server;
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(server, member)));
    for (const { status, text } of answers) assert.equal(status, 200, text);
    assert.equal((await readEvents(server, server.tenant.key, 'account.password_rehashed')).length, 1);
    await verifyTenantRows(server, server.tenant.id);
  });
});
