import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { generateApiKey } from '../../../accounts/keys/api-key.ts';
import { scopes } from '../../../http/roles.ts';
import { isToken } from '../../../installation/token.ts';
import { updateRow } from '../../../storage/rows.ts';
import { describeServer } from '../../consent/helpers.ts';
import { describeOnOneDatabase, startTestServer, type TestResponse, type TestServer } from '../../harness.ts';
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

describeOnOneDatabase('what POST /oauth/token refuses', (dialect) => {
  let server: TestServer;
  let client: { readonly id: string; readonly key: string };
  let good: Readonly<Record<string, string>>;
  before(async () => {
    server = await startTestServer(dialect);
    client = await makeKey(server, { scopes: ['audit:read', 'consent:read'] });
    good = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.key };
  });
  after(() => server[Symbol.asyncDispose]());

  const post = (fields: Readonly<Record<string, string>> | string, headers = {}) =>
    postForm(server, '/oauth/token', fields, headers);
  const encode = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

  /** The form of RFC 6749 section 5.2. @returns the description. */
  function assertError(response: TestResponse, status: number, error: string): string {
    assert.deepEqual([response.status, response.body?.error], [status, error], response.text);
    assert.deepEqual(Object.keys(response.body), ['error', 'error_description']);
    assert.match(response.body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    return response.body.error_description;
  }

  async function assertNothingWritten(step: () => Promise<void>): Promise<void> {
    const before = await readAllRows(server.installation.database);
    await step();
    assert.equal(await readAllRows(server.installation.database), before);
  }

  test('credentials that do not belong together, in the same words whatever is wrong with them', async () => {
    const other = await makeKey(server);
    const expired = await makeKey(server, { expiresAt: new Date(server.clock.milliseconds() + 1).toISOString() });
    const revoked = await makeKey(server);
    await server.request('DELETE', `/v1/api-keys/${revoked.id}`);
    server.clock.advance(1);
    const { access_token } = await getToken(server, client);
    const pairs = [
      [client.id, other.key],
      [client.id, generateApiKey('live')],
      [client.id, `${client.key}x`],
      [client.id, access_token],
      [client.id, await server.createScimToken()],
      [client.id.toUpperCase(), client.key],
      [randomUUID(), client.key],
      [randomUUID(), generateApiKey('live')],
      ['\0', "' or 1=1 --"],
      [expired.id, expired.key],
      [revoked.id, revoked.key],
    ] as const;
    await assertNothingWritten(async () => {
      const answers = [];
      for (const [client_id, client_secret] of pairs) {
        answers.push(await post({ ...good, client_id, client_secret }).catch(assert.fail));
        answers.push(await post({ grant_type: 'client_credentials' }, encode(`${client_id}:${client_secret}`)));
      }
      const seen = answers
        .filter(({ status }) => status !== 400)
        .map((answer) => {
          assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm=/);
          assert.equal(answer.headers.get('cache-control'), 'no-store');
          return assertError(answer, 401, 'invalid_client');
        });
      assert.equal(new Set(seen).size, 1);
      // Only a NUL in a form is refused before anybody looks.
      assert.equal(seen.length, answers.length - 1);
    });
  });

  test('clients that do not say who they are, or not in a way that is known', async () => {
    await assertNothingWritten(async () => {
      for (const name of ['client_id', 'client_secret']) {
        assertError(await post(without(name)), 401, 'invalid_client');
        assertError(await post({ ...good, [name]: '' }), 401, 'invalid_client');
      }
      const grant = { grant_type: 'client_credentials' };
      for (const headers of [
        { Authorization: `Bearer ${client.key}` },
        { Authorization: 'Basic' },
        { Authorization: 'Basic %%%' },
        { Authorization: `Basic ${client.id}:${client.key}` },
        encode('no colon'),
        encode(`%zz:${client.key}`),
        encode(`${client.id}:`),
        encode(`:${client.key}`),
      ]) {
        assertError(await post(grant, headers), 401, 'invalid_client');
      }
    });
  });

  test('client credentials in two places', async () => {
    const header = encode(`${client.id}:${client.key}`);
    await assertNothingWritten(async () => {
      assertError(await post(good, header), 400, 'invalid_request');
      assertError(await post({ ...without('client_secret'), client_id: randomUUID() }, header), 400, 'invalid_request');
    });
  });

  test('grants and scopes that it does not give', async () => {
    await assertNothingWritten(async () => {
      for (const grant_type of ['password', 'authorization_code', 'refresh_token', 'CLIENT_CREDENTIALS'])
        assertError(await post({ ...good, grant_type }), 400, 'unsupported_grant_type');
      for (const scope of ['users:read', 'audit:read users:read', 'nonsense', 'audit:read  consent:read', ' ', '"\\é'])
        assertError(await post({ ...good, scope }), 400, 'invalid_scope');
      assert.match(
        assertError(await post({ ...good, scope: 'audit:read dsr:read' }), 400, 'invalid_scope'),
        /dsr:read/,
      );
      // Authentication comes before validation of the grant.
      assertError(await post({ ...good, client_secret: 'x', grant_type: 'x', scope: 'x' }), 401, 'invalid_client');
    });
  });

  test('requests that are malformed', async () => {
    const text = new URLSearchParams(good).toString();
    await assertNothingWritten(async () => {
      for (const body of [without('grant_type'), { ...good, grant_type: '' }, ''])
        assert.match(assertError(await post(body), 400, 'invalid_request'), /grant_type|x-www-form-urlencoded/);
      for (const more of [
        '&grant_type=client_credentials',
        '&scope=audit:read&scope=audit:read',
        '&x=1&x=1',
        '&scope=%00',
      ])
        assertError(await post(text + more), 400, 'invalid_request');
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencodedx'])
        assertError(await post(text, { 'Content-Type': type }), 415, 'invalid_request');
      assertError(await post(`${text}&x=${'x'.repeat(8 * 1024)}`), 413, 'invalid_request');
      const query = await postForm(server, `/oauth/token?${text}`, text);
      assertError(query, 400, 'invalid_request');
    });
  });

  test('more requests of an address than the limit', async () => {
    await using limited = await startTestServer(dialect, { SVC_LIMIT_API_KEY: '3' });
    const send = () => postForm(limited, '/oauth/token', good);
    for (const left of [2, 1, 0]) {
      const { headers } = await send();
      assert.match(headers.get('ratelimit') ?? '', new RegExp(`r=${left};`));
    }
    const refused = await send();
    assertError(refused, 429, 'temporarily_unavailable');
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    limited.clock.advance(60_000);
    assertError(await send(), 401, 'invalid_client');
  });

  test('everything, in the same form, when the server fails', async () => {
    await using broken = await startTestServer(dialect);
    await broken.installation.database.kysely.schema.dropTable('access_tokens').execute();
    const made = await makeKey(broken);
    const answer = await postForm(broken, '/oauth/token', { ...good, client_id: made.id, client_secret: made.key });
    assert.doesNotMatch(assertError(answer, 500, 'server_error'), /access_tokens/);
  });
});

describeServer('POST /oauth/revoke', (server) => {
  let client: { readonly id: string; readonly key: string };
  before(async () => {
    client = await makeKey(server);
  });

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
