import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { assertIntact, getToken, makeKey, readAudit } from './keys.ts';

const hour = 3_600_000;

describeServer('POST /v1/api-keys/{id}/rotate', (server) => {
  const post = (id: string, body?: object, key = server.tenant.key) =>
    server.request('POST', `/v1/api-keys/${id}/rotate`, { key, ...(body && { body }) });
  async function rotate(id: string, body?: object) {
    const response = await post(id, body);
    assert.equal(response.status, 201, response.text);
    return response.body.data;
  }
  const get = async (id: string) => (await server.request('GET', `/v1/api-keys/${id}`)).body.data;
  const inMilliseconds = (time: number) => new Date(server.clock.milliseconds() + time).toISOString();

  test('makes a key like the old one, which works beside it for a day', async () => {
    const old = await makeKey(server, { name: 'Site', environment: 'test', scopes: ['audit:read', 'dsr:read'] });
    const { access_token } = await getToken(server, old);
    const made = await rotate(old.id);
    assert.notEqual(made.id, old.id);
    assert.deepEqual(
      [made.name, made.environment, made.scopes, made.otherTenantIds, made.expiresAt, made.status],
      ['Site', 'test', ['audit:read', 'dsr:read'], [], null, 'active'],
    );
    const kept = await get(old.id);
    assert.deepEqual([kept.expiresAt, kept.replacedById, kept.status], [inMilliseconds(24 * hour), made.id, 'active']);
    const { body } = await server.request('GET', '/v1/api-keys?limit=2');
    assert.deepEqual(
      body.data.items.map(({ id }: { id: string }) => id),
      [made.id, old.id],
    );
    for (const key of [old.key, access_token, made.key]) assert.equal(await readAudit(server, key), 200);
    server.clock.advance(24 * hour - 1);
    assert.equal(await readAudit(server, old.key), 200);
    server.clock.advance(1);
    assert.deepEqual([await readAudit(server, old.key), await readAudit(server, made.key)], [401, 200]);
    assert.equal((await get(old.id)).status, 'expired');
    await assertIntact(server);
  });

  test('expires the old key after the requested overlap, at once for zero', async () => {
    const [none, week] = [await makeKey(server), await makeKey(server)];
    const { access_token } = await getToken(server, none);
    await rotate(none.id, { overlapHours: 0 });
    for (const key of [none.key, access_token]) assert.equal(await readAudit(server, key), 401);
    await rotate(week.id, { overlapHours: 168 });
    assert.equal((await get(week.id)).expiresAt, inMilliseconds(168 * hour));
    const other = await makeKey(server);
    const before = await readAllRows(server.installation.database);
    for (const overlapHours of [-1, 169, 1.5, '24', null])
      assertInvalid(await post(other.id, { overlapHours }), 'body.overlapHours');
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('never extends the lifetime of the old key', async () => {
    const ending = await makeKey(server, { expiresAt: inMilliseconds(hour) });
    const end = (await get(ending.id)).expiresAt;
    await rotate(ending.id, { overlapHours: 24 });
    assert.equal((await get(ending.id)).expiresAt, end);
  });

  test('gives the new key the lifetime of the old one, from now on', async () => {
    const old = await makeKey(server, { expiresAt: inMilliseconds(90 * 24 * hour) });
    server.clock.advance(80 * 24 * hour);
    assert.equal((await rotate(old.id)).expiresAt, inMilliseconds(90 * 24 * hour));
  });

  test('refuses a key that was revoked, has expired or was rotated before', async () => {
    const revoked = await makeKey(server);
    await server.request('DELETE', `/v1/api-keys/${revoked.id}`);
    const expired = await makeKey(server, { expiresAt: inMilliseconds(1) });
    server.clock.advance(1);
    const rotated = await makeKey(server);
    const { id } = await rotate(rotated.id);
    const before = await readAllRows(server.installation.database);
    for (const [key, word] of [
      [revoked, 'revoked'],
      [expired, 'expired'],
      [rotated, id],
    ] as const) {
      const { message } = assertProblem(await post(key.id), 'conflict');
      assert.ok(message.includes(word), message);
    }
    assert.equal(await readAllRows(server.installation.database), before);
    assert.equal((await post(id)).status, 201);
  });

  test('creates one key in concurrent rotations', async () => {
    const old = await makeKey(server);
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(old.id)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  });

  test('rejects a caller who lacks a scope of the key, so that rotation gives no rights', async () => {
    const strong = await makeKey(server, { scopes: ['audit:read', 'users:write'] });
    const weak = await makeKey(server, { scopes: ['keys:write', 'audit:read'] });
    const before = await readAllRows(server.installation.database);
    const { message } = assertProblem(await post(strong.id, {}, weak.key), 'forbidden');
    assert.match(message, /: users:write\.$/);
    assert.equal(await readAllRows(server.installation.database), before);
  });
});
