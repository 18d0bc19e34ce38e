import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { assertIntact, getToken, makeKey, readAudit, readEvents } from './keys.ts';

describeServer('DELETE /v1/api-keys/{id}', (server) => {
  const revoke = (id: string, key = server.tenant.key) => server.request('DELETE', `/v1/api-keys/${id}`, { key });

  test('ends the key and its access tokens with their very next request', async () => {
    const made = await makeKey(server);
    const { access_token } = await getToken(server, made);
    for (const key of [made.key, access_token]) assert.equal(await readAudit(server, key), 200);
    const { status, body } = await revoke(made.id);
    assert.deepEqual([status, body.data.status, body.data.revokedAt], [200, 'revoked', server.clock.now()]);
    for (const key of [made.key, access_token]) assert.equal(await readAudit(server, key), 401);
    const [event] = await readEvents(server, server.tenant.key, 1);
    assert.deepEqual([event.action, event.targetId], ['api_key.revoked', made.id]);
    await assertIntact(server);
  });

  test('returns the same when repeated, and records it once', async () => {
    const { id } = await makeKey(server);
    const first = await revoke(id);
    server.clock.advance(1000);
    const before = await readAllRows(server.installation.database);
    const again = await revoke(id);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('records it once when two requests revoke concurrently', async () => {
    const { id } = await makeKey(server);
    const answers = await Promise.all([1, 2, 3, 4].map(() => revoke(id)));
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body]);
    const events = await readEvents(server);
    assert.equal(events.filter(({ action, targetId }) => action === 'api_key.revoked' && targetId === id).length, 1);
  });

  test('ends a key that has expired too, and the key that asks for it', async () => {
    const expired = await makeKey(server, { expiresAt: new Date(server.clock.milliseconds() + 1).toISOString() });
    server.clock.advance(1);
    assert.equal((await revoke(expired.id)).body.data.status, 'revoked');
    const own = await makeKey(server);
    assert.equal((await revoke(own.id, own.key)).status, 200);
    assert.equal((await revoke(own.id, own.key)).status, 401);
  });
});
