import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeServerOnEachDatabase } from '../consent/helpers.ts';
import { assertScimError, createScimClient, type ScimClient } from './scim-client.ts';

const total = 105;
const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

describeServerOnEachDatabase('the list of SCIM users', (server) => {
  let scim: ScimClient;
  const ids: string[] = [];
  before(async () => {
    scim = await createScimClient(server);
    for (let index = 0; index < total; index += 1) {
      const externalId = index < 3 ? 'shared' : `ext-${index}`;
      ids.push(await scim.createUser(`user-${index}@example.com`, { externalId }));
    }
    const deleted = await scim.createUser('deleted@example.com', { externalId: 'shared' });
    await scim.send('DELETE', `/Users/${deleted}`);
    const other = await createScimClient(server, (await server.createTenant('other')).id);
    await other.createUser('user-0@example.com', { externalId: 'shared' });
    ids.sort();
  });

  const find = async (filter: string, query = {}) => {
    const { status, body, text } = await scim.get('/Users', { filter, ...query });
    assert.equal(status, 200, text);
    assert.equal(body.totalResults >= body.Resources.length, true);
    return body;
  };
  const idsOf = (resources: readonly { readonly id: string }[]) => resources.map(({ id }) => id);

  test('has pages in the order of ids, of a hundred at most', async () => {
    for (const [query, startIndex, expected] of [
      [{}, 1, ids.slice(0, 100)],
      [{ startIndex: '101' }, 101, ids.slice(100)],
      [{ startIndex: '3', count: '2' }, 3, ids.slice(2, 4)],
      [{ startIndex: '0', count: '1' }, 1, ids.slice(0, 1)],
      [{ startIndex: '-7', count: '1' }, 1, ids.slice(0, 1)],
      [{ count: '1000' }, 1, ids.slice(0, 100)],
      [{ count: '99999999999999999999999' }, 1, ids.slice(0, 100)],
      [{ count: '0' }, 1, []],
      [{ count: '-1' }, 1, []],
      [{ startIndex: '105', count: '5' }, 105, ids.slice(104)],
      [{ startIndex: '106' }, 106, []],
      [{ startIndex: '99999999999999999999999' }, 2147483647, []],
    ] as const) {
      const { status, body } = await scim.get('/Users', query);
      assert.equal(status, 200);
      assert.deepEqual(
        { ...body, Resources: idsOf(body.Resources) },
        { schemas: [listUrn], totalResults: total, startIndex, itemsPerPage: expected.length, Resources: expected },
      );
    }
  });

  test('refuses numbers that are none', async () => {
    for (const name of ['startIndex', 'count'])
      for (const value of ['', 'x', '1.5', '1e2', '0x1', ' 1', '1,2', 'null'])
        assertScimError(await scim.get('/Users', { [name]: value }), 400, 'invalidValue');
    assertScimError(await scim.send('GET', '/Users?count=1&count=2'), 400, 'invalidValue');
  });

  test('finds a userName, whatever its case', async () => {
    const { id } = (await find('userName eq "user-7@example.com"')).Resources[0];
    for (const filter of [
      'USERNAME EQ "USER-7@EXAMPLE.COM"',
      'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "User-7@example.com"',
      'userName eq "\\u0075ser-7@example.com"',
    ]) {
      const body = await find(filter);
      assert.deepEqual(idsOf(body.Resources), [id]);
      assert.equal(body.totalResults, 1);
    }
    const plus = await scim.send('GET', '/Users?filter=userName+eq+%22user-7%40example.com%22');
    assert.deepEqual(idsOf(plus.body.Resources), [id]);
  });

  test('returns 200 with an empty list if no user matches', async () => {
    for (const filter of [
      'userName eq "unknown@example.com"',
      'userName eq "a5d8ab30-5f1f-4b0e-9d2c-6f1f0c3a9f11"',
      'userName eq ""',
      "userName eq \"user-7@example.com' or '1'='1\"",
      'userName eq "%"',
      'userName eq "user-_@example.com"',
      'userName eq "deleted@example.com"',
      'externalId eq "SHARED"',
      'externalId eq ""',
      'externalId eq "\' or 1=1 --"',
      'externalId eq "\\u0000"',
      'externalId eq "\\ud800"',
      `externalId eq "${'x'.repeat(4000)}"`,
    ]) {
      const body = await find(filter);
      assert.equal(body.totalResults, 0, filter);
      assert.deepEqual(body.Resources, []);
    }
  });

  test('finds all users with an externalId, page by page, and none of another tenant', async () => {
    const all = await find('externalId eq "shared"');
    assert.equal(all.totalResults, 3);
    const pages = [];
    for (const startIndex of ['1', '2', '3', '4']) {
      const page = await find('externalId eq "shared"', { startIndex, count: '1' });
      assert.equal(page.totalResults, 3);
      pages.push(...idsOf(page.Resources));
    }
    assert.deepEqual(pages, idsOf(all.Resources));
  });

  test('shows suspended users too', async () => {
    const { id } = (await find('userName eq "user-50@example.com"')).Resources[0];
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    assert.equal((await find('userName eq "user-50@example.com"')).Resources[0].active, false);
    assert.equal((await scim.get('/Users', { count: '0' })).body.totalResults, total);
  });

  test('pages a filter of one person', async () => {
    for (const [query, found] of [
      [{ startIndex: '2' }, 0],
      [{ count: '0' }, 0],
      [{ startIndex: '1', count: '1' }, 1],
    ] as const) {
      const body = await find('userName eq "user-7@example.com"', query);
      assert.equal(body.totalResults, 1);
      assert.equal(body.Resources.length, found);
      assert.equal(body.itemsPerPage, found);
    }
  });
});
