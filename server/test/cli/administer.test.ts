import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { findKeyHolder, findScimTokenHolder, isApiKey } from '../../accounts/credentials.ts';
import { scopes } from '../../http/roles.ts';
import { openInstallation } from '../../installation/installation.ts';
import { isToken } from '../../installation/token.ts';
import { readSettings } from '../../settings.ts';
import { createLocation, type TestLocation } from '../harness.ts';
import { readAllRows } from '../http/stored-rows.ts';
import { assertUsageError, type Finished, runSvc, runSvcProcess } from './run-svc.ts';

describe('administering from the command line', () => {
  let location: TestLocation;
  let created: Finished;
  before(async () => {
    location = await createLocation('sqlite');
    created = await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme Ltd'], location.environment);
    assert.deepEqual([created.code, created.stderr], [0, '']);
  });
  after(() => location[Symbol.asyncDispose]());

  const run = (...words: readonly string[]) => runSvc(words, location.environment);
  async function runJson(...words: readonly string[]) {
    const { code, stdout, stderr } = await run(...words, '--json');
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout);
  }
  const readRows = async () => {
    await using installation = await openInstallation(readSettings(location.environment));
    return await readAllRows(installation.database);
  };

  test('migrates once, even with concurrent processes', async () => {
    await using empty = await createLocation('sqlite');
    const done = await Promise.all([1, 2, 3].map(() => runSvcProcess(['migrate', '--json'], empty.environment)));
    for (const { code, stderr } of done) assert.deepEqual([code, stderr], [0, '']);
    const ran = done.flatMap(({ stdout }) => JSON.parse(stdout).migrations);
    assert.equal(ran.length, new Set(ran).size);
    assert.ok(ran.includes('001-spine'));
    const again = await runSvc(['migrate'], empty.environment);
    assert.deepEqual([again.code, again.stdout], [0, 'The schema is up to date.\n']);
  });

  test('creates a tenant and prints the next step', async () => {
    assert.match(created.stdout, /acme/);
    assert.match(created.stdout, /svc key create --tenant acme/);
    const tenant = await runJson('tenant', 'create', '--slug', 'json', '--name', ' JSON Ltd ');
    assert.deepEqual(Object.keys(tenant).sort(), ['apiVersion', 'createdAt', 'id', 'name', 'slug']);
    assert.deepEqual([tenant.slug, tenant.name, tenant.apiVersion], ['json', 'JSON Ltd', '2026-11-01']);
  });

  test('rejects a second tenant with the same slug', async () => {
    const before = await readRows();
    assertUsageError(await run('tenant', 'create', '--slug', 'acme', '--name', 'Another'), 'acme');
    assert.equal(await readRows(), before);
  });

  test('creates a key, shows it only once and stores only its hash', async () => {
    const { code, stdout } = await run(
      'key',
      'create',
      '--tenant',
      'acme',
      '--name',
      'site',
      '--scopes',
      'consent:read',
    );
    assert.equal(code, 0);
    const keys = stdout.match(/svc_live_\w+/g) ?? [];
    assert.equal(keys.length, 1);
    assert.ok(isApiKey(keys[0] as string));
    assert.ok(!(await readRows()).includes(keys[0] as string));
  });

  test('creates a key with the given options', async () => {
    const words = ['key', 'create', '--tenant', 'acme', '--name', ' site ', '--environment', 'test'];
    const wanted = ['--scopes', 'consent:read, audit:read,consent:read', '--expires', '2027-01-31T01:00:00+01:00'];
    const { id, key, tenantId, ...rest } = await runJson(...words, ...wanted);
    assert.match(key, /^svc_test_/);
    assert.deepEqual(rest, {
      name: 'site',
      environment: 'test',
      scopes: ['consent:read', 'audit:read'],
      expiresAt: '2027-01-31T00:00:00.000Z',
      otherTenantIds: [],
    });
    const all = await runJson('key', 'create', '--tenant', tenantId, '--name', 'x', '--scopes', 'all');
    assert.deepEqual(all.scopes, scopes);
    assert.equal(all.expiresAt, null);
    assert.notEqual(all.id, id);
  });

  test('creates a key for several tenants, named by id or slug', async () => {
    const tenants = [];
    for (const slug of ['second', 'third'])
      tenants.push(await runJson('tenant', 'create', '--slug', slug, '--name', slug));
    const [second, third] = tenants;
    const words = ['key', 'create', '--tenant', 'acme', '--name', 'shared', '--scopes', 'audit:read'];
    const made = await runJson(...words, '--other-tenants', `second, ${third.id},second`);
    assert.deepEqual(made.otherTenantIds, [second.id, third.id]);
    await using installation = await openInstallation(readSettings(location.environment));
    const holder = await findKeyHolder(installation.database.kysely, made.key, installation.clock());
    assert.deepEqual(holder?.otherTenantIds, [second.id, third.id]);
    const before = await readRows();
    for (const others of ['unknown', 'second,', 'acme', made.tenantId]) {
      assertUsageError(await run(...words, '--other-tenants', others), /^svc: --other-tenants: /);
    }
    assert.equal(await readRows(), before);
  });

  test('creates the SCIM token of a tenant, shows it only once and revokes the previous one', async () => {
    const { code, stdout } = await run('scim-token', 'create', '--tenant', 'acme');
    assert.equal(code, 0);
    const [first, ...more] = stdout.match(/scim_\w+/g) ?? [];
    assert.ok(first !== undefined && isToken('scim_', first) && more.length === 0, stdout);
    const second = await runJson('scim-token', 'create', '--tenant', 'acme');
    assert.deepEqual(Object.keys(second).sort(), ['createdAt', 'displayPrefix', 'id', 'tenantId', 'token']);
    await using installation = await openInstallation(readSettings(location.environment));
    const find = (token: string) => findScimTokenHolder(installation.database.kysely, token);
    assert.equal(await find(first), undefined);
    assert.equal((await find(second.token))?.tenantId, second.tenantId);
    for (const token of [first, second.token]) assert.ok(!(await readRows()).includes(token.slice(9)));
  });

  test('rejects an unknown tenant', async () => {
    for (const words of [['scim-token', 'create'], ['key', 'create', '--name', 'x', '--scopes', 'all'], ['verify']])
      assertUsageError(await run(...words, '--tenant', 'unknown'), 'unknown');
  });

  test('records the tenant and its keys in the audit log, without the keys', async () => {
    const { id, key, tenantId } = await runJson(
      'key',
      'create',
      '--tenant',
      'acme',
      '--name',
      'k',
      '--scopes',
      'audit:read',
    );
    await using installation = await openInstallation(readSettings(location.environment));
    const rows = await installation.database.kysely
      .selectFrom('audit_events')
      .select('entry')
      .where('tenant_id', '=', tenantId)
      .orderBy('sequence')
      .execute();
    const events = rows.map(({ entry }) => JSON.parse(entry));
    const logged = events.map(({ module, action, actorType, targetId }) => [module, action, actorType, targetId]);
    assert.deepEqual(logged[0], ['tenants', 'tenant.created', 'system', tenantId]);
    assert.deepEqual(logged.at(-1), ['access', 'api_key.created', 'system', id]);
    assert.ok(!JSON.stringify(rows).includes(key.slice(13)));
  });

  test('verifies an unchanged database', async () => {
    const report = await runJson('verify', '--tenant', 'acme');
    assert.equal(report.intact, true);
    assert.deepEqual(
      report.tenants.map(({ slug }: { slug: string }) => slug),
      ['acme'],
    );
  });

  test('exits with 1 and names a row that was changed', async () => {
    await using other = await createLocation('sqlite');
    await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], other.environment);
    const id = await changeFirstEvent(other);
    const [text, json] = await Promise.all([
      runSvc(['verify'], other.environment),
      runSvc(['verify', '--json'], other.environment),
    ]);
    assert.equal(text.code, 1, text.stdout);
    assert.ok(text.stdout.includes(id), text.stdout);
    assert.equal(json.code, 1);
    assert.equal(JSON.parse(json.stdout).intact, false);
    assert.ok(json.stdout.includes(id));
  });

  /** Changes one word of a stored event, disabling the trigger that prevents it. @returns the id of the event. */
  async function changeFirstEvent({ environment }: TestLocation): Promise<string> {
    await using installation = await openInstallation(readSettings(environment));
    const { kysely } = installation.database;
    await sql`drop trigger audit_events_refuse_update`.execute(kysely);
    await sql`update audit_events set entry = replace(entry, 'tenant.created', 'tenant.deleted')`.execute(kysely);
    return (await kysely.selectFrom('audit_events').select('id').executeTakeFirstOrThrow()).id;
  }
});
