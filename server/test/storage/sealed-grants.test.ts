import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { updatePassword } from '../../accounts/members/account-store.ts';
import { scopes } from '../../http/roles.ts';
import { generateToken, hashToken } from '../../installation/token.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { Findings } from '../../proofs/findings.ts';
import { verifyGrants } from '../../proofs/verify-grants.ts';
import type { Scene } from '../../proofs/verify-tenant.ts';
import { addTime, runTransaction } from '../../storage/database.ts';
import { newId } from '../../storage/rows.ts';
import { listColumns } from '../../storage/schema.ts';
import { type GrantTable, grantTables, sealedColumns } from '../../storage/secrets.ts';
import { readLayout } from '../../storage/table-layout.ts';
import { goodPassword, invite } from '../accounts/members/invitation-helpers.ts';
import { createEnrolledMember, showCode } from '../accounts/mfa/authenticator.ts';
import {
  describeOnEachDatabase,
  type RequestOptions,
  startTestServer,
  type TestMember,
  type TestServer,
  type TestTenant,
} from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';
import { changeRow, deleteRow, insertRow, type Row, readRows } from '../ledger/tamper.ts';

/** The grant of a row: a text that names it, or nothing. */
type Grant = string | null;

/** A row, and a request that uses what it grants. */
interface Case {
  readonly table: GrantTable;
  readonly name: string;
  readonly fits: (row: Row) => boolean;
  /** Null when the row grants nothing; it is not used up by a request that gets nothing. */
  readonly use: () => Promise<Grant>;
  /** The result of `use` before any change; by default anything. */
  readonly grants?: Grant;
  /** True if `use` uses the row up. */
  readonly isOnce?: true;
}

const password = 'member of the granite choir';

