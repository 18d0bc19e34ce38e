import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { scopes } from '../../../http/roles.ts';
import { personal, recordEvents, systemSource } from '../../../ledger/audit/store.ts';
import { stepRows } from '../../../privacy/erasure/store.ts';
import { continueUserErasure } from '../../../privacy/erasure/user-store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { removeRemains } from '../../../storage/erased-remains.ts';
import { runSvc } from '../../cli/run-svc.ts';
import { assertProblem, createFreshTenant, payload } from '../../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { runVerify } from '../../ledger/fixture.ts';
import { changeRow, type Row, readRows } from '../../ledger/tamper.ts';
import { assertAbsent, needle } from '../../needle.ts';
import { createEndpoint } from '../../webhooks/sending.ts';
import { getToken, postKey } from '../keys/keys.ts';
import { sendInvitation } from './invitation-helpers.ts';
import { addPerson, changePeople, isSignedIn, readState, signIn, watch } from './membership-helpers.ts';

describeOnEachDatabase('POST /v1/users/{id}/erase', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  /** A tenant with an administrator, an endpoint and a member. */
  const createTeam = async () => {
    const tenant = await createFreshTenant(server);
    await createEndpoint(server, tenant, 'https://hooks.example.com/', { status: 'paused' });
    const admin = await server.createMember({ tenantId: tenant.id });
    const member = await server.createMember({ tenantId: tenant.id, role: 'engineer' });
    return { tenant, admin, member };
  };
  const erase = (id: string, headers: Readonly<Record<string, string>>, reason = 'Left, and asked for it') =>
    server.request('POST', `/v1/users/${id}/erase`, { headers, body: { reason } });
  /** Every row of every table; of SQLite also the bytes of the file and its log. */
  const contents = async () => {
    const { database, settings } = server.installation;
    assert.ok(await removeRemains(database));
    const files =
      dialect === 'sqlite' ? readdirSync(settings.dataDir).filter((name) => name.startsWith('svc.sqlite')) : [];
    const bytes = files.map((name) => readFileSync(join(settings.dataDir, name), 'latin1'));
    return [await readState(server), ...bytes].join('\n').toLowerCase();
  };
  const verified = async () => {
    const { code, lines } = await runVerify(server.installation);
    assert.equal(code, 0, lines.join('\n'));
  };
  const environment = () => {
    const { dataDir, databaseUrl } = server.installation.settings;
    return { SVC_DATA_DIR: dataDir, ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }) };
  };
  const svc = (...words: readonly string[]) => runSvc(['user', 'erase', ...words], environment());

  test('clears the person everywhere, keeps what they did, and everything still verifies', async () => {
    const { tenant, admin } = await createTeam();
    const key = 'invite-the-erased';
    const email = `${needle('erased')}@example.com`;
    const invited = payload(
      await sendInvitation(
        server,
        { email, role: 'auditor' },
        { key: tenant.key, headers: { 'Idempotency-Key': key } },
      ),
    );
    const person = {
      email,
      userName: email.toUpperCase(),
      givenName: needle('given'),
      familyName: needle('family'),
      externalId: needle('external'),
      role: 'engineer',
      isAccepted: true,
    } as const;
    const { userId } = (await addPerson(server, tenant.id, person)) as { userId: string };
    await changePeople(server, tenant.id, [userId], { userName: email.replace('needle', 'NEEDLE') });
    const suspension = { active: false, reason: `${person.givenName} left us` };
    payload(await server.request('PATCH', `/v1/users/${userId}`, { key: tenant.key, body: suspension }), 200);
    const source = { ...systemSource(tenant.id), actor: { type: 'user', id: userId, email } } as const;
    const event = { module: 'tenants', action: 'tenant.updated', targetId: tenant.id, targetRef: 'Kept name' } as const;
    await runTransaction(server.installation.database, server.clock.now(), (tx) =>
      recordEvents(tx, [{ source, event }]),
    );
    await verified();
    const values = [email, person.givenName, person.familyName, person.externalId];
    const present = await contents();
    for (const value of values) assert.ok(present.includes(value.toLowerCase()), value);
    const { result, events, webhooks } = await watch(server, tenant.id, () => erase(userId, admin.session));
    const { erasureId: _, ...done } = payload(result, 200);
    const counts = { sessions: 0, invitations: 1, auditEvents: 5, events: 2, deliveries: 2, responses: 1 };
    assert.deepEqual(done, { status: 'done', counts });
    const left = await contents();
    assertAbsent(left, ...[...values, invited.token].map((value) => value.toLowerCase()));
    await verified();

    assert.deepEqual(
      events.map(({ action, targetId, targetRef, reason }) => [action, targetId, targetRef, reason]),
      [
        ['invitation.deleted', invited.id, null, null],
        ['user.erased', userId, null, 'Left, and asked for it'],
      ],
    );
    assert.match(events[1].diff.sequences.audit.actorEmail, /^\d/);
    const data = { userId, email: null, role: 'engineer', status: 'deleted' };
    assert.deepEqual(
      webhooks.map(({ type, data }) => ({ type, data })),
      [
        {
          type: 'user.deprovisioned',
          data: { ...data, before: { status: 'suspended' }, after: { status: 'deleted' } },
        },
      ],
    );
    const log = payload(await server.request('GET', `/v1/audit?actorId=${userId}`, { key: tenant.key }), 200);
    assert.deepEqual(
      log.items.map(({ actorEmail, targetRef }: Record<string, unknown>) => [actorEmail, targetRef]),
      [[null, 'Kept name']],
    );
    const retried = await sendInvitation(
      server,
      { email, role: 'auditor' },
      { key: tenant.key, headers: { 'Idempotency-Key': key } },
    );
    assert.deepEqual([payload(retried).email, payload(retried).id], [null, invited.id]);
    assertProblem(await server.request('GET', `/v1/users/${userId}`, { key: tenant.key }), '404 not_found');
    assertProblem(await erase(userId, admin.session), '404 not_found');
  });

  test('ends sessions and sign-in, keeps the API keys of the tenant, and covers a former member', async () => {
    const { tenant, admin, member } = await createTeam();
    const body = { name: 'Kept key', scopes: ['members:read'] };
    const second = await server.createMember({ tenantId: tenant.id });
    const { key } = payload(await server.request('POST', '/v1/api-keys', { headers: second.session, body }));
    const { counts } = payload(await erase(second.userId, admin.session), 200);
    assert.equal(counts.sessions, 1);
    assert.equal(await isSignedIn(server, second.session), false);
    assertProblem(await signIn(server, second.email, second.password), '401 invalid_credentials');
    assert.equal((await server.request('GET', '/v1/members', { key })).status, 200);
    payload(await server.request('DELETE', `/v1/users/${member.userId}`, { headers: admin.session }), 200);
    const { webhooks } = await watch(server, tenant.id, () => erase(member.userId, admin.session));
    assert.deepEqual(webhooks, [], 'they were removed before');
    const left = await contents();
    for (const { email, userId } of [member, second]) {
      assert.ok(!left.includes(email), email);
      assertProblem(await erase(userId, admin.session), '404 not_found');
    }
    const back = payload(await sendInvitation(server, { email: member.email, role: 'auditor' }, { key: tenant.key }));
    assert.equal(back.email, member.email, 'the address can be invited again');
    await verified();
  });

  test('leaves another tenant its member, and the account with it', async () => {
    const { tenant, admin, member } = await createTeam();
    const other = await createTeam();
    const there = await server.createMember({ tenantId: other.tenant.id, email: member.email });
    const key = await server.createKey(other.tenant.id, ['users:read', 'users:write']);
    const body = { reason: 'Not mine' };
    assertProblem(await server.request('POST', `/v1/users/${admin.userId}/erase`, { key, body }), '404 not_found');
    payload(await erase(member.userId, admin.session), 200);
    assertProblem(
      await signIn(server, member.email, member.password, { tenant: tenant.slug }),
      '401 invalid_credentials',
    );
    assert.equal(await isSignedIn(server, there.session), true);
    payload(await signIn(server, member.email, there.password, { tenant: other.tenant.slug }), 200);
    const log = payload(await server.request('GET', '/v1/audit?limit=100', { key: other.tenant.key }), 200);
    assert.ok(log.items.some(({ targetRef }: Record<string, unknown>) => targetRef === member.email));
    await verified();
    payload(await erase(member.userId, other.admin.session), 200);
    assert.ok(!(await contents()).includes(member.email));
    await verified();
  });

  test('refuses yourself, the last administrator, and a member with more rights', async () => {
    const { tenant, admin, member } = await createTeam();
    await changePeople(server, tenant.id, [member.userId], { givenName: 'Ada', familyName: 'Lovelace-Smith' });
    const key = await server.createKey(tenant.id, ['users:read', 'users:write']);
    const before = await readState(server);
    assertProblem(await erase(admin.userId, admin.session), '409 conflict');
    assertProblem(
      await server.request('POST', `/v1/users/${member.userId}/erase`, { key, body: { reason: 'x' } }),
      '403 forbidden',
    );
    const last = await server.request('POST', `/v1/users/${admin.userId}/erase`, {
      key: tenant.key,
      body: { reason: 'x' },
    });
    assertProblem(last, '409 conflict');
    assert.match(last.body.error.message, /last administrator/);
    for (const body of [
      {},
      { reason: ' ' },
      { reason: 'x'.repeat(2001) },
      { reason: 'x', more: 1 },
      { reason: `For ${member.email.toUpperCase()}` },
      { reason: 'Ada lovelace-smith left' },
    ])
      assertProblem(
        await server.request('POST', `/v1/users/${member.userId}/erase`, { headers: admin.session, body }),
        '422 validation_failed',
      );
    assert.equal(await readState(server), before);
  });

  test('refuses a caller with a key that they created, a further key, or an access token', async () => {
    const { tenant, admin } = await createTeam();
    await server.createMember({ tenantId: tenant.id });
    const first = await postKey(server, { scopes }, { headers: admin.session });
    const second = await postKey(server, { scopes }, { key: first.key });
    const { access_token } = await getToken(server, second);
    const before = await readState(server);
    for (const key of [first.key, second.key, access_token]) {
      const body = { reason: 'x' };
      const refused = await server.request('POST', `/v1/users/${admin.userId}/erase`, { key, body });
      assertProblem(refused, '409 conflict');
      assert.match(refused.body.error.message, /You cannot erase yourself, also with an API key/);
    }
    assert.equal(await readState(server), before);
    const body = { reason: 'x' };
    payload(await server.request('POST', `/v1/users/${admin.userId}/erase`, { key: tenant.key, body }), 200);
  });

  test('refuses a member whose row something else changed, also from the command line', async () => {
    const { database } = server.installation;
    const { tenant, admin, member } = await createTeam();
    const staff = await server.createMember({ tenantId: tenant.id, role: 'platform_admin' });
    const changes = [
      { user: staff, values: { role: 'auditor' } },
      { user: admin, values: { role: 'auditor' } },
      { user: member, values: { deleted_at: server.clock.now() } },
    ];
    for (const { user, values } of changes) {
      const rows = await readRows(database, 'memberships');
      const row = rows.find(({ user_id }) => user_id === user.userId) as Row;
      await changeRow(database, 'memberships', row, values);
      const before = await readState(server);
      const options = { key: tenant.key, body: { reason: 'x' } };
      const refused = await server.request('POST', `/v1/users/${user.userId}/erase`, options);
      assertProblem(refused, '409 conflict');
      assert.match(refused.body.error.message, /svc verify/);
      const { code, stderr } = await svc('--email', user.email);
      assert.equal(code, 1);
      assert.match(stderr, /^svc: The seal of a row of memberships does not hold.*svc verify\.\n$/);
      assert.equal(await readState(server), before);
      const original = Object.keys(values).map((column) => [column, row[column] ?? null]);
      await changeRow(database, 'memberships', row, Object.fromEntries(original));
    }
    const account = (await readRows(database, 'users')).find(({ id }) => id === member.userId) as Row;
    await changeRow(database, 'users', account, { password_changed_at: null });
    for (const command of ['erase', 'reset', 'reactivate']) {
      const words = ['user', command, '--email', member.email, ...(command === 'reset' ? ['--password'] : [])];
      const { code, stderr } = await runSvc(words, environment());
      assert.equal(code, 1, stderr);
      assert.match(stderr, /^svc: The seal of a row of users does not hold.*svc verify\.\n$/);
    }
    await changeRow(database, 'users', account, { password_changed_at: account.password_changed_at ?? null });
    await verified();
  });

  test('continues in the background beyond a thousand events', async () => {
    const { database, clock, box } = server.installation;
    const { tenant, admin, member } = await createTeam();
    const source = systemSource(tenant.id);
    const event = {
      module: 'identity',
      action: 'session.created',
      targetId: member.userId,
      targetRef: personal(member.email),
    } as const;
    const events = Array.from({ length: 2 * stepRows }, () => ({ source, event }));
    await runTransaction(database, clock(), (tx) => recordEvents(tx, events));
    const started = payload(await erase(member.userId, admin.session), 200);
    assert.equal(started.status, 'running');
    assertProblem(await signIn(server, member.email, member.password), '401 invalid_credentials');
    await verified();
    let steps = 0;
    while (await continueUserErasure(database, box, clock())) steps += 1;
    assert.ok(steps >= 1);
    assert.ok(!(await contents()).includes(member.email));
    await verified();
  });

  test('works from the command line, in every tenant or in one, and for an address that was only invited', async () => {
    const { tenant, member } = await createTeam();
    const other = await createTeam();
    await server.createMember({ tenantId: other.tenant.id, email: member.email });
    const third = await createTeam();
    await sendInvitation(server, { email: member.email, role: 'auditor' }, { key: third.tenant.key });
    const one = await svc('--email', member.email.toUpperCase(), '--tenant', other.tenant.slug);
    assert.deepEqual([one.code, one.stderr], [0, '']);
    assert.match(one.stdout, /in 1 tenant\.\nOther tenants have this user, so the account stays\./);
    assert.equal(await isSignedIn(server, member.session), true);
    await verified();
    const all = await svc('--email', member.email, '--json', '--reason', 'Asked for it');
    assert.deepEqual([all.code, all.stderr], [0, '']);
    const { isAccountErased, tenants } = JSON.parse(all.stdout);
    assert.equal(isAccountErased, true);
    assert.deepEqual(
      tenants.map(({ tenantId, counts }: { tenantId: string; counts: object }) => [tenantId, counts]),
      [
        [tenant.id, { sessions: 1, invitations: 0, auditEvents: 2, events: 1, deliveries: 1, responses: 0 }],
        [third.tenant.id, { sessions: 0, invitations: 1, auditEvents: 1, events: 0, deliveries: 0, responses: 0 }],
      ].sort(),
    );
    assert.ok(!(await contents()).includes(member.email));
    await verified();
    const before = await readState(server);
    const admin = await svc('--email', other.admin.email);
    assert.deepEqual([admin.code, admin.stdout], [2, '']);
    assert.match(
      admin.stderr,
      new RegExp(`${other.tenant.slug}: This is the last administrator .* Nothing was erased`),
    );
    for (const words of [
      ['--email', member.email],
      ['--email', 'nonsense'],
      ['--email', other.member.email, '--tenant', tenant.slug],
      ['--email', other.member.email, '--tenant', 'unknown'],
      ['--email', other.member.email, '--reason', ' '],
      ['--email', other.member.email, '--reason', `Asked by ${other.member.email}`],
      [],
    ]) {
      const { code, stdout, stderr } = await svc(...words);
      assert.deepEqual([code, stdout], [2, ''], stderr);
    }
    assert.equal(await readState(server), before);
  });
});
