import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../storage/rows.ts';
import { accept, invite } from '../accounts/members/invitation-helpers.ts';
import { addPerson, watch } from '../accounts/members/membership-helpers.ts';
import { createEnrolledMember } from '../accounts/mfa/authenticator.ts';
import { payload } from '../consent/helpers.ts';
import {
  describeOnOneDatabase,
  startTestServer,
  type TestMember,
  type TestServer,
  type TestTenant,
} from '../harness.ts';
import { runVerify } from './fixture.ts';
import { changeRow, deleteRow, insertRow, type ProtectedTable, type Row, readRows } from './tamper.ts';

const changed = 'the row differs from the audit log';
const untold = 'the audit log has no event of the row';
const missing = 'the row is missing';

describeOnOneDatabase('svc verify of people', (dialect) => {
  let server: TestServer;
  let other: TestTenant;
  /** A member of both tenants, with a second factor. */
  let member: TestMember;
  /** A member of only the other tenant. */
  let stranger: TestMember;
  let invitationId: string;
  before(async () => {
    server = await startTestServer(dialect);
    other = await server.createTenant('other');
    member = await createEnrolledMember(server, { role: 'auditor' });
    await server.createMember({ tenantId: other.id, email: member.email, role: 'dpo' });
    stranger = await server.createMember({ tenantId: other.id });
    invitationId = (await invite(server, server.tenant, 'invited@example.com')).id;
    await server.createScimToken();
  });
  after(() => server[Symbol.asyncDispose]());

  /** Verifies while the server runs. @returns the faults of each tenant, as `slug table id: issue`. */
  const verify = async () => {
    const { code, lines, report } = await runVerify(server.installation);
    const faults = report.tenants.flatMap(({ slug, rows }) =>
      rows.faults.map(({ table, id, issue }) => `${slug} ${table} ${id}: ${issue}`),
    );
    assert.deepEqual([code, report.intact], faults.length === 0 ? [0, true] : [1, false], lines.join('\n'));
    return faults;
  };
  const find = async (table: ProtectedTable, fits: (row: Row) => boolean) => {
    const row = (await readRows(server.installation.database, table)).find(fits);
    assert.ok(row, table);
    return row;
  };
  /** Sets columns of a row directly in the database. @returns the faults before the row is restored. */
  const findChange = async (table: ProtectedTable, fits: (row: Row) => boolean, values: Row) => {
    const { database } = server.installation;
    const row = await find(table, fits);
    await changeRow(database, table, row, values);
    const faults = await verify();
    const original = Object.keys(values).map((column) => [column, row[column] ?? null]);
    await changeRow(database, table, { ...row, ...values }, Object.fromEntries(original));
    return faults;
  };
  const findRemoval = async (table: ProtectedTable, fits: (row: Row) => boolean) => {
    const { database } = server.installation;
    const row = await find(table, fits);
    await deleteRow(database, table, row);
    const faults = await verify();
    await insertRow(database, table, row);
    return faults;
  };
  const isMembership = (row: Row) => row.user_id === member.userId && row.tenant_id === server.tenant.id;

  test('reports no fault in an unchanged database', async () => {
    assert.deepEqual(await verify(), []);
  });

  test('reports a changed password, in every tenant of the person', async () => {
    const password_hash = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0$dGFndGFndGFn';
    const faults = await findChange('users', ({ id }) => id === member.userId, { password_hash });
    const named = `users ${member.userId}: ${changed}`;
    assert.deepEqual(faults, [`first ${named}`, `other ${named}`]);
  });

  test('reports no fault in a tenant that only lists a person, and reports changes once the person has joined', async () => {
    const lists = await server.createTenant('lists');
    const person = await server.createMember({ tenantId: other.id });
    await addPerson(server, lists.id, { email: person.email });
    const newPassword = 'seven grey geese at dusk';
    const { result, events, webhooks } = await watch(server, lists.id, () =>
      server.request('POST', '/v1/auth/password', {
        headers: person.session,
        body: { currentPassword: person.password, newPassword },
      }),
    );
    assert.ok(result.status < 300, result.text);
    assert.deepEqual([events, webhooks], [[], []]);
    assert.deepEqual(await verify(), []);
    const isPerson = ({ id }: Row) => id === person.userId;
    const values = { password_hash: '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0$dGFndGFndGFn' };
    const inOther = `other users ${person.userId}: ${changed}`;
    assert.deepEqual(await findChange('users', isPerson, values), [inOther]);
    const { token } = await invite(server, lists, person.email);
    payload(await accept(server, token, newPassword), 200);
    assert.deepEqual(await verify(), []);
    const faults = await findChange('users', isPerson, values);
    assert.deepEqual(faults.sort(), [`lists users ${person.userId}: ${changed}`, inOther]);
  });

  test('reports a changed address', async () => {
    const faults = await findChange('users', ({ id }) => id === stranger.userId, { email: 'attacker@example.com' });
    assert.deepEqual(faults, [`other users ${stranger.userId}: ${changed}`]);
  });

  test('reports a changed role and any other changed column of a membership', async () => {
    for (const values of [
      { role: 'admin' },
      { accepted_at: null },
      { user_name: 'other@example.com' },
      { external_id: 'x' },
      { deactivated_at: '2026-11-21T12:00:00.000Z' },
    ])
      assert.deepEqual(await findChange('memberships', isMembership, values), [
        `first memberships ${member.userId}: ${changed}`,
      ]);
  });

  test('reports a membership that was deleted, or marked as removed', async () => {
    assert.deepEqual(await findRemoval('memberships', isMembership), [
      `first memberships ${member.userId}: ${missing}`,
    ]);
    const marked = await findChange('memberships', isMembership, { deleted_at: '2026-11-21T12:00:00.000Z' });
    assert.deepEqual(marked, [`first memberships ${member.userId}: ${changed}`]);
  });

  test('reports an inserted administrator', async () => {
    const { database } = server.installation;
    const row = await find('memberships', ({ user_id }) => user_id === stranger.userId);
    const slipped = { ...row, tenant_id: server.tenant.id, role: 'admin' };
    await insertRow(database, 'memberships', slipped);
    const faults = await verify();
    await deleteRow(database, 'memberships', slipped);
    assert.ok(faults.includes(`first memberships ${stranger.userId}: ${untold}`), String(faults));
    const person = { id: newId(), email: 'ghost@example.com', salt: 'salt', created_at: server.clock.now() };
    await insertRow(database, 'users', person);
    await insertRow(database, 'memberships', { ...slipped, user_id: person.id });
    const ghosts = await verify();
    await deleteRow(database, 'memberships', { tenant_id: server.tenant.id, user_id: person.id });
    await deleteRow(database, 'users', person);
    const named = [`first memberships ${person.id}: ${untold}`, `first users ${person.id}: ${untold}`];
    assert.deepEqual(ghosts.sort(), named);
  });

  test('reports a second factor that was turned off, given another secret, or deleted', async () => {
    const fits = ({ user_id }: Row) => user_id === member.userId;
    const named = `second_factors ${member.userId}`;
    for (const values of [{ state: 'disabled' }, { secret: 'sealed elsewhere' }, { codes_salt: 'x' }])
      assert.deepEqual(await findChange('second_factors', fits, values), [
        `first ${named}: ${changed}`,
        `other ${named}: ${changed}`,
      ]);
    assert.deepEqual(await findRemoval('second_factors', fits), [
      `first ${named}: ${missing}`,
      `other ${named}: ${missing}`,
    ]);
  });

  test('reports a SCIM token that was replaced or reactivated', async () => {
    await server.createScimToken();
    const valid = await find('scim_tokens', ({ revoked_at }) => revoked_at === null);
    const old = await find('scim_tokens', ({ revoked_at }) => revoked_at !== null);
    const exchanged = await findChange('scim_tokens', ({ id }) => id === valid.id, { hash: 'f'.repeat(64) });
    assert.deepEqual(exchanged, [`first scim_tokens ${valid.id}: ${changed}`]);
    const moved = await findChange('scim_tokens', ({ id }) => id === old.id, { tenant_id: other.id, revoked_at: null });
    assert.deepEqual(moved, [`first scim_tokens ${old.id}: ${missing}`, `other scim_tokens ${old.id}: ${untold}`]);
  });

  test('reports an invitation whose role, expiry or token was changed, or that was deleted', async () => {
    const fits = ({ id }: Row) => id === invitationId;
    for (const values of [
      { role: 'admin' },
      { email: 'attacker@example.com' },
      { token_hash: 'f'.repeat(64) },
      { expires_at: '2036-11-21T12:00:00.000Z' },
    ])
      assert.deepEqual(await findChange('invitations', fits, values), [
        `first invitations ${invitationId}: ${changed}`,
      ]);
    assert.deepEqual(await findRemoval('invitations', fits), [`first invitations ${invitationId}: ${missing}`]);
  });

  test('reports no fault for later changes by the people themselves', async () => {
    payload(await server.request('PATCH', `/v1/users/${member.userId}`, { body: { role: 'dpo' } }), 200);
    payload(await server.request('DELETE', `/v1/users/invitations/${invitationId}`), 200);
    const signIn = await server.request('POST', '/v1/auth/sign-in', {
      key: null,
      body: { email: stranger.email, password: stranger.password },
    });
    payload(signIn, 200);
    assert.deepEqual(await verify(), []);
  });
});
