import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { findScimTokenHolder } from '../../../accounts/credentials.ts';
import { scopes } from '../../../http/roles.ts';
import { isToken } from '../../../installation/token.ts';
import { describeServer } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { assertIntact, getToken, makeKey, readEvents } from './keys.ts';

describeServer('/v1/scim-token', (server) => {
  let stranger: TestTenant;
  before(async () => {
    stranger = await server.createTenant('stranger');
  });

  const send = (method: string, options = {}) => server.request(method, '/v1/scim-token', options);
  async function create(options = {}) {
    const { status, body, text } = await send('POST', options);
    assert.equal(status, 201, text);
    return body.data;
  }
  const tenantOf = async (token: string) =>
    (await findScimTokenHolder(server.installation.database.kysely, token))?.tenantId;

  test('is not there until one is made, nor after it is revoked', async () => {
    for (const method of ['GET', 'DELETE']) assertProblem(await send(method, { key: stranger.key }), 'not_found');
    const { token, ...made } = await create({ key: stranger.key });
    const got = await send('GET', { key: stranger.key });
    assert.deepEqual([got.status, got.body.data], [200, made]);
    const revoked = await send('DELETE', { key: stranger.key });
    assert.deepEqual([revoked.status, revoked.body.data], [200, made]);
    assert.equal(await tenantOf(token), undefined);
    for (const method of ['GET', 'DELETE']) assertProblem(await send(method, { key: stranger.key }), 'not_found');
  });

  test('is shown once, and ends the one before it', async () => {
    const first = await create();
    assert.ok(isToken('scim_', first.token));
    assert.deepEqual(Object.keys(first).sort(), ['createdAt', 'displayPrefix', 'id', 'lastUsedAt', 'token']);
    assert.deepEqual(
      [first.displayPrefix, first.createdAt, first.lastUsedAt],
      [first.token.slice(0, 9), server.clock.now(), null],
    );
    assert.equal(await tenantOf(first.token), server.tenant.id);
    const second = await create();
    assert.deepEqual([await tenantOf(first.token), await tenantOf(second.token)], [undefined, server.tenant.id]);
    const { text } = await send('GET');
    assert.ok(!text.includes(second.token.slice(9)));
    const rows = await readAllRows(server.installation.database);
    for (const { token } of [first, second]) assert.ok(!rows.includes(token.slice(9)));
  });

  test('is unique, also after concurrent requests', async () => {
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => create()));
    const owners = await Promise.all(made.map(({ token }) => tenantOf(token)));
    assert.deepEqual(
      owners.filter((owner) => owner !== undefined),
      [server.tenant.id],
    );
    const { body } = await send('GET');
    assert.equal(body.data.id, made[owners.findIndex((owner) => owner !== undefined)]?.id);
    await assertIntact(server);
  });

  test('is made once for retries with the same key, which keep no token in clear', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, again] = [await create({ headers }), await create({ headers })];
    assert.deepEqual(again, first);
    assert.equal(await tenantOf(first.token), server.tenant.id);
    assert.ok(!(await readAllRows(server.installation.database)).includes(first.token.slice(9)));
    const other = await makeKey(server);
    assertProblem(await send('POST', { headers, key: other.key }), 'idempotency_key_reused');
  });

  test('records the revoked and the created token', async () => {
    const [first, second] = [await create(), await create()];
    await send('DELETE');
    const events = await readEvents(server, server.tenant.key, 3);
    assert.deepEqual(
      events.map(({ module, action, targetId, targetRef }) => [module, action, targetId, targetRef]),
      [
        ['access', 'scim_token.revoked', second.id, second.displayPrefix],
        ['access', 'scim_token.created', second.id, second.displayPrefix],
        ['access', 'scim_token.revoked', first.id, first.displayPrefix],
      ],
    );
    assert.ok(!JSON.stringify(events).includes(second.token.slice(9)));
    await assertIntact(server);
  });

  test('belongs to one tenant', async () => {
    const [own, foreign] = [await create(), await create({ key: stranger.key })];
    assert.deepEqual([await tenantOf(own.token), await tenantOf(foreign.token)], [server.tenant.id, stranger.id]);
    await send('DELETE', { key: stranger.key });
    assert.deepEqual([await tenantOf(own.token), await tenantOf(foreign.token)], [server.tenant.id, undefined]);
    const shared = await makeKey(server, { otherTenantIds: [stranger.id] });
    const named = await create({ key: shared.key, headers: { 'Svc-Tenant': 'stranger' } });
    assert.deepEqual([await tenantOf(own.token), await tenantOf(named.token)], [server.tenant.id, stranger.id]);
  });

  test('cannot be created by a caller who lacks a scope of an administrator, since it can give any role', async () => {
    const { token } = await create();
    const lacking = scopes.filter((scope) => !scope.startsWith('keys:'));
    const callers = await Promise.all([
      makeKey(server, { scopes: ['keys:read', 'keys:write'] }),
      ...lacking.map((left) => makeKey(server, { scopes: scopes.filter((scope) => scope !== left) })),
    ]);
    const all = await makeKey(server);
    callers.push({ ...all, key: (await getToken(server, all, { scope: 'keys:write users:write' })).access_token });
    const before = await readAllRows(server.installation.database);
    for (const { key } of callers) {
      for (const options of [{ key }, { key, headers: { 'Idempotency-Key': randomUUID() } }])
        assertProblem(await send('POST', options), 'forbidden');
    }
    assert.equal(await readAllRows(server.installation.database), before);
    assert.equal(await tenantOf(token), server.tenant.id);
    // Reading and revoking it gives no rights.
    const weak = { key: callers[0]?.key };
    assert.deepEqual([(await send('GET', weak)).status, (await send('DELETE', weak)).status], [200, 200]);
    const { session } = await server.createMember();
    await create({ headers: session });
  });
});
