import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeServer } from '../consent/helpers.ts';
import { assertScimError, createScimClient, members, type ScimClient, scimType, userUrn } from './scim-client.ts';

describeServer('SCIM users', (server) => {
  let scim: ScimClient;
  before(async () => {
    scim = await createScimClient(server);
  });

  const create = (attributes: object) => scim.send('POST', '/Users', { schemas: [userUrn], ...attributes });
  const replaceActive = (id: string, value: unknown) =>
    scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value });

  test('are created with the attributes of the response', async () => {
    const created = await create({
      userName: 'Ada.Lovelace@Example.com',
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'ignored' },
      externalId: 'ext-1',
      roles: [{ value: 'dpo', primary: true }],
      password: 'never shown',
      emails: [{ value: 'other@example.com' }],
      groups: [],
      meta: { resourceType: 'User' },
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'x' },
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers.get('content-type'), scimType);
    const { id } = created.body;
    const location = `${server.url}/scim/v2/Users/${id}`;
    const now = server.clock.now();
    assert.equal(created.headers.get('location'), location);
    assert.deepEqual(created.body, {
      schemas: [userUrn],
      id,
      externalId: 'ext-1',
      userName: 'Ada.Lovelace@Example.com',
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
      displayName: 'Ada Lovelace',
      emails: [{ value: 'Ada.Lovelace@Example.com', type: 'work', primary: true }],
      active: true,
      roles: [{ value: 'dpo', primary: true }],
      groups: [{ value: 'dpo', type: 'direct' }],
      meta: { resourceType: 'User', created: now, lastModified: now, location },
    });
    const read = await scim.get(`/Users/${id}`);
    assert.equal(read.status, 200);
    assert.deepEqual(read.body, created.body);
    assert.equal(read.headers.get('etag'), null);
  });

  test('need no more than an address', async () => {
    const { body } = await create({ USERNAME: 'plain@example.com' });
    assert.equal(body.displayName, 'plain@example.com');
    assert.equal(body.active, true);
    assert.ok(!('name' in body) && !('externalId' in body));
  });

  test('are called by the parts of the name that say something, else by the address', async () => {
    for (const [index, [name, called]] of (
      [
        [{ givenName: '', familyName: 'Lovelace' }, 'Lovelace'],
        [{ givenName: 'Ada', familyName: ' \t' }, 'Ada'],
        [{ givenName: '\u00a0', familyName: '' }, null],
        [{ givenName: '', familyName: null }, null],
      ] as const
    ).entries()) {
      const userName = `called-${index}@example.com`;
      const { body } = await create({ userName, name });
      assert.equal(body.displayName, called ?? userName);
      assert.equal(body.name.formatted, called ?? undefined);
    }
  });

  test('get the default role of the tenant where none is named', async () => {
    for (const [index, roles] of [undefined, null, []].entries()) {
      const { body } = await create({ userName: `least-${index}@example.com`, roles });
      assert.deepEqual(body.roles, [{ value: 'cs_agent', primary: true }]);
    }
    await server.request('PATCH', '/v1/tenant', { body: { defaultRole: 'auditor' } });
    const { body } = await create({ userName: 'default@example.com' });
    assert.deepEqual(body.roles, [{ value: 'auditor', primary: true }]);
    await server.request('PATCH', '/v1/tenant', { body: { defaultRole: 'cs_agent' } });
  });

  test('may be created suspended', async () => {
    for (const [index, active] of [false, 'False'].entries()) {
      const { status, body } = await create({ userName: `suspended-${index}@example.com`, active });
      assert.equal(status, 201);
      assert.equal(body.active, false);
      assert.equal((await replaceActive(body.id, true)).body.active, true);
    }
  });

  test('are not created from wrong values, and nothing is written', async () => {
    const count = async () => (await scim.get('/Users', { count: '0' })).body.totalResults;
    const before = await count();
    const userName = 'wrong@example.com';
    for (const attributes of [
      {},
      { userName: null },
      { userName: 1 },
      { userName: '' },
      { userName: 'bjensen' },
      { userName: ' wrong@example.com' },
      { userName: 'a@b' },
      { userName: [userName] },
      { userName, schemas: undefined },
      { userName, schemas: null },
      { userName, schemas: userUrn },
      { userName, schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] },
      { userName, active: 'yes' },
      { userName, active: 1 },
      { userName, name: 'Ada' },
      { userName, name: [] },
      { userName, name: { givenName: 1 } },
      { userName, name: { familyName: 'x'.repeat(257) } },
      { userName, externalId: 1 },
      { userName, externalId: 'x'.repeat(513) },
      { userName, roles: 'dpo' },
      { userName, roles: { value: 'dpo' } },
      { userName, roles: [{ value: 'dpco_principal' }] },
      { userName, roles: [{ value: 'platform_admin' }] },
      { userName, roles: [{ value: 'owner' }] },
      { userName, roles: [{ value: 'dpo' }, { value: 'admin' }] },
      { userName, roles: [null] },
    ])
      assertScimError(await create(attributes), 400, 'invalidValue');
    for (const body of [null, [], 'text', 1, [{ userName }]])
      assertScimError(await scim.send('POST', '/Users', body), 400, 'invalidSyntax');
    for (const rawBody of ['', '{', '{"userName"}', '"'])
      assertScimError(await scim.send('POST', '/Users', undefined, { rawBody }), 400, 'invalidSyntax');
    assertScimError(await create({ userName, UserName: userName }), 400, 'invalidSyntax');
    assertScimError(
      await scim.send('POST', '/Users?attributes=id&excludedAttributes=name', { userName }),
      400,
      'invalidValue',
    );
    assert.equal(await count(), before);
  });

  test('may have names of any script, and values as long as they go', async () => {
    const name = { givenName: 'Zoë \u{1F600}', familyName: '李'.repeat(256) };
    const externalId = '\u{1F600}'.repeat(256);
    const { status, body } = await create({ userName: 'ünï.çødé@bücher.example', name, externalId });
    assert.equal(status, 201);
    assert.equal(body.userName, 'ünï.çødé@bücher.example');
    assert.equal(body.name.familyName, name.familyName);
    for (const filter of ['userName eq "ÜNÏ.ÇØDÉ@xn--bcher-kva.example"', `externalId eq "${externalId}"`])
      assert.equal((await scim.get('/Users', { filter })).body.Resources[0]?.id, body.id, filter);
  });

  test('are there once, whatever the case of the address', async () => {
    const id = await scim.createUser('once@example.com');
    for (const userName of ['once@example.com', 'ONCE@Example.COM'])
      assertScimError(await create({ userName }), 409, 'uniqueness');
    await replaceActive(id, false);
    assertScimError(await create({ userName: 'once@example.com' }), 409, 'uniqueness');
    assert.equal(await scim.isActive(id), false);
  });

  test('created twice at once are there once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ userName: 'race@example.com' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 7 }, () => 409)]);
  });

  test('are suspended and made active again', async () => {
    const id = await scim.createUser('active@example.com');
    for (const [value, active] of [
      [false, false],
      ['True', true],
      ['False', false],
      [true, true],
    ] as const) {
      const { status, body } = await replaceActive(id, value);
      assert.equal(status, 200);
      assert.equal(body.active, active);
      assert.equal(await scim.isActive(id), active);
    }
  });

  test('stay in their group while they are deactivated', async () => {
    const id = await scim.createUser('stays@example.com', { roles: [{ value: 'engineer' }] });
    await replaceActive(id, false);
    assert.ok((await scim.membersOf('engineer')).includes(id));
    await scim.patch('/Groups/engineer', { op: 'add', path: 'members', value: members(id) });
    assert.equal(await scim.isActive(id), false);
    await replaceActive(id, true);
    assert.equal(await scim.isActive(id), true);
  });

  test('come back into their group with active: true', async () => {
    const id = await scim.createUser('back@example.com', { roles: [{ value: 'engineer' }] });
    await scim.patch('/Groups/engineer', { op: 'remove', path: `members[value eq "${id}"]` });
    const { body } = await replaceActive(id, true);
    assert.equal(body.active, true);
    assert.ok((await scim.membersOf('engineer')).includes(id));
  });

  test('get another role, and are in the group of it', async () => {
    const id = await scim.createUser('role@example.com', { roles: [{ value: 'engineer' }] });
    const { body } = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'roles', value: [{ value: 'auditor' }] });
    assert.deepEqual(body.roles, [{ value: 'auditor', primary: true }]);
    assert.ok((await scim.membersOf('auditor')).includes(id));
    assert.ok(!(await scim.membersOf('engineer')).includes(id));
  });

  test('are changed by all operations of a PATCH or by none', async () => {
    const id = await scim.createUser('atomic@example.com', { roles: [{ value: 'dpo' }] });
    const before = (await scim.get(`/Users/${id}`)).body;
    const deactivate = { op: 'replace', path: 'active', value: false };
    for (const [type, wrong] of [
      ['invalidPath', { op: 'replace', path: 'displayName', value: 'x' }],
      ['invalidPath', { op: 'replace', value: { active: false } }],
      ['invalidPath', { op: 'add', path: 'active', value: false }],
      ['invalidValue', { op: 'replace', path: 'roles', value: [{ value: 'owner' }] }],
      ['invalidSyntax', null],
    ] as const) {
      assertScimError(await scim.patch(`/Users/${id}`, deactivate, wrong), 400, type);
      assertScimError(await scim.patch(`/Users/${id}`, wrong, deactivate), 400, type);
    }
    assert.deepEqual((await scim.get(`/Users/${id}`)).body, before);
    const roles = { op: 'replace', path: 'roles', value: [{ value: 'auditor' }] };
    const { body } = await scim.patch(`/Users/${id}`, deactivate, roles);
    assert.equal(body.active, false);
    assert.equal(body.roles[0].value, 'auditor');
  });

  test('have a lastModified that changes only with the user', async () => {
    const id = await scim.createUser('times@example.com');
    const created = server.clock.now();
    server.clock.advance(1000);
    const same = await replaceActive(id, true);
    assert.equal(same.body.meta.lastModified, created);
    const changed = await replaceActive(id, false);
    assert.equal(changed.body.meta.lastModified, server.clock.now());
    assert.equal(changed.body.meta.created, created);
  });

  test('are gone after DELETE, and come back under the same id', async () => {
    const id = await scim.createUser('gone@example.com', { externalId: 'gone-1', roles: [{ value: 'dpo' }] });
    const deleted = await scim.send('DELETE', `/Users/${id}`);
    assert.equal(deleted.status, 204);
    assert.equal(deleted.text, '');
    assertScimError(await scim.get(`/Users/${id}`), 404);
    assertScimError(await replaceActive(id, true), 404);
    assertScimError(await scim.send('DELETE', `/Users/${id}`), 404);
    for (const filter of ['userName eq "gone@example.com"', 'externalId eq "gone-1"'])
      assert.equal((await scim.get('/Users', { filter })).body.totalResults, 0);
    assert.ok(!(await scim.membersOf('dpo')).includes(id));
    assertScimError(
      await scim.patch('/Groups/dpo', { op: 'add', path: 'members', value: members(id) }),
      400,
      'invalidValue',
    );
    const again = await create({ userName: 'GONE@example.com' });
    assert.equal(again.status, 201);
    assert.equal(again.body.id, id);
    assert.equal(again.body.active, true);
    assert.deepEqual(again.body.roles, [{ value: 'cs_agent', primary: true }]);
    assert.ok(!('externalId' in again.body));
  });

  test('cannot be put', async () => {
    const id = await scim.createUser('put@example.com');
    const before = (await scim.get(`/Users/${id}`)).body;
    for (const path of [`/Users/${id}`, '/Users/unknown'])
      assertScimError(await scim.send('PUT', path, { ...before, active: false }), 501);
    assert.deepEqual((await scim.get(`/Users/${id}`)).body, before);
  });

  test('show the attributes that are asked for, in every answer', async () => {
    const query = '?attributes=userName,meta.location';
    const userName = 'shown@example.com';
    const created = await scim.send('POST', `/Users${query}`, { schemas: [userUrn], userName });
    const { id } = created.body;
    const shown = { schemas: [userUrn], id, userName, meta: { location: `${server.url}/scim/v2/Users/${id}` } };
    assert.deepEqual(created.body, shown);
    assert.deepEqual((await scim.send('GET', `/Users/${id}${query}`)).body, shown);
    const operation = { op: 'replace', path: 'active', value: false };
    assert.deepEqual((await scim.patch(`/Users/${id}${query}`, operation)).body, shown);
    const filter = encodeURIComponent(`userName eq "${userName}"`);
    assert.deepEqual((await scim.send('GET', `/Users${query}&filter=${filter}`)).body.Resources, [shown]);
  });

  test('return 404 for an unknown id', async () => {
    const upper = (await scim.createUser('case@example.com')).toUpperCase();
    for (const id of ['unknown', '0', upper, '00000000-0000-7000-8000-000000000000', "' or 1=1 --", 'x'.repeat(2000)])
      assertScimError(await scim.get(`/Users/${encodeURIComponent(id)}`), 404);
  });
});
