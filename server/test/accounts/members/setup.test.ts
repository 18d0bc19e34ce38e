import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSetupToken } from '../../../accounts/members/setup.ts';
import { assertProblem, payload } from '../../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { isSignedIn, readAudit, readState, sessionOf } from './membership-helpers.ts';

const day = 24 * 60 * 60_000;

const input = {
  organization: { name: 'Müller & Söhne GmbH' },
  email: 'Grace@Example.com',
  givenName: 'Grace',
  familyName: null,
  password: 'river lantern copper orchard',
};

const setUp = (server: TestServer, token: string | null, more: object = {}) =>
  server.request('POST', '/v1/setup', { key: null, body: { ...input, token, ...more } });

const isOpen = async (server: TestServer) =>
  payload(await server.request('GET', '/v1/setup', { key: null }), 200).isOpen;

describeOnEachDatabase('the setup of a server', (dialect) => {
  const startEmpty = () => startTestServer(dialect, {}, { isSetUp: false });

  test('creates the first tenant and an administrator of the server, once', async () => {
    await using server = await startEmpty();
    const token = (await createSetupToken(server.installation)) as string;
    const other = await createSetupToken(server.installation);
    assert.ok(!(await readState(server)).includes(token));
    assert.equal(await isOpen(server), true);
    const created = await setUp(server, token);
    const { user, tenant } = payload(created, 201);
    assert.deepEqual([user.email, user.role, user.givenName], ['grace@example.com', 'platform_admin', 'Grace']);
    assert.deepEqual([tenant.slug, tenant.name], ['muller-sohne-gmbh', input.organization.name]);
    assert.equal(await isSignedIn(server, sessionOf(server, created)), true);
    assert.equal(await isOpen(server), false);
    const events = await readAudit(server, tenant.id);
    assert.deepEqual(
      events.map(({ action, actorEmail }) => [action, actorEmail]),
      ['tenant.created', 'user.provisioned', 'account.password_changed', 'session.created'].map((action) => [
        action,
        'grace@example.com',
      ]),
    );
    assert.equal(events.at(-1).diff.method, 'setup_link');
    const before = await readState(server);
    for (const late of [token, other])
      assertProblem(await setUp(server, late, { email: 'other@example.com' }), '404 not_found');
    assert.equal(await createSetupToken(server.installation), null);
    assert.equal(await readState(server), before);
    const { email, password } = input;
    payload(await server.request('POST', '/v1/auth/sign-in', { key: null, body: { email, password } }), 200);
  });

  test('is won by one of several that happen at once, with one link or several', async () => {
    for (const isOneLink of [true, false]) {
      await using server = await startEmpty();
      const first = await createSetupToken(server.installation);
      const tokens = [first, isOneLink ? first : await createSetupToken(server.installation)];
      const answers = await Promise.all(
        tokens.map((token, index) =>
          setUp(server, token, {
            organization: { name: 'Racer', slug: `racer-${index}` },
            email: `r${index}@example.com`,
          }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 404]);
      const { kysely } = server.installation.database;
      for (const table of ['tenants', 'users', 'sessions'] as const)
        assert.equal((await kysely.selectFrom(table).selectAll().execute()).length, 1, table);
    }
  });

  test('rejects weak passwords and links that are wrong or expired, and changes nothing', async () => {
    await using server = await startEmpty();
    const token = await createSetupToken(server.installation);
    const before = await readState(server);
    for (const password of ['short', 'grace grace grace grace', 'muller sohne gmbh muller'])
      assertProblem(await setUp(server, token, { password }), '422 validation_failed');
    for (const wrong of ['nonsense', `${token}0`, 'svc_setup_', `svc_start_${token?.slice('svc_setup_'.length)}`])
      assertProblem(await setUp(server, wrong), '404 not_found');
    assertProblem(await setUp(server, token, { organization: { name: 'A', slug: 'No' } }), '422 validation_failed');
    server.clock.advance(day);
    assertProblem(await setUp(server, token), '404 not_found');
    assert.equal(await readState(server), before);
  });

  test('ends with the first tenant, whatever creates it', async () => {
    await using server = await startEmpty();
    const token = await createSetupToken(server.installation);
    const { id } = await server.createTenant('acme');
    assert.doesNotMatch(await readState(server), /"setup"/);
    assertProblem(await setUp(server, token), '404 not_found');
    // A link that a server adds while the first tenant is created elsewhere stays without effect.
    await using late = await startEmpty();
    const kept = await createSetupToken(late.installation);
    const { kysely } = late.installation.database;
    const rows = await kysely.selectFrom('one_time_tokens').selectAll().execute();
    await late.createTenant('acme');
    await kysely.insertInto('one_time_tokens').values(rows).execute();
    assertProblem(await setUp(late, kept), '404 not_found');
    assert.ok(id);
  });

  test('makes a slug of any name', async () => {
    for (const [name, slug] of [
      ['株式会社', 'main'],
      ['A', 'main'],
      [`${'-'.repeat(150)}Œuvre 42`, 'uvre-42'],
      ['x'.repeat(200), 'x'.repeat(63)],
    ] as const) {
      await using server = await startEmpty();
      const token = await createSetupToken(server.installation);
      assert.equal(payload(await setUp(server, token, { organization: { name } }), 201).tenant.slug, slug);
    }
  });
});
