import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { databaseFile } from '../../installation/installation.ts';
import { openDatabase } from '../../storage/database.ts';
import { createLocation, describeOnEachDatabase } from '../harness.ts';
import { tamper } from '../ledger/tamper.ts';
import { type Environment, runSvc, startSvc } from './run-svc.ts';

describeOnEachDatabase('svc demo remove', (dialect) => {
  const fileOf = (environment: Environment) => join(environment.SVC_DATA_DIR as string, 'demo-credentials.json');
  const readCredentials = (environment: Environment) => JSON.parse(readFileSync(fileOf(environment), 'utf8'));
  const signIn = (url: string, { adminEmail: email, adminPassword: password }: Record<string, string>) =>
    fetch(`${url}/v1/auth/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
  const changeTables = async ({ SVC_DATA_DIR = '', DATABASE_URL }: Environment, change: RawBuilder<unknown>) => {
    await using database = openDatabase({ url: DATABASE_URL ?? null, file: databaseFile(SVC_DATA_DIR) });
    await tamper(database, (queries) => change.execute(queries));
  };
  const assertIntact = async (environment: Environment) => {
    const { code, stdout, stderr } = await runSvc(['verify'], environment);
    assert.equal(code, 0, stdout + stderr);
  };

  test('lets the server start, with none of the access of the demo', async () => {
    await using where = await createLocation(dialect);
    const { environment } = where;
    const demo = await startSvc(['demo'], environment);
    const credentials = readCredentials(environment);
    const bearer = { Authorization: `Bearer ${credentials.apiKey}`, 'Content-Type': 'application/json' };
    const post = (url: string, path: string, body: object, headers: Record<string, string> = bearer) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    // Data that a user of the demo added.
    const added = await (await post(demo.url, '/v1/api-keys', { name: 'added', scopes: ['audit:read'] })).json();
    const invited = await post(demo.url, '/v1/users/invitations', { email: 'ada@example.com', role: 'admin' });
    const { token } = (await invited.json()).data;
    const decision = { subjectId: 'visitor', purposes: { necessary: true, analytics: true, marketing: false } };
    const capture = (url: string) =>
      post(url, `/v1/public/consent/${credentials.noticeId}/records`, decision, {
        Origin: 'http://localhost:8787',
        'Content-Type': 'application/json',
      });
    assert.equal((await capture(demo.url)).status, 201);
    const cookie = (await signIn(demo.url, credentials)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await demo.stop();

    const refused = await runSvc(['serve'], environment);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /^svc: This database has the demo tenant.*svc demo remove.*--keep-demo/);
    const kept = await startSvc(['serve', '--keep-demo'], environment);
    assert.equal((await signIn(kept.url, credentials)).status, 200);
    await kept.stop();

    const removed = await runSvc(['demo', 'remove', '--json'], environment);
    assert.deepEqual([removed.code, removed.stderr], [0, '']);
    assert.deepEqual(JSON.parse(removed.stdout), { tenantId: credentials.tenantId });
    assert.ok(!existsSync(fileOf(environment)));
    await assertIntact(environment);

    await using server = await startSvc(['serve'], environment);
    const { url } = server;
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(url + path, { headers })).status;
    assert.equal((await signIn(url, credentials)).status, 401);
    for (const key of [credentials.apiKey, added.data.key])
      assert.equal(await status('/v1/audit', { Authorization: `Bearer ${key}` }), 401);
    assert.equal(await status('/scim/v2/Users', { Authorization: `Bearer ${credentials.scimToken}` }), 401);
    assert.equal(await status('/v1/me', { Cookie: cookie }), 401);
    const password = 'nine blue herons at dawn';
    assert.equal(
      (
        await post(
          url,
          '/v1/auth/invitations/accept',
          { token, password },
          {
            'Content-Type': 'application/json',
          },
        )
      ).status,
      404,
    );
    for (const path of [
      `/v1/public/consent/${credentials.noticeId}`,
      '/trust/demo',
      '/v1/public/trust/demo/widget',
      '/demo',
    ])
      assert.equal(await status(path), 404, path);
    assert.notEqual((await capture(url)).status, 201);
    assert.equal((await (await fetch(`${url}/v1/setup`)).json()).data.isOpen, true);
    await server.stop();
    await assertIntact(environment);
  });

  test('removes a demo whose keys something else changed', async () => {
    await using where = await createLocation(dialect);
    const { environment } = where;
    const demo = await startSvc(['demo'], environment);
    const credentials = readCredentials(environment);
    const headers = { Authorization: `Bearer ${credentials.apiKey}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: 'added', scopes: ['audit:read'] });
    assert.equal((await fetch(`${demo.url}/v1/api-keys`, { method: 'POST', headers, body })).status, 201);
    await demo.stop();
    await changeTables(environment, sql`update api_keys set scopes = 'audit:read keys:write' where name = 'added'`);
    const removed = await runSvc(['demo', 'remove'], environment);
    assert.deepEqual([removed.code, removed.stderr], [0, '']);
    await assertIntact(environment);
    await using server = await startSvc(['serve'], environment);
    assert.equal((await fetch(`${server.url}/v1/audit`, { headers })).status, 401);
  });

  test('is not avoided by a changed tenant, whose credentials do not work', async () => {
    await using where = await createLocation(dialect);
    const { environment } = where;
    const demo = await startSvc(['demo'], environment);
    const credentials = readCredentials(environment);
    await demo.stop();
    for (const value of [null, 'removed']) {
      await changeTables(environment, sql`update tenants set demo = ${value}`);
      for (const words of [
        ['demo'],
        ['demo', 'remove'],
        ['key', 'create', '--tenant', 'demo', '--name', 'x', '--scopes', 'all'],
        ['key', 'create', '--tenant', 'other', '--name', 'x', '--scopes', 'all'],
      ]) {
        const { code, stdout, stderr } = await runSvc(words, environment);
        assert.deepEqual([code, stdout], [1, ''], words.join(' '));
        assert.match(stderr, /^svc: The seal of a row of tenants does not hold.*svc verify\.\n$/, words.join(' '));
      }
      await using server = await startSvc(['serve'], environment);
      const ask = async (path: string, token: string) =>
        (await fetch(server.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;
      assert.equal(await ask('/v1/audit', credentials.apiKey), 401);
      assert.equal(await ask('/scim/v2/Users', credentials.scimToken), 401);
      assert.equal((await signIn(server.url, credentials)).status, 404);
      assert.equal((await (await fetch(`${server.url}/v1/setup`)).json()).data.isOpen, false);
      const log = (await server.stop()).stdout;
      assert.match(
        log,
        /"tenantId":"[\w-]+","msg":"something other than Svc changed this tenant: none of its credentials work: run svc verify"/,
      );
      const { code, stdout } = await runSvc(['verify'], environment);
      assert.equal(code, 1);
      assert.match(stdout, /demo: tenants .*the seal does not hold/);
    }
  });

  test('does nothing without a demo tenant, also beside a tenant named demo', async () => {
    await using where = await createLocation(dialect);
    const { environment } = where;
    await runSvc(['tenant', 'create', '--slug', 'demo', '--name', 'Demo'], environment);
    const { code, stdout } = await runSvc(['demo', 'remove'], environment);
    assert.deepEqual([code, stdout], [0, 'There is no demo tenant.\n']);
    await using server = await startSvc(['serve'], environment);
    assert.equal((await (await fetch(`${server.url}/v1/setup`)).json()).data.isOpen, false);
  });

  test('makes room for another demo, which also starts again', async () => {
    await using where = await createLocation(dialect);
    const { environment } = where;
    const ids: string[] = [];
    for (let time = 0; time < 2; time += 1) {
      for (let start = 0; start < 2; start += 1) {
        await using server = await startSvc(['demo'], environment);
        assert.equal((await signIn(server.url, readCredentials(environment))).status, 200);
        await server.stop();
      }
      ids.push(readCredentials(environment).tenantId);
      assert.equal((await runSvc(['demo', 'remove'], environment)).stdout, `Removed the demo tenant (${ids[time]}).\n`);
    }
    assert.notEqual(ids[0], ids[1]);
    await assertIntact(environment);
  });
});
