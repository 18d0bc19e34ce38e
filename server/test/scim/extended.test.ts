import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeServer } from '../consent/helpers.ts';
import { assertScimError, createScimClient, members, type ScimClient, userUrn } from './scim-client.ts';

describeServer('SCIM with the setting extended', (server) => {
  let scim: ScimClient;
  let count = 0;
  before(async () => {
    scim = await createScimClient(server);
    const { status } = await server.request('PATCH', '/v1/tenant', { body: { scimCompatibility: 'extended' } });
    assert.equal(status, 200);
  });

  const createUser = async () => {
    count += 1;
    const userName = `user-${count}@example.com`;
    const id = await scim.createUser(userName, { externalId: 'old', name: { givenName: 'Old', familyName: 'Name' } });
    return { id, userName };
  };
  /** The latest event, with its detail. */
  const latestEvent = async () => {
    const { body } = await server.request('GET', '/v1/audit?limit=1');
    const { body: detail } = await server.request('GET', `/v1/audit/${body.data.items[0].id}`);
    return detail.data;
  };
  const assertUse = async (targetId: string, use: object) => {
    const event = await latestEvent();
    assert.equal(event.action, 'scim.extended_request');
    assert.equal(event.module, 'identity');
    assert.equal(event.targetId, targetId);
    assert.deepEqual(event.diff, use);
  };

  test('takes a replace without path, as Okta sends it', async () => {
    const { id } = await createUser();
    for (const active of [false, true]) {
      const { status, body } = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active } });
      assert.equal(status, 200);
      assert.equal(body.active, active);
      await assertUse(id, { form: 'replace_without_path', skippedPaths: [] });
    }
    const roles = await scim.patch(`/Users/${id}`, { op: 'replace', value: { roles: [{ value: 'dpo' }] } });
    assert.equal(roles.body.roles[0].value, 'dpo');
  });

  test('skips what it does not support where active is replaced, as JumpCloud sends it', async () => {
    const { id } = await createUser();
    const { status, body } = await scim.patch(
      `/Users/${id}`,
      { op: 'replace', path: 'name.givenName', value: 'New' },
      { op: 'replace', path: 'active', value: false },
      { op: 'add', path: 'emails[value eq "private@example.com"].type', value: 'x' },
    );
    assert.equal(status, 200);
    assert.equal(body.active, false);
    assert.equal(body.name.givenName, 'Old');
    await assertUse(id, { form: 'unsupported_paths', skippedPaths: ['name.givenName', 'emails'] });
  });

  test('does not audit requests that the strict rules accept', async () => {
    const { id } = await createUser();
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    assert.equal((await latestEvent()).action, 'user.suspended');
  });

  test('takes a PUT of active, roles, name and externalId', async () => {
    const { id, userName } = await createUser();
    const put = await scim.send('PUT', `/Users/${id}`, {
      schemas: [userUrn],
      id,
      userName: userName.toUpperCase(),
      active: 'False',
      roles: [{ value: 'auditor' }],
      name: { givenName: 'New' },
      externalId: null,
      displayName: 'ignored',
    });
    assert.equal(put.status, 200, put.text);
    assert.equal(put.body.active, false);
    assert.equal(put.body.userName, userName);
    assert.deepEqual(put.body.roles, [{ value: 'auditor', primary: true }]);
    assert.deepEqual(put.body.name, { givenName: 'New', formatted: 'New' });
    assert.ok(!('externalId' in put.body));
    assert.deepEqual((await scim.get(`/Users/${id}`)).body, put.body);
    await assertUse(id, { form: 'put', skippedPaths: [] });
    const again = await scim.send('PUT', `/Users/${id}`, { schemas: [userUrn], userName, active: true });
    assert.equal(again.body.active, true);
    assert.deepEqual(again.body.roles, put.body.roles);
    assert.deepEqual(again.body.name, put.body.name);
  });

  test('does not put anybody back into a group by active: true that comes along with a profile', async () => {
    for (const [operations, use] of [
      [
        // As a plugin of Keycloak sends every edit of a profile.
        [
          { op: 'replace', path: 'active', value: 'true' },
          { op: 'replace', path: 'userName', value: 'user@example.com' },
          { op: 'replace', path: 'displayName', value: 'New Name' },
        ],
        { form: 'unsupported_paths', skippedPaths: ['userName', 'displayName'] },
      ],
      [
        [{ op: 'replace', value: { active: true, name: { givenName: 'New' } } }],
        { form: 'replace_without_path', skippedPaths: ['name'] },
      ],
    ] as const) {
      const { id } = await createUser();
      const expectActive = async (active: boolean, ...sent: readonly object[]) => {
        const { status, body } = await scim.patch(`/Users/${id}`, ...sent);
        assert.equal(status, 200);
        assert.equal(body.active, active);
      };
      await scim.patch('/Groups/cs_agent', { op: 'remove', path: `members[value eq "${id}"]` });
      await expectActive(false, ...operations);
      await assertUse(id, use);
      assert.ok(!(await scim.membersOf('cs_agent')).includes(id));
      await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
      await expectActive(false, ...operations);
      await scim.patch('/Groups/cs_agent', { op: 'add', path: 'members', value: members(id) });
      assert.equal(await scim.isActive(id), true, 'it took back the active: false');
      await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
      await expectActive(true, ...operations);
    }
  });

  test('makes active whom a lone active: true names, as Okta sends it', async () => {
    for (const operation of [
      { op: 'replace', value: { active: true } },
      { op: 'replace', value: { id: 'x', schemas: [userUrn], active: true } },
      { op: 'replace', value: { active: true, roles: [{ value: 'engineer' }] } },
      { op: 'replace', path: 'active', value: true },
    ]) {
      const { id } = await createUser();
      await scim.patch('/Groups/cs_agent', { op: 'remove', path: `members[value eq "${id}"]` });
      assert.equal((await scim.patch(`/Users/${id}`, operation)).body.active, true, JSON.stringify(operation));
    }
  });

  test('does not put anybody back into a group by a PUT', async () => {
    const { id, userName } = await createUser();
    await scim.patch('/Groups/cs_agent', { op: 'remove', path: `members[value eq "${id}"]` });
    const put = await scim.send('PUT', `/Users/${id}`, { schemas: [userUrn], userName, active: true });
    assert.equal(put.body.active, false);
    await scim.patch('/Groups/cs_agent', { op: 'add', path: 'members', value: members(id) });
    assert.equal(await scim.isActive(id), true);
  });

  test('refuses a PUT with wrong values, and changes nothing', async () => {
    const { id, userName } = await createUser();
    const before = (await scim.get(`/Users/${id}`)).body;
    const put = (body: unknown) => scim.send('PUT', `/Users/${id}`, body);
    const good = { schemas: [userUrn], userName, active: false };
    for (const [type, wrong] of [
      ['mutability', { userName: 'other@example.com' }],
      ['invalidValue', { userName: undefined }],
      ['invalidValue', { userName: 'none' }],
      ['invalidValue', { active: 'x' }],
      ['invalidValue', { roles: [{ value: 'dpco_principal' }] }],
      ['invalidValue', { name: [] }],
      ['invalidValue', { externalId: 7 }],
      ['invalidValue', { schemas: [] }],
    ] as const)
      assertScimError(await put({ ...good, ...wrong }), 400, type);
    assertScimError(await put([]), 400, 'invalidSyntax');
    assertScimError(await scim.send('PUT', '/Users/unknown', good), 404);
    assert.deepEqual((await scim.get(`/Users/${id}`)).body, before);
  });
});
