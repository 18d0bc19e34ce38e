import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { scopes } from '../../../http/roles.ts';
import { isToken } from '../../../installation/token.ts';
import { updateRow } from '../../../storage/rows.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { assertIntact, getToken, makeKey, postForm, readAudit, readEvents } from './keys.ts';

describeOnOneDatabase('POST /oauth/token', (dialect) => {
  let server: TestServer;
  let client: { readonly id: string; readonly key: string };
  before(async () => {
    server = await startTestServer(dialect);
    client = await makeKey(server, { name: 'Importer' });
  });
  after(() => server[Symbol.asyncDispose]());

  const basic = (id: string, secret: string) => ({
    Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  });

  test('returns a token for an hour with every scope of the key, not to be cached', async () => {
    const fields = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.key };
    const { status, headers, body } = await postForm(server, '/oauth/token', fields);
    assert.equal(status, 200);
    const { access_token, ...rest } = body;
    assert.ok(isToken('svc_at_', access_token));
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: scopes.join(' ') });
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual([headers.get('cache-control'), headers.get('pragma')], ['no-store', 'no-cache']);
    assert.equal(await readAudit(server, access_token), 200);
    server.clock.advance(3_599_999);
    assert.equal(await readAudit(server, access_token), 200);
    server.clock.advance(1);
    assert.equal(await readAudit(server, access_token), 401);
  });

  test('accepts the client credentials from HTTP Basic, in any case of its scheme', async () => {
    const { Authorization } = basic(client.id, client.key);
    for (const header of [Authorization, Authorization.replace('Basic', 'basic'), Authorization.replace(' ', '  ')]) {
      const fields = { grant_type: 'client_credentials' };
      assert.equal((await postForm(server, '/oauth/token', fields, { Authorization: header })).status, 200);
      const named = { ...fields, client_id: client.id, client_secret: '' };
      assert.equal((await postForm(server, '/oauth/token', named, { Authorization: header })).status, 200);
    }
    const encoded = [...client.id].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    const header = `Basic ${Buffer.from(`${encoded}:${client.key}`).toString('base64')}`;
    const body = 'grant_type=client_credentials';
    assert.equal((await postForm(server, '/oauth/token', body, { Authorization: header })).status, 200);
  });

  test('narrows the scopes of the token', async () => {
    const { access_token, scope } = await getToken(server, client, { scope: 'dsr:read audit:read dsr:read' });
    assert.equal(scope, 'audit:read dsr:read');
    assert.equal(await readAudit(server, access_token), 200);
    const { status, body } = await server.request('GET', '/v1/api-keys', { key: access_token });
    assert.deepEqual([status, body.error.code], [403, 'insufficient_scope']);
  });

  test('removes from the token every scope that its key has lost', async () => {
    const narrowed = await makeKey(server);
    const { access_token } = await getToken(server, narrowed, { scope: 'audit:read dsr:read' });
    assert.equal(await readAudit(server, access_token), 200);
    const { kysely } = server.installation.database;
    const setScopes = (text: string) => updateRow(kysely, 'api_keys', { id: narrowed.id }, { scopes: text });
    await setScopes('dsr:read users:read');
    const statusOf = async (path: string) => (await server.request('GET', path, { key: access_token })).status;
    assert.deepEqual(
      [await statusOf('/v1/audit'), await statusOf('/v1/dsr'), await statusOf('/v1/users')],
      [403, 200, 403],
    );
    await setScopes(scopes.join(' '));
  });

  test('ignores unknown parameters and those without a value', async () => {
    const { scope } = await getToken(server, client, { scope: '', audience: 'x', resource: '' });
    assert.equal(scope, scopes.join(' '));
  });

  test('returns a token that expires with its key, with the right expires_in', async () => {
    const expiresAt = new Date(server.clock.milliseconds() + 90_500).toISOString();
    const ending = await makeKey(server, { expiresAt });
    const { access_token, expires_in } = await getToken(server, ending);
    assert.equal(expires_in, 90);
    server.clock.advance(90_499);
    assert.equal(await readAudit(server, access_token), 200);
    server.clock.advance(1);
    assert.equal(await readAudit(server, access_token), 401);
  });

  test('logs the key and the scopes, never the token', async () => {
    const { access_token } = await getToken(server, client, { scope: 'audit:read' });
    const [event] = await readEvents(server, server.tenant.key, 1);
    assert.deepEqual(
      [event.module, event.action, event.actorType, event.actorId, event.targetId, event.targetRef],
      ['access', 'access_token.issued', 'api_key', client.id, client.id, 'Importer'],
    );
    const expiresAt = new Date(server.clock.milliseconds() + 3_600_000).toISOString();
    assert.deepEqual(event.diff, { scopes: ['audit:read'], expiresAt });
    const rows = await readAllRows(server.installation.database);
    for (const part of [access_token, access_token.slice(7), client.key.slice(13)]) assert.ok(!rows.includes(part));
    await assertIntact(server);
  });

  test('counts the requests of a token with those of its key, and logs its actions under the key', async () => {
    await using limited = await startTestServer(dialect, { SVC_LIMIT_API_KEY: '6' });
    const one = await makeKey(limited);
    // The exchange counts too.
    const { access_token } = await getToken(limited, one);
    for (const key of [one.key, access_token, one.key, access_token, access_token])
      assert.equal(await readAudit(limited, key), 200);
    for (const key of [one.key, access_token]) assert.equal(await readAudit(limited, key), 429);
    const another = await makeKey(limited);
    const { body } = await limited.request('GET', '/v1/audit?limit=1', { key: another.key });
    assert.equal(body.data.items[0].action, 'api_key.created');
  });

  test('counts as a use of the key', async () => {
    const used = await makeKey(server);
    await getToken(server, used);
    await server.app.lastUses.write(server.installation.database);
    const { body } = await server.request('GET', `/v1/api-keys/${used.id}`);
    assert.equal(body.data.lastUsedAt, server.clock.now());
  });
});
