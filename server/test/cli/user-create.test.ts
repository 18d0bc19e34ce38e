import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openInstallation } from '../../installation/installation.ts';
import { readSettings } from '../../settings.ts';
import { createLocation, describeOnOneDatabase, type TestLocation } from '../harness.ts';
import { readAllRows } from '../http/stored-rows.ts';
import { assertUsageError, runSvc, startSvc } from './run-svc.ts';

describeOnOneDatabase('svc user create', (dialect) => {
  let location: TestLocation;
  before(async () => {
    location = await createLocation(dialect);
    for (const slug of ['acme', 'other'])
      await runSvc(['tenant', 'create', '--slug', slug, '--name', slug], location.environment);
  });
  after(() => location[Symbol.asyncDispose]());

  const create = (email: string, role = 'admin', tenant = 'acme', ...more: readonly string[]) => {
    const words = ['user', 'create', '--tenant', tenant, '--email', email, '--role', role, ...more];
    return runSvc(words, location.environment);
  };
  const createJson = async (email: string, role = 'admin', tenant = 'acme', ...more: readonly string[]) => {
    const { code, stdout, stderr } = await create(email, role, tenant, ...more, '--json');
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout);
  };
  const readRows = async () => {
    await using installation = await openInstallation(readSettings(location.environment));
    return await readAllRows(installation.database);
  };
  /** The response to a body at an operation that needs no sign-in. */
  const post = async (path: string, body: object) => {
    await using svc = await startSvc(['serve'], location.environment);
    const response = await fetch(`${svc.url}/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const signIn = (body: object) => post('sign-in', body);
  const createKey = async (tenant: string): Promise<string> => {
    const words = ['key', 'create', '--tenant', tenant, '--name', 'k', '--scopes', 'all', '--json'];
    return JSON.parse((await runSvc(words, location.environment)).stdout).key;
  };

  /** Invites a user through the API, as a tenant does. */
  const invite = async (tenant: string, email: string): Promise<{ readonly token: string }> => {
    await using svc = await startSvc(['serve'], location.environment);
    const response = await fetch(`${svc.url}/v1/users/invitations`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await createKey(tenant)}` },
      body: JSON.stringify({ email, role: 'auditor' }),
    });
    assert.equal(response.status, 201);
    return ((await response.json()) as { readonly data: { readonly token: string } }).data;
  };

  test('creates a member, and shows the password of a new user only once', async () => {
    const { code, stdout, stderr } = await create('Ann@Example.com');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /ann@example\.com is a member of acme with the role admin/);
    const password = /Password \(shown only once\):\n(\S{24})\n/.exec(stdout)?.[1] as string;
    assert.equal(stdout.split(password).length, 2);
    assert.ok(!(await readRows()).includes(password));
    const { status, body } = await signIn({ email: 'ann@example.com', password });
    assert.deepEqual([status, body.data.user.role, body.data.tenant.slug], [200, 'admin', 'acme']);
  });

  test('keeps the password of a user of another tenant, and prints an invitation to accept with it', async () => {
    const email = 'both@example.com';
    const first = await createJson(email, 'dpco_principal', 'acme');
    const second = await createJson(email, 'dpco_principal', 'other');
    assert.deepEqual(Object.keys(first).sort(), ['email', 'id', 'invitationToken', 'password', 'role', 'tenantId']);
    assert.equal(first.invitationToken, null);
    assert.equal(second.id, first.id);
    assert.notEqual(second.tenantId, first.tenantId);
    assert.equal('password' in second, false);
    assert.match(second.invitationToken, /^svc_invitation_\S{38}$/);
    const text = await create('both2@example.com', 'auditor', 'acme');
    assert.doesNotMatch(text.stdout, /Invitation/);
    const again = await create('both2@example.com', 'auditor', 'other');
    assert.doesNotMatch(again.stdout, /Password \(/);
    const printed = /Invitation \(shown only once\).*:\n(svc_invitation_\S+)\n/s.exec(again.stdout)?.[1] as string;
    const rows = await readRows();
    for (const token of [second.invitationToken, printed]) assert.ok(!rows.includes(token));
    const there = { email, password: first.password, tenant: 'other' };
    assert.equal((await signIn(there)).status, 401);
    const taken = await post('invitations/accept', { token: second.invitationToken, password: first.password });
    assert.deepEqual([taken.status, taken.body.data?.tenant.slug], [200, 'other']);
    const { status, body } = await signIn(there);
    assert.deepEqual([status, body.data.user.role], [200, 'dpco_principal']);
  });

  test('gives no access to a stranger who had invited the address to their tenant first', async () => {
    const email = 'victim@example.com';
    const password = 'a password that eve has chosen';
    const invited = await invite('other', email);
    assert.equal((await post('invitations/accept', { token: invited.token, password })).status, 200);
    const { invitationToken } = await createJson(email, 'admin', 'acme');
    assert.ok(invitationToken);
    assert.equal((await signIn({ email, password, tenant: 'acme' })).status, 401);
    const elsewhere = await signIn({ email, password });
    assert.deepEqual([elsewhere.status, elsewhere.body.data.tenant.slug], [200, 'other']);
  });

  test('accepts names, and records the operator in the audit log', async () => {
    const named = ['--given-name', ' Zoë ', '--family-name', 'Lee'];
    const { id, tenantId } = await createJson('named@example.com', 'dpo', 'acme', ...named);
    await using installation = await openInstallation(readSettings(location.environment));
    const { kysely } = installation.database;
    const member = await kysely.selectFrom('memberships').selectAll().where('user_id', '=', id).executeTakeFirst();
    assert.deepEqual([member?.given_name, member?.family_name, member?.role], ['Zoë', 'Lee', 'dpo']);
    const events = await kysely.selectFrom('audit_events').select('entry').where('tenant_id', '=', tenantId).execute();
    const logged = events.map(({ entry }) => JSON.parse(entry)).filter(({ targetId }) => targetId === id);
    assert.deepEqual(
      logged.map(({ action, actorType, reason }) => [action, actorType, reason]),
      [
        ['user.provisioned', 'system', 'Created by the operator'],
        ['account.password_changed', 'system', 'Created by the operator'],
      ],
    );
  });

  test('adds a removed member again, who keeps their password', async () => {
    const { id, password } = await createJson('back@example.com', 'engineer');
    await using svc = await startSvc(['serve'], location.environment);
    const key = await createKey('acme');
    const removed = await fetch(`${svc.url}/v1/users/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${key}` },
    });
    assert.equal(removed.status, 200);
    const again = await createJson('back@example.com', 'auditor');
    assert.deepEqual([again.id, again.role, 'password' in again, again.invitationToken], [id, 'auditor', false, null]);
    assert.equal((await signIn({ email: 'back@example.com', password })).status, 200);
  });

  test('rejects invalid options, and changes nothing', async () => {
    await create('member@example.com');
    const before = await readRows();
    const attempts = [
      [create('Member@example.com', 'auditor'), 'member@example.com is already a member of acme'],
      [create('new@example.com', 'admin', 'unknown'), 'There is no tenant unknown'],
      [create('new@example.com', 'owner'), '--role must be one of: admin, dpo,'],
      [create('nonsense'), '--email must be an e-mail address'],
      [create('new@example.com', 'admin', 'acme', '--given-name', 'x'.repeat(201)), '--given-name'],
      [runSvc(['user', 'create', '--email', 'a@example.com'], location.environment), '--tenant, --role'],
    ] as const;
    for (const [attempt, hint] of attempts) assertUsageError(await attempt, hint);
    assert.equal(await readRows(), before);
    assert.equal((await runSvc(['verify'], location.environment)).code, 0);
  });
});
