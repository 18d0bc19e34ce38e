import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { roleIds, staffRole } from '../../http/roles.ts';
import { describeServer } from '../consent/helpers.ts';
import {
  assertScimError,
  createScimClient,
  groupUrn,
  members,
  patchUrn,
  type ScimClient,
  userUrn,
} from './scim-client.ts';

describeServer('SCIM and members whom the operator of the server manages', (server) => {
  let scim: ScimClient;
  before(async () => {
    scim = await createScimClient(server);
  });

  const extend = (scimCompatibility: 'strict' | 'extended') =>
    server.request('PATCH', '/v1/tenant', { body: { scimCompatibility } });
  const replaceActive = (value: boolean) => ({ op: 'replace', path: 'active', value });
  const read = async (id: string) => (await scim.get(`/Users/${id}`)).body;
  const canCall = async (session: Readonly<Record<string, string>>) =>
    (await server.request('GET', '/v1/me', { headers: session })).status === 200;

  const role = staffRole;
  const createPlatformMember = () => server.createMember({ role });

  describe('with the role dpco_principal', () => {
    test('shows them without a role and a group', async () => {
      const { userId, email } = await createPlatformMember();
      const user = await read(userId);
      assert.equal(user.userName, email);
      assert.equal(user.active, true);
      assert.deepEqual([user.roles, user.groups], [[], []]);
      const { body } = await scim.get('/Users', { filter: `userName eq "${email}"` });
      assert.deepEqual(body.Resources, [user]);
      for (const role of roleIds) assert.ok(!(await scim.membersOf(role)).includes(userId));
    });

    test('takes their access away, and never gives it back', async () => {
      const { userId, session } = await createPlatformMember();
      assertScimError(await scim.patch(`/Users/${userId}`, replaceActive(true)), 400, 'mutability');
      assert.equal(await canCall(session), true);
      const suspended = await scim.patch(`/Users/${userId}`, replaceActive(false));
      assert.equal(suspended.status, 200);
      assert.equal(suspended.body.active, false);
      assert.equal(await canCall(session), false);
      assertScimError(await scim.patch(`/Users/${userId}`, replaceActive(true)), 400, 'mutability');
      assertScimError(
        await scim.patch(`/Users/${userId}`, replaceActive(true), {
          op: 'replace',
          path: 'roles',
          value: [{ value: 'dpo' }],
        }),
        400,
        'mutability',
      );
      assert.deepEqual(await read(userId), suspended.body);
    });

    test('deletes them', async () => {
      const { userId, session } = await createPlatformMember();
      assert.equal((await scim.send('DELETE', `/Users/${userId}`)).status, 204);
      assert.equal(await canCall(session), false);
      assertScimError(await scim.get(`/Users/${userId}`), 404);
    });

    test('gives them no other role, nor anything else of the same request', async () => {
      const { userId } = await createPlatformMember();
      const joining = await scim.createUser(`joining-${role}@example.com`);
      const inside = await scim.createUser(`inside-${role}@example.com`, { roles: [{ value: 'dpo' }] });
      const before = [await read(userId), (await scim.get('/Groups')).body];
      const value = members(joining, userId);
      const patch = (...Operations: readonly object[]) => ({ schemas: [patchUrn], Operations });
      for (const [method, path, body] of [
        ['PATCH', `/Users/${userId}`, patch({ op: 'replace', path: 'roles', value: [{ value: 'admin' }] })],
        [
          'PATCH',
          `/Users/${userId}`,
          patch(replaceActive(false), { op: 'replace', path: 'roles', value: [{ value: 'dpo' }] }),
        ],
        ['PATCH', '/Groups/dpo', patch({ op: 'add', path: 'members', value })],
        ['PATCH', '/Groups/dpo', patch({ op: 'replace', path: 'members', value })],
        ['PATCH', '/Groups/dpo', patch({ op: 'add', value: { members: value } })],
        [
          'PATCH',
          '/Groups/dpo',
          patch({ op: 'add', path: 'members', value }, { op: 'remove', path: 'members', value: members(userId) }),
        ],
        ['PUT', '/Groups/dpo', { schemas: [groupUrn], members: value }],
        ['POST', '/Groups', { schemas: [groupUrn], displayName: 'dpo', members: value }],
      ] as const)
        assertScimError(await scim.send(method, path, body), 400, 'mutability');
      assert.deepEqual([await read(userId), (await scim.get('/Groups')).body], before);
      assert.deepEqual(await scim.membersOf('dpo'), [inside]);
      const removal = { op: 'remove', path: 'members', value: members(userId) };
      assert.equal((await scim.patch('/Groups/dpo', removal)).status, 200);
      assert.equal((await scim.send('DELETE', '/Groups/dpo')).status, 204);
      assert.deepEqual(await read(userId), before[0]);
    });

    test('takes a PUT of them that leaves role and access as they are, or takes access away', async () => {
      await extend('extended');
      const { userId, email } = await createPlatformMember();
      const put = (attributes: object) =>
        scim.send('PUT', `/Users/${userId}`, { schemas: [userUrn], userName: email, ...attributes });
      const user = await read(userId);
      assert.deepEqual((await put(user)).body, user);
      const renamed = await put({ active: true, name: { givenName: 'Ada' } });
      assert.equal(renamed.body.displayName, 'Ada');
      assertScimError(await put({ active: false, roles: [{ value: 'dpo' }] }), 400, 'mutability');
      assertScimError(
        await scim.patch(`/Users/${userId}`, { op: 'replace', value: { active: true, title: 'x' } }),
        400,
        'mutability',
      );
      assert.deepEqual(await read(userId), renamed.body);
      const suspended = await put({ active: false });
      assert.equal(suspended.body.active, false);
      assertScimError(await put({ active: true, name: { givenName: 'Eve' } }), 400, 'mutability');
      assert.deepEqual(await read(userId), suspended.body);
      await extend('strict');
    });

    test('re-creates a deleted platform member as an ordinary member', async () => {
      const { userId, email } = await createPlatformMember();
      assert.equal((await scim.send('DELETE', `/Users/${userId}`)).status, 204);
      assert.equal(await scim.createUser(email), userId);
      const { roles, active } = await read(userId);
      assert.deepEqual([roles, active], [[{ value: 'cs_agent', primary: true }], true]);
      assert.equal((await scim.patch(`/Users/${userId}`, replaceActive(false))).status, 200);
      assert.equal((await scim.patch(`/Users/${userId}`, replaceActive(true))).body.active, true);
    });
  });

  describe('with the role platform_admin', () => {
    const createAdministrator = () => server.createMember({ role: 'platform_admin' });
    const listMembers = async () => (await scim.get('/Users')).body.Resources;

    test('shows them without a role and a group', async () => {
      const { userId, email } = await createAdministrator();
      const { userName, active, roles, groups } = await read(userId);
      assert.deepEqual([userName, active, roles, groups], [email, true, [], []]);
    });

    for (const scimCompatibility of ['strict', 'extended'] as const)
      test(`refuses every change of them, and of others in the same request (${scimCompatibility})`, async () => {
        await extend(scimCompatibility);
        const { userId, email, session } = await createAdministrator();
        const bystander = await scim.createUser(`bystander-${scimCompatibility}@example.com`);
        const before = await listMembers();
        const value = members(bystander, userId);
        const patch = (...Operations: readonly object[]) => ({ schemas: [patchUrn], Operations });
        const onUser: readonly object[] = [
          patch(replaceActive(false)),
          patch(replaceActive(true)),
          patch({ op: 'Replace', path: `${userUrn}:active`, value: 'False' }),
          patch({ op: 'replace', path: 'roles', value: [{ value: 'auditor' }] }),
          ...(scimCompatibility === 'extended' ? [patch({ op: 'replace', value: { active: false } })] : []),
        ];
        for (const body of onUser) assertScimError(await scim.send('PATCH', `/Users/${userId}`, body), 403);
        const put = { schemas: [userUrn], userName: email, active: false };
        assertScimError(await scim.send('PUT', `/Users/${userId}`, put), scimCompatibility === 'strict' ? 501 : 403);
        assertScimError(await scim.send('DELETE', `/Users/${userId}`), 403);
        for (const group of ['admin', 'dpo'])
          for (const [method, path, body] of [
            ['PATCH', `/Groups/${group}`, patch({ op: 'add', path: 'members', value })],
            ['PATCH', `/Groups/${group}`, patch({ op: 'replace', path: 'members', value })],
            ['PATCH', `/Groups/${group}`, patch({ op: 'remove', path: 'members', value })],
            ['PATCH', `/Groups/${group}`, patch({ op: 'remove', path: `members[value eq "${userId}"]` })],
            ['PUT', `/Groups/${group}`, { schemas: [groupUrn], members: value }],
            ['POST', '/Groups', { schemas: [groupUrn], displayName: group, members: value }],
          ] as const)
            assertScimError(await scim.send(method, path, body), 403);
        assertScimError(await scim.send('POST', '/Users', { schemas: [userUrn], userName: email }), 409, 'uniqueness');
        assert.deepEqual(await listMembers(), before);
        assert.equal(await canCall(session), true);
        await extend('strict');
      });

    test('leaves them when the groups are emptied or deleted', async () => {
      const { userId, session } = await createAdministrator();
      const before = await read(userId);
      for (const group of roleIds) {
        assert.equal((await scim.send('PUT', `/Groups/${group}`, { schemas: [groupUrn], members: [] })).status, 200);
        assert.equal((await scim.send('DELETE', `/Groups/${group}`)).status, 204);
      }
      assert.deepEqual(await read(userId), before);
      assert.equal(await canCall(session), true);
    });
  });
});
