import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { roleIds } from '../../../http/roles.ts';
import { assertProblem, createFreshTenant, describeServer, payload, readPages } from '../../consent/helpers.ts';
import type { RequestOptions } from '../../harness.ts';
import { changeRow, type Row, readRows } from '../../ledger/tamper.ts';
import { addPerson, changePeople } from './membership-helpers.ts';

interface ListedUser {
  readonly id: string;
  readonly role: string;
  readonly status: string;
}

describeServer('the list of members', (server) => {
  /** A tenant with members of every role, some of them suspended in either way, some removed. */
  const fillTenant = async (count: number) => {
    const tenant = await createFreshTenant(server);
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const role = roleIds[index % roleIds.length] as (typeof roleIds)[number];
      const member = await addPerson(server, tenant.id, { email: `p${index}-${tenant.slug}@example.com`, role });
      ids.push(member?.userId as string);
    }
    const every = (step: number) => ids.filter((_, index) => index % step === 1);
    await changePeople(server, tenant.id, every(3), { isActivated: false });
    await changePeople(server, tenant.id, every(4), { isAssigned: false });
    await changePeople(server, tenant.id, every(7), { isDeleted: true });
    return { tenant, ids: ids.filter((id) => !every(7).includes(id)) };
  };
  const list = (key: string, query: string) => server.request('GET', `/v1/users?${query}`, { key });

  test('returns every member once, newest first, for every page size', async () => {
    const { tenant, ids } = await fillTenant(23);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
        const pages = await readPages<ListedUser>(server, '/v1/users', limit, { key: tenant.key });
        assert.deepEqual(
          pages.flat().map(({ id }) => id),
          [...ids].sort().reverse(),
        );
        assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
      }),
      { numRuns: 12 },
    );
  });

  test('leaves out members whose row something else changed, also in the lists of SCIM', async () => {
    const { tenant, ids } = await fillTenant(6);
    const { database } = server.installation;
    const key = await server.createScimToken(tenant.id);
    const rows = await readRows(database, 'memberships');
    const row = rows.find(({ user_id }) => user_id === ids[0]) as Row;
    await changeRow(database, 'memberships', row, { role: 'dpo', accepted_at: server.clock.now() });
    const listed = async (path: string, options: RequestOptions) => {
      const { status, text } = await server.request('GET', path, options);
      assert.equal(status, 200, text);
      return ids.filter((id) => text.includes(id));
    };
    for (const path of ['/v1/users?limit=100', '/v1/members', '/v1/users?limit=100&role=dpo'])
      assert.ok(!(await listed(path, { key: tenant.key })).includes(ids[0] as string), path);
    assert.deepEqual(await listed('/v1/users?limit=100', { key: tenant.key }), ids.slice(1));
    assert.deepEqual(await listed('/scim/v2/Users', { key }), ids.slice(1));
    for (const path of ['/scim/v2/Groups', '/scim/v2/Groups/dpo'])
      assert.ok(!(await listed(path, { key })).includes(ids[0] as string), path);
    const { user_id: _, tenant_id: _tenant, ...original } = row;
    await changeRow(database, 'memberships', row, original);
    assert.deepEqual(await listed('/v1/users?limit=100', { key: tenant.key }), ids);
  });

  test('has the members that fit the filters', async () => {
    const { tenant } = await fillTenant(23);
    const all: ListedUser[] = payload(await list(tenant.key, 'limit=100'), 200).items;
    assert.ok(all.some(({ status }) => status === 'suspended') && all.some(({ status }) => status === 'active'));
    for (const status of [undefined, 'active', 'suspended']) {
      for (const role of [undefined, ...roleIds, 'dpco_principal']) {
        const query = new URLSearchParams({ ...(status && { status }), ...(role && { role }), limit: '2' });
        const expected = all.filter(
          (user) => user.status === (status ?? user.status) && user.role === (role ?? user.role),
        );
        const { items, nextCursor } = payload(await list(tenant.key, String(query)), 200);
        assert.deepEqual(items, expected.slice(0, 2));
        assert.equal(nextCursor === null, expected.length <= 2);
      }
    }
  });

  test('finds the member of an address, however it is written', async () => {
    const tenant = await createFreshTenant(server);
    const email = `Person-${randomUUID()}@Example.com`;
    const member = await addPerson(server, tenant.id, { email: email.toLowerCase(), userName: email, role: 'dpo' });
    const find = async (query: object) => {
      const { items, nextCursor } = payload(await list(tenant.key, String(new URLSearchParams({ ...query }))), 200);
      assert.equal(nextCursor, null);
      return items.map(({ id }: ListedUser) => id);
    };
    for (const text of [email, email.toUpperCase(), email.toLowerCase()])
      assert.deepEqual(await find({ email: text }), [member?.userId]);
    assert.deepEqual(await find({ email, role: 'dpo', status: 'active' }), [member?.userId]);
    for (const other of [{ email, role: 'admin' }, { email, status: 'suspended' }, { email: 'no address' }])
      assert.deepEqual(await find(other), []);
    const other = await createFreshTenant(server);
    assert.deepEqual(payload(await list(other.key, String(new URLSearchParams({ email }))), 200).items, []);
  });

  test('returns cursors that are valid only for their filters and tenant', async () => {
    const { tenant } = await fillTenant(12);
    const { tenant: other } = await fillTenant(3);
    const cursorOf = async (query: string) =>
      payload(await list(tenant.key, `${query}&limit=1`), 200).nextCursor as string;
    const cursor = await cursorOf('status=active');
    payload(await list(tenant.key, `status=active&limit=5&cursor=${cursor}`), 200);
    for (const query of ['', 'status=suspended', 'status=active&role=admin', 'status=active&email=a@example.com'])
      assertProblem(await list(tenant.key, `${query}&cursor=${cursor}`), '400 invalid_cursor');
    assertProblem(await list(other.key, `status=active&cursor=${cursor}`), '400 invalid_cursor');
    assertProblem(await list(tenant.key, 'email=a@example.com&cursor=nonsense'), '400 invalid_cursor');
    const { nextCursor } = payload(
      await server.request('GET', '/v1/users/invitations?limit=1', { key: tenant.key }),
      200,
    );
    assert.equal(nextCursor, null);
  });

  test('refuses filters that there are not', async () => {
    for (const [query, path] of [
      ['status=deleted', 'query.status'],
      ['role=owner', 'query.role'],
      ['limit=101', 'query.limit'],
      ['limit=0', 'query.limit'],
      ['email=', 'query.email'],
      ['name=x', 'query.name'],
    ] as const)
      assertProblem(await list(server.tenant.key, query), '422 validation_failed', [path]);
  });

  test('is shown to every role as names and roles of those who can sign in', async () => {
    const tenant = await createFreshTenant(server);
    const invited = await addPerson(server, tenant.id, { email: `invited-${randomUUID()}@example.com` });
    const add = (name: string, rest: object) =>
      addPerson(server, tenant.id, { email: `${name}-${randomUUID()}@example.com`, isAccepted: true, ...rest });
    const named = await add('ada', { givenName: 'Ada', familyName: 'Lovelace', role: 'dpo' });
    const suspended = await add('gone', { isActivated: false });
    const unnamed = await add('unnamed', {});
    const reader = await server.createMember({ tenantId: tenant.id, role: 'cs_agent' });
    const read = (query: string) => server.request('GET', `/v1/members?${query}`, { headers: reader.session });
    const first = payload(await read('limit=2'), 200);
    const second = payload(await read(`limit=2&cursor=${first.nextCursor}`), 200);
    assert.deepEqual(
      [...first.items, ...second.items],
      [
        { id: reader.userId, name: reader.email, role: 'cs_agent' },
        { id: unnamed?.userId, name: unnamed?.userName, role: 'auditor' },
        { id: named?.userId, name: 'Ada Lovelace', role: 'dpo' },
      ],
    );
    assert.equal(second.nextCursor, null);
    assert.ok(invited !== undefined && suspended !== undefined);
    const key = await server.createKey(tenant.id, ['users:read']);
    assertProblem(await server.request('GET', '/v1/members', { key }), '403 insufficient_scope');
  });
});
