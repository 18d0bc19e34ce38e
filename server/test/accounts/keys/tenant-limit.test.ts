import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { mostKeys } from '../../../accounts/keys/api-key-store.ts';
import { runTransaction } from '../../../storage/database.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { createScimClient } from '../../scim/scim-client.ts';
import { assertIntact, getToken, makeKey, postForm, postKey } from './keys.ts';

describe('the limit of a tenant', () => {
  const limit = 6;
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer('sqlite', { SVC_LIMIT_TENANT: String(limit), SVC_LIMIT_API_KEY: '5' });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const list = (options: object) => server.request('GET', '/v1/audit?limit=1', options);

  test('counts keys, access tokens, sessions and SCIM together, and is in their headers', async () => {
    const [one, other] = [await makeKey(server), await makeKey(server)];
    const { session } = await server.createMember();
    const scim = await createScimClient(server);
    const first = await list({ key: one.key });
    assert.equal(first.headers.get('ratelimit-policy'), `"api_key";q=5;w=60, "tenant";q=${limit};w=60`);
    assert.equal(first.headers.get('ratelimit'), `"api_key";r=4;t=60, "tenant";r=${limit - 1};t=60`);
    await list({ key: other.key });
    assert.match((await list({ headers: session })).headers.get('ratelimit') ?? '', /"tenant";r=3;t=60$/);
    assert.match((await scim.get('/Users')).headers.get('ratelimit') ?? '', /"tenant";r=2;t=60$/);
    const { access_token } = await getToken(server, other);
    assert.match((await list({ key: access_token })).headers.get('ratelimit') ?? '', /"tenant";r=0;t=60$/);
    const before = await readAllRows(server.installation.database);
    server.clock.advance(20_000);
    for (const refused of [
      await list({ key: one.key }),
      await list({ key: access_token }),
      await list({ headers: session }),
      await server.request('POST', '/v1/consent/notices', { key: other.key, body: {} }),
    ]) {
      assertProblem(refused, 'rate_limited');
      assert.equal(refused.headers.get('retry-after'), '40');
      assert.match(refused.headers.get('ratelimit') ?? '', /"tenant";r=0;t=40$/);
    }
    assert.equal((await scim.get('/Users')).status, 429);
    const form = { grant_type: 'client_credentials', client_id: one.id, client_secret: one.key };
    assert.equal((await postForm(server, '/oauth/token', form)).status, 429);
    assert.equal(await readAllRows(server.installation.database), before);
    server.clock.advance(40_000);
    assert.equal((await list({ key: one.key })).status, 200);
  });

  test('is not used up by other tenants, wrong credentials or visitors', async () => {
    const other = await server.createTenant('other');
    const notice = await server.createNotice({ key: other.key });
    const body = { subjectId: 'visitor', purposes: { necessary: true, analytics: true, marketing: true } };
    for (let time = 0; time < limit; time += 1) {
      const { status } = await server.request('POST', `/v1/public/consent/${notice}/records`, {
        key: null,
        headers: { Origin: 'https://example.com' },
        body,
      });
      assert.equal(status, 201);
      await list({ key: server.tenant.key.slice(0, -1) });
    }
    // Two were for the notice.
    assert.match((await list({ key: other.key })).headers.get('ratelimit') ?? '', /"tenant";r=3;t=60$/);
    assert.match((await list({})).headers.get('ratelimit') ?? '', /"tenant";r=5;t=60$/);
  });
});

describeOnEachDatabase('the number of API keys of a tenant', (dialect) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer(dialect);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  /** Fills the tenant up to the limit, past the API. */
  const fill = async () => {
    const { database } = server.installation;
    await runTransaction(database, server.clock.now(), async ({ queries }) => {
      const [row] = await queries.selectFrom('api_keys').selectAll().execute();
      const copies = Array.from({ length: mostKeys - 1 }, (_, index) => ({
        ...(row as NonNullable<typeof row>),
        id: `copy-${index}`,
        hash: `copy-${index}`,
        name: `copy ${index}`,
      }));
      for (let from = 0; from < copies.length; from += 100)
        await queries
          .insertInto('api_keys')
          .values(copies.slice(from, from + 100))
          .execute();
    });
  };
  const create = () => server.request('POST', '/v1/api-keys', { body: { name: 'one more', scopes: ['audit:read'] } });

  test('is limited; a key that is revoked or expired does not count', async () => {
    assert.equal(mostKeys, 500);
    const spare = await postKey(server, { name: 'spare' });
    const brief = await makeKey(server, { expiresAt: '2026-11-21T12:00:30.000Z' });
    await server.request('DELETE', `/v1/api-keys/${brief.id}`);
    await server.request('DELETE', `/v1/api-keys/${spare.id}`);
    const lasting = await postKey(server, { name: 'rotated' });
    const { database } = server.installation;
    await fill();
    await database.kysely.deleteFrom('api_keys').where('id', '=', 'copy-0').execute();
    const before = await readAllRows(database);
    assertProblem(await create(), 'conflict');
    // With an overlap, both keys would work for a while.
    const rotate = (overlapHours: number) =>
      server.request('POST', `/v1/api-keys/${lasting.id}/rotate`, { body: { overlapHours } });
    assertProblem(await rotate(1), 'conflict');
    assert.equal(await readAllRows(database), before);
    assert.equal((await rotate(0)).status, 201);
    assertProblem(await create(), 'conflict');
    const other = await server.createTenant('other');
    const body = { name: 'another', scopes: ['audit:read'] };
    assert.equal((await server.request('POST', '/v1/api-keys', { key: other.key, body })).status, 201);
    await database.kysely.deleteFrom('api_keys').where('id', 'like', 'copy-%').execute();
    assert.equal((await create()).status, 201);
    await assertIntact(server);
  });
});
