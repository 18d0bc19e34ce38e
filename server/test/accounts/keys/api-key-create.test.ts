import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { isApiKey } from '../../../accounts/credentials.ts';
import { scopes } from '../../../http/roles.ts';
import { describeServer } from '../../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { assertIntact, getToken, makeKey, postKey, readAudit, readEvents } from './keys.ts';

describeServer('POST /v1/api-keys', (server) => {
  const post = (body: object, key?: string) =>
    server.request('POST', '/v1/api-keys', { body, ...(key !== undefined && { key }) });
  const readRows = () => readAllRows(server.installation.database);

  test('makes a live key that works at once, with what was left out', async () => {
    const { key, ...made } = await postKey(server, { name: ' Site ', scopes: ['audit:read', 'consent:read'] });
    assert.ok(isApiKey(key));
    assert.match(made.id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(made, {
      id: made.id,
      tenantId: server.tenant.id,
      name: 'Site',
      environment: 'live',
      displayPrefix: key.slice(0, 13),
      scopes: ['audit:read', 'consent:read'],
      otherTenantIds: [],
      createdAt: server.clock.now(),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      replacedById: null,
      status: 'active',
    });
    assert.match(key, /^svc_live_/);
    assert.equal(await readAudit(server, key), 200);
    assert.equal((await server.request('GET', '/v1/api-keys', { key })).status, 403);
  });

  test('makes a test key, and one that ends', async () => {
    const expiresAt = '2026-11-21T14:00:00+01:00';
    const made = await postKey(server, { environment: 'test', expiresAt });
    assert.match(made.key, /^svc_test_/);
    assert.equal(made.environment, 'test');
    assert.equal(made.expiresAt, '2026-11-21T13:00:00.000Z');
  });

  test('shows the key this once', async () => {
    const { id, key } = await postKey(server);
    for (const path of [`/v1/api-keys/${id}`, '/v1/api-keys?limit=100', '/v1/audit?limit=200'])
      assert.ok(!(await server.request('GET', path)).text.includes(key.slice(13)), path);
  });

  test('refuses values that break their rules, and makes nothing', async () => {
    const before = await readRows();
    const good = { name: 'x', scopes: ['audit:read'] };
    for (const [body, ...paths] of [
      [{}, 'body.name', 'body.scopes'],
      [{ ...good, name: ' ' }, 'body.name'],
      [{ ...good, name: '\u200b' }, 'body.name'],
      [{ ...good, name: ' \u200b \u2060\u00ad\u3164 ' }, 'body.name'],
      [{ ...good, name: 'x'.repeat(201) }, 'body.name'],
      [{ ...good, scopes: [] }, 'body.scopes'],
      [{ ...good, scopes: ['audit:write'] }, 'body.scopes.0'],
      [{ ...good, scopes: ['audit:read', 'audit:read'] }, 'body.scopes.1'],
      [{ ...good, environment: 'prod' }, 'body.environment'],
      [{ ...good, expiresAt: 'tomorrow' }, 'body.expiresAt'],
      [{ ...good, expiresAt: server.clock.now() }, 'body.expiresAt'],
      [{ ...good, otherTenantIds: ['first'] }, 'body.otherTenantIds.0'],
      [{ ...good, otherTenantIds: [server.tenant.id] }, 'body.otherTenantIds'],
      [
        { ...good, otherTenantIds: [randomUUID(), randomUUID()].flatMap((id) => [id, id]) },
        'body.otherTenantIds.1',
        'body.otherTenantIds.3',
      ],
      [{ ...good, tenantId: server.tenant.id }, 'body.tenantId'],
    ] as const) {
      assertInvalid(await post(body), ...paths);
    }
    assert.equal(await readRows(), before);
  });

  test('refuses to give away scopes that the caller lacks, and names them', async () => {
    const weak = await makeKey(server, { scopes: ['keys:write', 'audit:read'] });
    const token = (await getToken(server, await makeKey(server), { scope: 'keys:write audit:read' })).access_token;
    const before = await readRows();
    for (const caller of [weak.key, token]) {
      const refused = await post({ name: 'x', scopes: ['audit:read', 'users:write', 'consent:read'] }, caller);
      assert.match(assertProblem(refused, 'forbidden').message, /: users:write, consent:read\.$/);
    }
    assert.equal(await readRows(), before);
    for (const caller of [weak.key, token]) await postKey(server, { scopes: ['keys:write'] }, { key: caller });
  });

  test('records who created which key, without the key', async () => {
    const { session, userId, email } = await server.createMember();
    const { id, key } = await postKey(server, { name: 'Recorded', scopes: ['dsr:read'] }, { headers: session });
    const [event] = await readEvents(server, server.tenant.key, 1);
    const { module, action, actorType, actorId, actorEmail, targetId, targetRef } = event;
    assert.deepEqual(
      [module, action, actorType, actorId, actorEmail, targetId, targetRef],
      ['access', 'api_key.created', 'user', userId, email, id, 'Recorded'],
    );
    assert.deepEqual([event.diff.scopes, event.diff.expiresAt], [['dsr:read'], null]);
    assert.ok(!JSON.stringify(event).includes(key.slice(13)));
    await assertIntact(server);
  });

  test('answers a retry with the same key, which stands nowhere in clear', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { name: 'once', scopes: ['audit:read'] };
    const send = (key = server.tenant.key) => server.request('POST', '/v1/api-keys', { headers, body, key });
    const first = await send();
    const again = await send();
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const { key } = first.body.data;
    assert.equal(await readAudit(server, key), 200);
    const rows = await readRows();
    assert.ok(rows.includes(headers['Idempotency-Key']));
    for (const part of [key, key.slice(13), key.slice(15, 30)]) assert.ok(!rows.includes(part));
  });

  test('replays an answer only to the creator of the key, with the rights that they had', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { name: 'mine', scopes };
    const strong = await makeKey(server);
    const send = (key: string) => server.request('POST', '/v1/api-keys', { headers, body, key });
    assert.equal((await send(strong.key)).status, 201);
    const weak = await makeKey(server, { scopes: ['keys:write'] });
    const weakToken = (await getToken(server, strong, { scope: 'keys:write' })).access_token;
    for (const caller of [weak.key, weakToken]) assertProblem(await send(caller), 'idempotency_key_reused');
    const token = (await getToken(server, strong)).access_token;
    assert.equal((await send(token)).status, 201);
  });
});
