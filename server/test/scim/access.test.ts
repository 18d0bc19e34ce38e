import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../harness.ts';
import { assertScimError, createScimClient, type ScimClient } from './scim-client.ts';

describeOnOneDatabase('access by SCIM', (dialect) => {
  let server: TestServer;
  let scim: ScimClient;
  let other: ScimClient;
  let id: string;
  before(async () => {
    server = await startTestServer(dialect);
    scim = await createScimClient(server);
    other = await createScimClient(server, (await server.createTenant('other')).id);
    id = await scim.createUser('mine@example.com', { externalId: 'mine', roles: [{ value: 'dpo' }] });
  });
  after(() => server[Symbol.asyncDispose]());

  const assertUntouched = async () => {
    const { body } = await scim.get(`/Users/${id}`);
    assert.equal(body.active, true);
    assert.deepEqual(await scim.membersOf('dpo'), [id]);
    assert.equal((await scim.get('/Users')).body.totalResults, 1);
  };

  test('accepts the scheme in any case', async () => {
    const headers = { Authorization: `bEARER ${scim.token}` };
    assert.equal((await scim.send('GET', '/Users', undefined, { key: null, headers })).status, 200);
  });

  test('shares a user with another tenant, but none of its data about them', async () => {
    const shared = { name: { givenName: 'Their' }, externalId: 'theirs' };
    assert.equal(await other.createUser('MINE@example.com', shared), id);
    const mine = (await scim.get(`/Users/${id}`)).body;
    assert.equal(mine.userName, 'mine@example.com');
    assert.equal(mine.externalId, 'mine');
    assert.ok(!('name' in mine));
    await other.send('DELETE', `/Users/${id}`);
    await assertUntouched();
  });

  test('is limited for each tenant', async () => {
    await using limited = await startTestServer(dialect, { SVC_LIMIT_SCIM: '2' });
    const client = await createScimClient(limited);
    const second = await createScimClient(limited, (await limited.createTenant('second')).id);
    for (let request = 0; request < 2; request += 1) assert.equal((await client.get('/Users')).status, 200);
    const refused = await client.get('/Users');
    assertScimError(refused, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await second.get('/Users')).status, 200);
    assert.equal((await client.send('GET', '/ServiceProviderConfig', undefined, { key: null })).status, 200);
  });
});
