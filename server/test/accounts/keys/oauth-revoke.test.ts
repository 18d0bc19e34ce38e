import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { assertIntact, getToken, makeKey, postForm, readAudit, readEvents } from './keys.ts';

describeOnOneDatabase('POST /oauth/revoke', (dialect) => {
  let server: TestServer;
  let client: { readonly id: string; readonly key: string };
  before(async () => {
    server = await startTestServer(dialect);
    client = await makeKey(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const revoke = (token: string, { id, key } = client, more = {}) =>
    postForm(server, '/oauth/revoke', { token, client_id: id, client_secret: key, ...more });

  test('ends a token of the client at once, and no other', async () => {
    const [one, other] = [await getToken(server, client), await getToken(server, client)];
    const { status, body } = await revoke(one.access_token, client, { token_type_hint: 'access_token' });
    assert.deepEqual([status, body], [200, {}]);
    assert.deepEqual(
      [await readAudit(server, one.access_token), await readAudit(server, other.access_token)],
      [401, 200],
    );
    assert.equal(await readAudit(server, client.key), 200);
    const [event] = await readEvents(server, server.tenant.key, 1);
    assert.deepEqual([event.action, event.actorId, event.targetId], ['access_token.revoked', client.id, client.id]);
    await assertIntact(server);
  });

  test('answers the same for a token that is none of the client’s, and leaves it as it is', async () => {
    const foreign = await getToken(server, await makeKey(server));
    const before = await readAllRows(server.installation.database);
    for (const token of [foreign.access_token, client.key, 'nonsense']) {
      const { status, body } = await revoke(token);
      assert.deepEqual([status, body], [200, {}]);
    }
    assert.equal(await readAllRows(server.installation.database), before);
    assert.deepEqual([await readAudit(server, foreign.access_token), await readAudit(server, client.key)], [200, 200]);
  });

  test('refuses who cannot say who they are, and a request without a token', async () => {
    const { access_token } = await getToken(server, client);
    const wrong = await revoke(access_token, { ...client, key: `${client.key}x` });
    assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client']);
    const missing = await revoke('');
    assert.deepEqual([missing.status, missing.body.error], [400, 'invalid_request']);
    assert.equal(await readAudit(server, access_token), 200);
  });
});
