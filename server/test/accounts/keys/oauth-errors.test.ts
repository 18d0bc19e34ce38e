import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { generateApiKey } from '../../../accounts/keys/api-key.ts';
import { describeOnOneDatabase, startTestServer, type TestResponse, type TestServer } from '../../harness.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { getToken, makeKey, postForm } from './keys.ts';

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
      assertError(await server.request('GET', '/oauth/token', { key: null }), 405, 'invalid_request');
      assertError(await server.request('POST', '/oauth/nothing', { key: null }), 404, 'invalid_request');
      for (const foreign of [
        { Origin: 'https://elsewhere.test' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'cross-site' },
      ]) {
        for (const path of ['/oauth/token', '/oauth/revoke'])
          assertError(await postForm(server, path, text, foreign), 403, 'invalid_request');
      }
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