describeOnEachDatabase('a row that grants access', (dialect) => {
  let server: TestServer;
  let other: TestTenant;
  let cases: readonly Case[];
  let layout: Awaited<ReturnType<typeof readLayout>>;
  before(async () => {
    layout = await readLayout();
    server = await startTestServer(dialect);
    other = await server.createTenant('other');
    cases = await fill();
  });
  after(() => server[Symbol.asyncDispose]());

  const send = async (method: string, path: string, options: RequestOptions) => {
    const response = await server.request(method, path, options);
    return { ...response, data: response.body?.data ?? response.body };
  };
  const signIn = async (email: string): Promise<Grant> => {
    // Failed attempts are counted; the counter is not what is tested.
    await server.installation.database.kysely.deleteFrom('sign_in_failures').execute();
    const { status, data } = await send('POST', '/v1/auth/sign-in', { key: null, body: { email, password } });
    return status !== 200 ? null : data.status === 'signed_in' ? `${data.user.id} ${data.user.role}` : data.status;
  };
  const readMe = async ({ session: headers }: Pick<TestMember, 'session'>): Promise<Grant> => {
    const { status, data } = await send('GET', '/v1/me', { headers });
    const staff = await send('GET', '/v1/tenants', { headers });
    return status === 200 ? [data.user.id, data.tenant.slug, data.user.role, staff.status].join(' ') : null;
  };
  const useKey = async (key: string): Promise<Grant> => {
    const paths = ['/v1/audit', '/v1/tenant', '/v1/webhooks', '/v1/api-keys'];
    const statuses = [];
    for (const slug of ['first', 'other'])
      for (const path of paths)
        statuses.push((await send('GET', path, { key, headers: { 'Svc-Tenant': slug } })).status);
    const alone = await send('GET', '/v1/audit', { key });
    return statuses.includes(200) || alone.status === 200 ? [...statuses, alone.text.length > 0].join(' ') : null;
  };
  const readTenant = async (): Promise<Grant> => {
    const { status, data } = await send('GET', '/v1/tenant', {});
    return status === 200 ? JSON.stringify(data) : null;
  };
  const find = async (table: GrantTable, fits: (row: Row) => boolean): Promise<Row> => {
    const row = (await readRows(server.installation.database, table)).find(fits);
    assert.ok(row, table);
    return row;
  };

  async function fill(): Promise<readonly Case[]> {
    const { id: tenantId, key } = server.tenant;
    const low = await server.createMember({ role: 'auditor' });
    const staff = await server.createMember({ role: 'platform_admin' });
    const { database, passwords } = server.installation;
    const hash = await passwords.hash(goodPassword);
    await runTransaction(database, server.clock.now(), (tx) => updatePassword(tx, systemSource, staff.userId, hash));
    await server.createMember({ tenantId: other.id, role: 'admin' });
    const suspended = await server.createMember({ role: 'dpo' });
    const { status } = await send('PATCH', `/v1/users/${suspended.userId}`, { body: { active: false } });
    assert.equal(status, 200);
    const enrolled = await createEnrolledMember(server, { role: 'auditor' });
    await createEnrolledMember(server, { role: 'admin' });
    const challenge = await send('POST', '/v1/auth/sign-in', {
      key: null,
      body: { email: enrolled.email, password },
    });
    const exhausted = await send('POST', '/v1/auth/sign-in', { key: null, body: { email: enrolled.email, password } });
    for (let tries = 0; tries < 5; tries += 1)
      await send('POST', '/v1/auth/challenge', {
        key: null,
        body: { challengeId: exhausted.data.challengeId, code: '000000' },
      });
    const answer = (challengeId: string) => async (): Promise<Grant> => {
      await server.installation.database.kysely.deleteFrom('sign_in_failures').execute();
      const body = { challengeId, code: showCode(server, enrolled.secret) };
      const answered = await send('POST', '/v1/auth/challenge', { key: null, body });
      return answered.status === 200 ? answered.data.user.id : null;
    };
    const reset = async (member: TestMember) =>
      (await send('POST', `/v1/users/${member.userId}/password-reset`, {})).data.token as string;
    const [link, _otherLink] = [await reset(low), await reset(await server.createMember({ role: 'admin' }))];
    const useLink = async (): Promise<Grant> => {
      const body = { token: link, password: goodPassword };
      const used = await send('POST', '/v1/auth/password-reset', { key: null, body });
      return used.status === 200 ? used.data.email : null;
    };
    const invitation = await invite(server, server.tenant, 'invited@example.com', 'auditor');
    await invite(server, other, 'boss@example.com', 'admin');
    const preview = async (): Promise<Grant> => {
      const body = { token: invitation.token };
      const shown = await send('POST', '/v1/auth/invitations/preview', { key: null, body });
      return shown.status === 200 ? `${shown.data.tenant.slug} ${shown.data.role}` : null;
    };
    const narrow = await server.createKey(tenantId, ['audit:read']);
    const revoked = await server.createKey(tenantId, scopes);
    const { id: revokedId } = await find('api_keys', (row) => revoked.startsWith(String(row.display_prefix)));
    assert.equal((await send('DELETE', `/v1/api-keys/${revokedId}`, {})).status, 200);
    const { id: narrowId } = await find('api_keys', (row) => narrow.startsWith(String(row.display_prefix)));
    const { id: wideId } = await find('api_keys', (row) => key.startsWith(String(row.display_prefix)));
    const getToken = async (id: unknown, secret: string) => {
      const rawBody = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const issued = await send('POST', '/oauth/token', { key: null, rawBody, headers });
      return issued.status === 200 ? (issued.data.access_token as string) : null;
    };
    const scim = await server.createScimToken();
    await server.createScimToken(other.id);
    const useScim = async (): Promise<Grant> => {
      const listed = await send('GET', '/scim/v2/Users', { key: scim });
      return listed.status === 200 ? String(listed.body.totalResults) : null;
    };
    /** The credentials of the tenant that still work. */
    const useAll = async (): Promise<Grant> => {
      const ofSession = await send('GET', '/v1/members', { headers: fresh.session });
      const statuses = [ofSession.status];
      for (const secret of [key, token]) statuses.push((await send('GET', '/v1/audit', { key: secret })).status);
      statuses.push((await send('GET', '/scim/v2/Groups', { key: scim })).status);
      const names = ['session', 'key', 'access token', 'SCIM token'].filter((_, index) => statuses[index] === 200);
      const issued = await getToken(wideId, key);
      return [...names, ...(issued === null ? [] : ['new token'])].join(', ') || null;
    };
    // A session that was not used for an hour.
    const idle = await server.createMember({ role: 'auditor' });
    server.clock.advance(61 * 60_000);
    const fresh = await server.createMember({ role: 'auditor' });
    const token = (await getToken(narrowId, narrow)) as string;
    const tokenHash = hashToken(token);
    await getToken(wideId, key);
    const challenged = await send('POST', '/v1/auth/sign-in', { key: null, body: { email: enrolled.email, password } });
    assert.equal(challenge.data.status, 'mfa_required');
    return [
      { table: 'tenants', name: 'a tenant', fits: ({ id }) => id === tenantId, use: readTenant },
      {
        table: 'tenants',
        name: 'a tenant of credentials',
        fits: ({ id }) => id === tenantId,
        use: useAll,
        grants: 'session, key, access token, SCIM token, new token',
      },
      { table: 'users', name: 'an account', fits: ({ id }) => id === fresh.userId, use: () => signIn(fresh.email) },
      {
        table: 'users',
        name: 'the account of an administrator, with the password of another user',
        fits: ({ id }) => id === staff.userId,
        use: () => signIn(staff.email),
        grants: null,
      },
      {
        table: 'second_factors',
        name: 'an enabled second factor',
        fits: ({ user_id }) => user_id === enrolled.userId,
        use: () => signIn(enrolled.email),
        grants: 'mfa_required',
      },
      {
        table: 'memberships',
        name: 'a membership',
        fits: ({ user_id }) => user_id === fresh.userId,
        use: () => readMe(fresh),
      },
      {
        table: 'memberships',
        name: 'a suspended membership',
        fits: ({ user_id }) => user_id === suspended.userId,
        use: () => signIn(suspended.email),
        grants: null,
      },
      { table: 'sessions', name: 'a session', fits: ({ id }) => id === fresh.sessionId, use: () => readMe(fresh) },
      {
        table: 'sessions',
        name: 'an idle session',
        fits: ({ id }) => id === idle.sessionId,
        use: () => readMe(idle),
        grants: null,
      },
      {
        table: 'sign_in_challenges',
        name: 'a challenge',
        fits: ({ id }) => id === challenged.data.challengeId,
        use: answer(challenged.data.challengeId),
        isOnce: true,
      },
      {
        table: 'sign_in_challenges',
        name: 'a challenge without attempts',
        fits: ({ id }) => id === exhausted.data.challengeId,
        use: answer(exhausted.data.challengeId),
        grants: null,
      },
      {
        table: 'one_time_tokens',
        name: 'a link',
        fits: ({ user_id }) => user_id === low.userId,
        use: useLink,
        isOnce: true,
      },
      {
        table: 'invitations',
        name: 'an invitation',
        fits: ({ email }) => email === 'invited@example.com',
        use: preview,
        grants: 'first auditor',
      },
      { table: 'api_keys', name: 'a key', fits: ({ id }) => id === narrowId, use: () => useKey(narrow) },
      {
        table: 'api_keys',
        name: 'a revoked key',
        fits: ({ id }) => id === revokedId,
        use: () => useKey(revoked),
        grants: null,
      },
      {
        table: 'api_keys',
        name: 'a key as a client of OAuth',
        fits: ({ id }) => id === narrowId,
        use: async () => ((await getToken(narrowId, narrow)) === null ? null : 'token'),
      },
      {
        table: 'access_tokens',
        name: 'an access token',
        fits: ({ hash }) => hash === tokenHash,
        use: () => useKey(token),
      },
      { table: 'scim_tokens', name: 'a SCIM token', fits: ({ tenant_id }) => tenant_id === tenantId, use: useScim },
    ];
  }

  /** The findings about seals, as `svc verify` gets them. */
  const listFaults = async () => {
    const { database, seal, signer } = server.installation;
    const tenants = [server.tenant, other];
    const progress = { say: () => undefined, showProgress: () => undefined };
    const keys = { verifier: signer.verifier, seal };
    const scene = { queries: database.kysely, keys, progress, findings: new Findings(() => undefined) };
    return (await verifyGrants(scene as unknown as Scene, tenants, true)).faults;
  };

  /** Other values that a column can have: of other rows, nothing, a later time, a greater number, another text. */
  const listValues = async (table: GrantTable, row: Row, column: string) => {
    const rows = await readRows(server.installation.database, table);
    const old = row[column] ?? null;
    const isNumber = layout
      .find(({ name }) => name === table)
      ?.columns.some(({ name, type }) => name === column && type !== 'text');
    const now = server.clock.now();
    const own = isNumber
      ? [0, Number(old) + 1]
      : /_at$/.test(column)
        ? [addTime(now, 60_000)]
        : /(?:^|_)id$/.test(column)
          ? [newId()]
          : [`${old ?? ''}x`];
    const others = rows.map((one) => one[column] ?? null);
    const different = (values: readonly (typeof old)[]) => new Set(values.filter((value) => value !== old));
    return [...different([null, ...own]), ...[...different(others)].slice(0, 2)];
  };

  /** Changes a row, and takes the change back. @returns false if the database rejects the value. */
  const withChange = async (table: GrantTable, row: Row, values: Row, check: () => Promise<void>): Promise<boolean> => {
    const { database } = server.installation;
    try {
      await changeRow(database, table, row, values);
    } catch {
      return false;
    }
    try {
      await check();
    } finally {
      const original = Object.keys(values).map((column) => [column, row[column] ?? null]);
      await changeRow(database, table, { ...row, ...values }, Object.fromEntries(original));
    }
    return true;
  };

  const listUnsealed = (table: string): readonly string[] =>
    listColumns(table)
      .filter(({ name, isInSeal }) => !isInSeal && name !== 'seal')
      .map(({ name }) => name);

  test('has a seal over each of its columns, except of times that are only shown or choose a tenant', () => {
    const unsealed = grantTables.map((table) => [table, listUnsealed(table)] as const);
    assert.deepEqual(Object.fromEntries(unsealed.filter(([, columns]) => columns.length > 0)), {
      api_keys: ['last_used_at'],
      memberships: ['last_signed_in_at'],
      scim_tokens: ['last_used_at'],
    });
    assert.ok(grantTables.includes('users'));
  });

  test('has all columns that the migrations create', () => {
    for (const { name, columns } of layout)
      assert.deepEqual(
        listColumns(name).map((column) => column.name),
        columns.map((column) => column.name),
        name,
      );
  });

  test('grants nothing with another value in a sealed column, which verification reports', async () => {
    assert.deepEqual(await listFaults(), []);
    const tried = new Set<string>();
    for (const { table, name, fits, use, grants, isOnce } of cases) {
      const row = await find(table, fits);
      const intact = isOnce ? null : await use();
      if (grants !== undefined) assert.equal(intact, grants, name);
      else if (!isOnce) assert.notEqual(intact, null, name);
      for (const column of [...sealedColumns[table], 'seal']) {
        for (const value of await listValues(table, row, column)) {
          const where = `${name}: ${table}.${column} = ${value}`;
          const isTried = await withChange(table, row, { [column]: value }, async () => {
            assert.deepEqual([await use()], [null], where);
            const reported = (await listFaults()).map((fault) => fault.table);
            assert.ok(reported.includes(table), where);
          });
          if (isTried) tried.add(`${table}.${column}`);
        }
      }
      if (isOnce) assert.notEqual(await use(), null, name);
      else assert.equal(await use(), intact, name);
    }
    const all = grantTables.flatMap((table) => [...sealedColumns[table], 'seal'].map((column) => `${table}.${column}`));
    assert.deepEqual([...tried].sort(), all.sort());
  });

  test('grants the same with another value in a column without a seal', async () => {
    for (const { table, name, fits, use, isOnce } of cases) {
      if (isOnce) continue;
      const row = await find(table, fits);
      const intact = await use();
      for (const column of listUnsealed(table)) {
        for (const value of await listValues(table, row, column))
          await withChange(table, row, { [column]: value }, async () => {
            assert.equal(await use(), intact, `${name}: ${table}.${column} = ${value}`);
            assert.deepEqual(await listFaults(), []);
          });
      }
    }
  });

  test('grants nothing as a copy with another key', async () => {
    const { database } = server.installation;
    const fresh = await find('memberships', (row) => row.role === 'auditor' && row.accepted_at !== null);
    const boss = await find('memberships', (row) => row.tenant_id === other.id);
    const copy = { ...boss, user_id: fresh.user_id as string };
    await insertRow(database, 'memberships', copy);
    const { email } = await find('users', ({ id }) => id === fresh.user_id);
    const body = { email, password, tenant: 'other' };
    const refused = await send('POST', '/v1/auth/sign-in', { key: null, body });
    assert.equal(refused.status, 401);
    assert.equal((await listFaults()).length, 1);
    await deleteRow(database, 'memberships', copy);
  });

  test('is not hidden by a copy of the same id and token in another tenant', async () => {
    const { database } = server.installation;
    const copied = ['sessions', 'sign_in_challenges', 'invitations', 'api_keys', 'access_tokens', 'scim_tokens'];
    const left = cases.filter(({ table, isOnce }) => copied.includes(table) && !isOnce);
    assert.ok(left.length >= 7);
    for (const { table, name, fits, use } of left) {
      const row = await find(table, fits);
      const intact = await use();
      const copy = { ...row, tenant_id: other.id, ...(table === 'scim_tokens' && { revoked_at: server.clock.now() }) };
      // The copy comes first, whichever order the database reads them in.
      await deleteRow(database, table, row);
      await insertRow(database, table, copy);
      await insertRow(database, table, row);
      assert.equal(await use(), intact, name);
      assert.deepEqual(
        (await listFaults()).map((fault) => fault.table),
        [table],
      );
      await deleteRow(database, table, copy);
    }
  });

  test('does not become valid by a change of the server', async () => {
    const { database } = server.installation;
    const member = await server.createMember({ role: 'auditor' });
    const row = await find('memberships', ({ user_id }) => user_id === member.userId);
    await changeRow(database, 'memberships', row, { role: 'admin' });
    const named = await send('PATCH', `/v1/users/${member.userId}`, { body: { active: true } });
    assert.ok(named.status >= 400, named.text);
    assert.equal(await readMe(member), null);
    assert.equal((await listFaults()).length, 1);
    await changeRow(database, 'memberships', row, { role: 'auditor' });
  });

  test('is required: without the row of the second factor, nobody signs in', async () => {
    const { database } = server.installation;
    const enrolled = await createEnrolledMember(server);
    const row = await find('second_factors', ({ user_id }) => user_id === enrolled.userId);
    await deleteRow(database, 'second_factors', row);
    assert.equal(await signIn(enrolled.email), null);
    const faults = await listFaults();
    assert.deepEqual(
      faults.map(({ table, key }) => `${table} ${key}`),
      [`second_factors ${enrolled.userId}`],
    );
    await insertRow(database, 'second_factors', row);
    assert.equal(await signIn(enrolled.email), 'mfa_required');
  });

  test('is void when it is put back after a new password', async () => {
    const { database } = server.installation;
    const member = await server.createMember({ role: 'auditor' });
    const { data } = await send('POST', `/v1/users/${member.userId}/password-reset`, {});
    const session = await find('sessions', ({ id }) => id === member.sessionId);
    const link = await find('one_time_tokens', ({ user_id }) => user_id === member.userId);
    server.clock.advance(1000);
    const body = { token: data.token, password: goodPassword };
    assert.equal((await send('POST', '/v1/auth/password-reset', { key: null, body })).status, 200);
    await insertRow(database, 'sessions', session);
    await insertRow(database, 'one_time_tokens', link);
    assert.equal(await readMe(member), null);
    const again = { token: data.token, password };
    assert.equal((await send('POST', '/v1/auth/password-reset', { key: null, body: again })).status, 404);
  });

  test('does not make its user a platform administrator, and svc verify exits with 1', async () => {
    const { database, settings } = server.installation;
    const [member, staff] = [await server.createMember(), await server.createMember({ role: 'platform_admin' })];
    assert.equal((await runVerify({ settings }, {}, server.clock.now)).code, 0);
    const row = await find('sessions', ({ id }) => id === member.sessionId);
    await withChange('sessions', row, { user_id: staff.userId }, async () => {
      for (const path of ['/v1/me', '/v1/tenants'])
        assert.equal((await send('GET', path, { headers: member.session })).status, 401);
      const { code, lines } = await runVerify({ settings }, {}, server.clock.now);
      assert.equal(code, 1);
      assert.ok(
        lines.some((line) => line.startsWith(`✗ first: sessions ${member.sessionId}: the seal does not hold`)),
        lines.join('\n'),
      );
    });
    assert.equal((await send('GET', '/v1/me', { headers: member.session })).status, 200);
    assert.equal(database.dialect, dialect);
  });

  test('is not made by someone who only knows the database', async () => {
    const { database } = server.installation;
    const [token, session] = [generateToken('svc_at_'), generateToken('svc_session_')];
    const issued = await find('access_tokens', () => true);
    const opened = await find('sessions', () => true);
    await insertRow(database, 'access_tokens', { ...issued, hash: hashToken(token) });
    await insertRow(database, 'sessions', { ...opened, id: newId(), token_hash: hashToken(session) });
    for (const options of [{ key: token }, { key: null, headers: { Cookie: `svc_session=${session}` } }])
      assert.equal((await send('GET', '/v1/audit', options)).status, 401);
  });

  test('is not accepted by a server with another secret', async () => {
    const { database, settings } = server.installation;
    const { openInstallation } = await import('../../installation/installation.ts');
    await assert.rejects(openInstallation({ ...settings, secret: 'x'.repeat(40) }), /another secret/);
    assert.equal(database.dialect, dialect);
  });
});
