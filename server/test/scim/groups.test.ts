import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { roleIds } from '../../http/roles.ts';
import { describeServer } from '../consent/helpers.ts';
import { changeRow, type Row, readRows } from '../ledger/tamper.ts';
import { addMembers, assertScimError, createScimClient, groupUrn, members, type ScimClient } from './scim-client.ts';

describeServer('SCIM role groups', (server) => {
  let scim: ScimClient;
  let count = 0;
  before(async () => {
    scim = await createScimClient(server);
  });

  const createUsers = async (number: number, role = 'cs_agent') => {
    const ids: string[] = [];
    for (let index = 0; index < number; index += 1) {
      count += 1;
      ids.push(await scim.createUser(`user-${count}@example.com`, { roles: [{ value: role }] }));
    }
    return ids as [string, string, string, ...string[]];
  };
  /** Empties a group and puts new users in. */
  const fillGroup = async (role: string, number: number) => {
    await scim.send('DELETE', `/Groups/${role}`);
    return createUsers(number, role);
  };
  const patch = (role: string, ...operations: readonly object[]) => scim.patch(`/Groups/${role}`, ...operations);
  const roleOf = async (id: string) => (await scim.get(`/Users/${id}`)).body.roles[0].value;
  const assertMembers = async (role: string, ids: readonly string[]) =>
    assert.deepEqual(await scim.membersOf(role), ids.toSorted());

  test('refuse a member whose row something else changed, as the API document declares', async () => {
    const { database } = server.installation;
    const [id] = await createUsers(1);
    const row = (await readRows(database, 'memberships')).find(({ user_id }) => user_id === id) as Row;
    await changeRow(database, 'memberships', row, { role: 'auditor' });
    const value = members(id);
    for (const [method, path, body, operation] of [
      ['PUT', '/Groups/dpo', { schemas: [groupUrn], members: value }, '/scim/v2/Groups/{role}'],
      ['DELETE', `/Users/${id}`, undefined, '/scim/v2/Users/{id}'],
    ] as const) {
      assertScimError(await scim.send(method, path, body), 409);
      const { body: document } = await server.request('GET', '/v1/openapi.json', { key: null });
      assert.ok(document.paths[operation][method.toLowerCase()].responses['409'], operation);
    }
    await changeRow(database, 'memberships', row, { role: row.role ?? null });
  });

  test('are the roles, one each', async () => {
    const { status, body } = await scim.get('/Groups');
    assert.equal(status, 200);
    assert.equal(body.totalResults, roleIds.length);
    assert.deepEqual(
      body.Resources.map(({ id }: { id: string }) => id),
      roleIds,
    );
    for (const group of body.Resources) {
      assert.equal(group.displayName, group.id);
      const one = await scim.get(`/Groups/${group.id}`);
      assert.deepEqual(one.body, group);
      assert.deepEqual(one.body.meta, {
        resourceType: 'Group',
        created: server.clock.now(),
        location: `${server.url}/scim/v2/Groups/${group.id}`,
      });
    }
  });

  test('have pages like any list', async () => {
    const page = await scim.get('/Groups', { startIndex: '4', count: '1' });
    assert.deepEqual(
      { ...page.body, Resources: page.body.Resources.map(({ id }: { id: string }) => id) },
      { ...page.body, totalResults: roleIds.length, startIndex: 4, itemsPerPage: 1, Resources: ['auditor'] },
    );
    assertScimError(await scim.get('/Groups', { count: 'x' }), 400, 'invalidValue');
  });

  test('are found by displayName and id, and by nothing else', async () => {
    for (const [filter, found] of [
      ['displayName eq "dpo"', ['dpo']],
      ['DISPLAYNAME EQ "DPO"', ['dpo']],
      [`${groupUrn}:displayName eq "dpo"`, ['dpo']],
      ['id eq "auditor"', ['auditor']],
      ['id eq "AUDITOR"', []],
      ['displayName eq "unknown"', []],
      ['displayName eq "dpco_principal"', []],
      ['displayName eq "__proto__"', []],
      ['displayName eq "\\u0000"', []],
    ] as const) {
      const { status, body } = await scim.get('/Groups', { filter, excludedAttributes: 'members' });
      assert.equal(status, 200, filter);
      assert.deepEqual(
        body.Resources.map(({ id }: { id: string }) => id),
        found,
      );
      assert.equal(body.totalResults, found.length);
      assert.ok(body.Resources.every((group: object) => !('members' in group)));
    }
    for (const filter of ['displayName co "d"', 'members.value eq "x"', 'displayName eq dpo', 'externalId eq "x"', ''])
      assertScimError(await scim.get('/Groups', { filter }), 400, 'invalidFilter');
  });

  test('other than the roles are not found', async () => {
    for (const role of [
      'dpco_principal',
      'platform_admin',
      'unknown',
      'DPO',
      '__proto__',
      'constructor',
      'x'.repeat(2000),
    ])
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { schemas: [groupUrn], members: [] }],
        ['PATCH', { schemas: [], Operations: [] }],
        ['DELETE', undefined],
      ] as const)
        assertScimError(await scim.send(method, `/Groups/${role}`, body), 404);
  });

  test('are found by POST, which creates and empties nothing', async () => {
    const [one] = await fillGroup('dpo', 1);
    for (const body of [
      { displayName: 'dpo' },
      { displayName: 'dpo', members: [] },
      { displayName: 'dpo', members: null, externalId: 'x' },
      { DisplayName: 'dpo', id: 'mine' },
    ]) {
      const response = await scim.send('POST', '/Groups', { schemas: [groupUrn], ...body });
      assert.equal(response.status, 201, response.text);
      assert.equal(response.headers.get('location'), `${server.url}/scim/v2/Groups/dpo`);
      assert.deepEqual(response.body, (await scim.get('/Groups/dpo')).body);
    }
    await assertMembers('dpo', [one]);
    for (const displayName of [
      'owners',
      'platform_admin',
      'dpco_principal',
      'DPCO_Principal',
      '',
      null,
      1,
      ['dpo'],
      undefined,
    ])
      assertScimError(await scim.send('POST', '/Groups', { schemas: [groupUrn], displayName }), 400, 'invalidValue');
    assertScimError(await scim.send('POST', '/Groups', { displayName: 'dpo' }), 400, 'invalidValue');
    assertScimError(await scim.send('POST', '/Groups', []), 400, 'invalidSyntax');
    assert.equal((await scim.get('/Groups')).body.totalResults, roleIds.length);
  });

  test('take the members that a POST gives', async () => {
    const [inside] = await fillGroup('dpo', 1);
    const [joining] = await createUsers(1);
    const body = { schemas: [groupUrn], displayName: 'dpo', members: members(joining) };
    assert.equal((await scim.send('POST', '/Groups', body)).status, 201);
    await assertMembers('dpo', [inside, joining]);
    const unknown = { ...body, members: members('unknown') };
    assertScimError(await scim.send('POST', '/Groups', unknown), 400, 'invalidValue');
  });

  test('give their role to an added user, from any group', async () => {
    const [inside] = await fillGroup('dpo', 1);
    const [one, other] = await createUsers(2, 'engineer');
    const added = await patch('dpo', { op: 'add', path: 'members', value: members(one, other, one, inside) });
    assert.equal(added.status, 200);
    assert.deepEqual(added.body.members[0], { value: inside, display: added.body.members[0].display });
    await assertMembers('dpo', [inside, one, other]);
    for (const id of [one, other]) {
      assert.equal(await roleOf(id), 'dpo');
      assert.equal(await scim.isActive(id), true);
      assert.ok(!(await scim.membersOf('engineer')).includes(id));
    }
  });

  test('suspend a removed member, and no other', async () => {
    for (const remove of [
      (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` }),
      (id: string) => ({ op: 'Remove', path: 'members', value: [{ value: id }] }),
    ]) {
      const [one, other, third] = await fillGroup('dpo', 3);
      assert.equal((await patch('dpo', remove(one))).status, 200);
      await assertMembers('dpo', [other, third]);
      assert.equal(await scim.isActive(one), false);
      assert.equal(await roleOf(one), 'dpo');
      assert.equal(await scim.isActive(other), true);
      const again = await patch('dpo', remove(one));
      assert.equal(again.status, 200);
      await patch('dpo', { op: 'add', path: 'members', value: members(one) });
      assert.equal(await scim.isActive(one), true);
    }
  });

  test('do nothing if a removed user is not in the group', async () => {
    const [engineer] = await createUsers(1, 'engineer');
    for (const id of [engineer, 'unknown']) {
      assert.equal((await patch('dpo', { op: 'remove', path: `members[value eq "${id}"]` })).status, 200);
      assert.equal((await patch('dpo', { op: 'remove', path: 'members', value: members(id) })).status, 200);
    }
    assert.equal(await scim.isActive(engineer), true);
    assert.equal(await roleOf(engineer), 'engineer');
  });

  test('have exactly the members that replace and PUT name', async () => {
    for (const replace of [
      (ids: readonly string[]) => patch('dpo', { op: 'replace', path: 'members', value: members(...ids) }),
      (ids: readonly string[]) => patch('dpo', { op: 'replace', value: { members: members(...ids) } }),
      (ids: readonly string[]) =>
        scim.send('PUT', '/Groups/dpo', {
          schemas: [groupUrn],
          id: 'dpo',
          displayName: 'DPO',
          externalId: 'x',
          members: members(...ids),
        }),
    ]) {
      const [one, other, third] = await fillGroup('dpo', 3);
      const [joining] = await createUsers(1);
      assert.equal((await replace([other, joining])).status, 200);
      await assertMembers('dpo', [other, joining]);
      for (const id of [one, third]) assert.equal(await scim.isActive(id), false);
      for (const id of [other, joining]) assert.equal(await scim.isActive(id), true);
      assert.equal((await replace([])).status, 200);
      await assertMembers('dpo', []);
      assert.equal(await scim.isActive(other), false);
      assert.equal((await replace([one])).status, 200);
      assert.equal(await scim.isActive(one), true);
    }
  });

  test('are not emptied by a list that was left out', async () => {
    const [one] = await fillGroup('dpo', 1);
    for (const body of [{}, { members: null }, { displayName: 'dpo' }])
      assertScimError(await scim.send('PUT', '/Groups/dpo', { schemas: [groupUrn], ...body }), 400, 'invalidValue');
    assertScimError(await patch('dpo', { op: 'remove', path: 'members' }), 400, 'invalidValue');
    assert.equal((await patch('dpo', { op: 'replace', value: { id: 'dpo', displayName: 'dpo' } })).status, 200);
    assert.equal((await patch('dpo', { op: 'add', path: 'members', value: [] })).status, 200);
    await assertMembers('dpo', [one]);
  });

  test('follow the operations of a PATCH in order', async () => {
    const [leaving, moving, third] = await fillGroup('dpo', 3);
    const [joining, visiting] = await createUsers(2);
    const response = await patch(
      'dpo',
      { op: 'remove', path: `members[value eq "${leaving}"]` },
      { op: 'remove', path: `members[value eq "${moving}"]` },
      { op: 'add', path: 'members', value: members(joining, visiting, moving) },
      { op: 'remove', path: 'members', value: members(visiting) },
    );
    assert.equal(response.status, 200);
    await assertMembers('dpo', [moving, third, joining]);
    assert.equal(await scim.isActive(moving), true);
    for (const id of [leaving, visiting]) {
      assert.equal(await scim.isActive(id), false);
      assert.equal(await roleOf(id), 'dpo');
    }
  });

  test('change by all operations or by none', async () => {
    const [inside] = await fillGroup('dpo', 1);
    const [joining, deleted] = await createUsers(2);
    await scim.send('DELETE', `/Users/${deleted}`);
    const stranger = await (await createScimClient(server, (await server.createTenant('stranger')).id)).createUser(
      'stranger@example.com',
    );
    const before = (await scim.get('/Groups/dpo')).body;
    for (const unknown of ['unknown', deleted, stranger, joining.toUpperCase()]) {
      const value = members(joining, unknown);
      const remove = { op: 'remove', path: `members[value eq "${inside}"]` };
      for (const answer of [
        await patch('dpo', remove, { op: 'add', path: 'members', value }),
        await patch('dpo', remove, { op: 'replace', path: 'members', value }),
        await patch(
          'dpo',
          { op: 'add', path: 'members', value: members(joining) },
          { op: 'add', value: { members: value } },
        ),
        await scim.send('PUT', '/Groups/dpo', { schemas: [groupUrn], members: value }),
      ])
        assertScimError(answer, 400, 'invalidValue');
    }
    assert.deepEqual((await scim.get('/Groups/dpo')).body, before);
    assert.equal(await roleOf(joining), 'cs_agent');
  });

  test('keep their names', async () => {
    for (const body of [{ displayName: 'auditor' }, { displayName: 'x' }, { id: 'auditor' }, { displayName: null }])
      assertScimError(
        await scim.send('PUT', '/Groups/dpo', { schemas: [groupUrn], members: [], ...body }),
        400,
        'mutability',
      );
    const renaming = { op: 'replace', path: 'displayName', value: 'Privacy' };
    assertScimError(await patch('dpo', renaming), 400, 'mutability');
  });

  test('are emptied by DELETE, and stay', async () => {
    const [active, inactive] = await fillGroup('dpo', 2);
    const [engineer] = await createUsers(1, 'engineer');
    await scim.patch(`/Users/${inactive}`, { op: 'replace', path: 'active', value: false });
    const deleted = await scim.send('DELETE', '/Groups/dpo');
    assert.equal(deleted.status, 204);
    assert.equal(deleted.text, '');
    await assertMembers('dpo', []);
    for (const id of [active, inactive]) assert.equal(await scim.isActive(id), false);
    assert.equal(await scim.isActive(engineer), true);
    assert.equal((await scim.send('DELETE', '/Groups/dpo')).status, 204);
    await patch('dpo', { op: 'add', path: 'members', value: members(active, inactive) });
    assert.equal(await scim.isActive(active), true);
    assert.equal(await scim.isActive(inactive), false, 'a group does not undo active: false');
  });

  test('show the attributes that are asked for', async () => {
    const shown = { schemas: [groupUrn], id: 'dpo', displayName: 'dpo' };
    const query = '?attributes=displayName';
    assert.deepEqual((await scim.send('GET', `/Groups/dpo${query}`)).body, shown);
    assert.deepEqual((await scim.send('GET', `/Groups${query}`)).body.Resources[1], shown);
    const named = { schemas: [groupUrn], displayName: 'dpo' };
    assert.deepEqual((await scim.send('POST', `/Groups${query}`, named)).body, shown);
    const [one] = await fillGroup('dpo', 1);
    const { body } = await scim.send('GET', '/Groups/dpo?attributes=members.value');
    assert.deepEqual(body, { schemas: [groupUrn], id: 'dpo', members: [{ value: one }] });
  });

  test('lose no member under concurrent writes', async () => {
    await scim.send('DELETE', '/Groups/dpo');
    const ids = await createUsers(32);
    const answers = await Promise.all(
      ids.map((id) => patch('dpo', { op: 'add', path: 'members', value: members(id) })),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    await assertMembers('dpo', ids);
    const [staying, ...leaving] = ids;
    await Promise.all(leaving.map((id) => patch('dpo', { op: 'remove', path: `members[value eq "${id}"]` })));
    await assertMembers('dpo', [staying]);
  });

  test('take a thousand members at once', async () => {
    const { id: tenantId } = await server.createTenant('large');
    const large = await createScimClient(server, tenantId);
    const ids = await addMembers(server, tenantId, 1000);
    const added = await large.patch('/Groups/dpo', { op: 'add', path: 'members', value: members(...ids) });
    assert.equal(added.status, 200);
    assert.deepEqual(await large.membersOf('dpo'), ids.toSorted());
    assert.equal((await large.send('DELETE', '/Groups/dpo')).status, 204);
    assert.deepEqual(await large.membersOf('dpo'), []);
  });
});
