import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findAccessTokenHolder, findKeyHolder, findScimTokenHolder } from '../../../accounts/credentials.ts';
import { findSession } from '../../../accounts/sign-in/session-store.ts';
import { generateToken, hashToken } from '../../../installation/token.ts';
import { newId } from '../../../storage/rows.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { getToken, makeKey } from './keys.ts';

describeOnOneDatabase('each kind of credentials', (dialect) => {
  let server: TestServer;
  let credentials: Readonly<Record<'key' | 'token' | 'scim' | 'session', string>>;
  before(async () => {
    server = await startTestServer(dialect);
    const made = await makeKey(server);
    const { access_token } = await getToken(server, made);
    const { session } = await server.createMember();
    credentials = {
      key: made.key,
      token: access_token,
      scim: await server.createScimToken(),
      session: session.Cookie?.split('=')[1] as string,
    };
  });
  after(() => server[Symbol.asyncDispose]());

  const statusesOf = async (method: string, path: string, headersOf: (text: string) => Record<string, string>) => {
    const statuses: Record<string, number> = {};
    for (const [kind, text] of Object.entries(credentials))
      statuses[kind] = (await server.request(method, path, { key: null, headers: headersOf(text) })).status;
    return statuses;
  };
  const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });

  test('opens the REST API as a bearer token when it is an API key or an access token', async () => {
    const expected = { key: 200, token: 200, scim: 401, session: 401 };
    assert.deepEqual(await statusesOf('GET', '/v1/audit', bearer), expected);
    for (const text of [credentials.scim, credentials.session]) {
      const answer = await server.request('GET', '/v1/audit', { key: text });
      assertProblem(answer, 'unauthenticated');
      assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    }
  });

  test('opens the REST API as the cookie of a session when it is one', async () => {
    const cookie = (text: string) => ({ Cookie: `svc_session=${text}` });
    const expected = { key: 401, token: 401, scim: 401, session: 200 };
    assert.deepEqual(await statusesOf('GET', '/v1/audit', cookie), expected);
  });

  test('opens SCIM when it is a SCIM token', async () => {
    const expected = { key: 401, token: 401, scim: 200, session: 401 };
    assert.deepEqual(await statusesOf('GET', '/scim/v2/Users', bearer), expected);
  });

  test('is not found as another kind', async () => {
    const {
      database: { kysely },
      seal,
    } = server.installation;
    const now = server.clock.now();
    for (const [kind, text] of Object.entries(credentials)) {
      const found = {
        key: await findKeyHolder(kysely, text, now),
        token: await findAccessTokenHolder(kysely, seal, text, now),
        scim: await findScimTokenHolder(kysely, text),
        session: await findSession(kysely, seal, text),
      };
      const kinds = Object.entries(found).filter(([, holder]) => holder !== undefined);
      assert.deepEqual(
        kinds.map(([name]) => name),
        [kind],
      );
    }
  });

  test('opens nothing when only the database knows it', async () => {
    const { kysely } = server.installation.database;
    const [token, session] = [generateToken('svc_at_'), generateToken('svc_session_')];
    const issued = await kysely.selectFrom('access_tokens').selectAll().executeTakeFirstOrThrow();
    await kysely
      .insertInto('access_tokens')
      .values({ ...issued, hash: hashToken(token) })
      .execute();
    const opened = await kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    const forged = { ...opened, id: newId(), token_hash: hashToken(session) };
    await kysely.insertInto('sessions').values(forged).execute();
    const headers = { Cookie: `svc_session=${session}` };
    assertProblem(await server.request('GET', '/v1/audit', { key: token }), 'unauthenticated');
    assertProblem(await server.request('GET', '/v1/audit', { key: null, headers }), 'unauthenticated');
  });

  test('does not count in an address', async () => {
    for (const text of Object.values(credentials)) {
      const { status } = await server.request('GET', `/v1/audit?access_token=${text}`, { key: null });
      assert.equal(status, 401);
    }
  });
});
