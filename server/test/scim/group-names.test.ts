import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { SsoConfiguration } from '../../accounts/tenants/tenant.ts';
import { platformRoles, roleIds } from '../../http/roles.ts';
import { findGroup, findGroupByName, nameGroup } from '../../scim/group.ts';
import { describeServer } from '../consent/helpers.ts';
import { assertScimError, createScimClient, groupUrn, members, type ScimClient } from './scim-client.ts';

const scimGroupRoleMap = {
  'Privacy Team': 'dpo',
  'Tech Nord': 'engineer',
  'Tech Süd': 'engineer',
  Admin: 'admin',
} as const;

/** Names that are easily confused: those of roles, those that differ only in case, and any. */
const groupName = fc.oneof(
  fc.constantFrom('Staff', 'STAFF', 'staff', 'Straße', 'dpco_principal', 'toString'),
  fc.constantFrom(...roleIds).chain((role) => fc.constantFrom(role, role.toUpperCase(), `${role} `)),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
);
const groupMap = fc.dictionary(groupName, fc.constantFrom(...roleIds), { maxKeys: 8 });
const wrap = (map: object) => ({ attributeMap: { scimGroupRoleMap: map } });

describe('the name of a group', () => {
  test('is that of the identity provider if exactly one is mapped, else the role', () => {
    assert.equal(nameGroup('dpo', scimGroupRoleMap), 'Privacy Team');
    assert.equal(nameGroup('engineer', scimGroupRoleMap), 'engineer');
    assert.equal(nameGroup('cs_agent', scimGroupRoleMap), 'cs_agent');
  });

  test('is matched case-insensitively', () => {
    const find = (name: string) => findGroupByName(name, scimGroupRoleMap);
    assert.equal(find('privacy team'), 'dpo');
    assert.equal(find('TECH SÜD'), 'engineer');
    assert.equal(find('dpo'), 'dpo');
    for (const name of ['admin', 'Admin', 'ADMIN']) assert.equal(find(name), 'admin');
    for (const name of ['unknown', '', 'dpco_principal', 'platform_admin', '__proto__', 'toString'])
      assert.equal(find(name), undefined);
  });

  test('that differs from another only in case must be exact', () => {
    const map = { Staff: 'dpo', STAFF: 'auditor' } as const;
    assert.equal(findGroupByName('Staff', map), 'dpo');
    assert.equal(findGroupByName('STAFF', map), 'auditor');
    assert.equal(findGroupByName('staff', map), undefined);
  });

  test('never makes the role of the platform a group', () => {
    const map = { dpco_principal: 'admin', platform_admin: 'admin', PLATFORM_ADMIN: 'admin' } as const;
    for (const role of platformRoles)
      for (const find of [findGroup, findGroupByName]) assert.equal(find(role, map), undefined);
    assert.equal(findGroupByName('DPCO_PRINCIPAL', map), undefined);
  });

  test('is no name of another role', () => {
    for (const name of [...roleIds, 'DPO', 'Cs_Agent', ...platformRoles, 'DPCO_Principal'])
      for (const role of roleIds)
        assert.equal(SsoConfiguration.safeParse(wrap({ [name]: role })).success, name.toLowerCase() === role, name);
  });

  test('finds the group with that displayName, whatever a tenant maps', () => {
    fc.assert(
      fc.property(groupMap, (map) => {
        fc.pre(SsoConfiguration.safeParse(wrap(map)).success);
        for (const role of roleIds) {
          assert.equal(findGroupByName(nameGroup(role, map), map), role);
          assert.equal(findGroup(role, map), role);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('in a path is that of a role, or a mapped one in exact case', () => {
    assert.equal(findGroup('admin', scimGroupRoleMap), 'admin');
    assert.equal(findGroup('Privacy Team', scimGroupRoleMap), 'dpo');
    assert.equal(findGroup('privacy team', scimGroupRoleMap), undefined);
  });
});

describeServer('SCIM groups with mapped names', (server) => {
  let scim: ScimClient;
  before(async () => {
    scim = await createScimClient(server);
    const body = { sso: { attributeMap: { scimGroupRoleMap } } };
    assert.equal((await server.request('PATCH', '/v1/tenant', { body })).status, 200);
  });

  test('are listed and found by their names', async () => {
    const { body } = await scim.get('/Groups');
    assert.deepEqual(
      body.Resources.map(({ displayName }: { displayName: string }) => displayName),
      ['Admin', 'Privacy Team', 'engineer', 'auditor', 'cs_agent'],
    );
    for (const [filter, id] of [
      ['displayName eq "Privacy Team"', 'dpo'],
      ['displayName eq "Tech Nord"', 'engineer'],
      ['displayName eq "admin"', 'admin'],
      ['displayName eq "dpo"', 'dpo'],
    ]) {
      const found = await scim.get('/Groups', { filter: `${filter}` });
      assert.deepEqual(
        found.body.Resources.map((group: { id: string }) => group.id),
        [id],
      );
    }
  });

  test('are adopted by POST under the requested name', async () => {
    for (const [displayName, role] of [
      ['Privacy Team', 'dpo'],
      ['Tech Süd', 'engineer'],
      ['admin', 'admin'],
    ]) {
      const { status, body, headers } = await scim.send('POST', '/Groups', { schemas: [groupUrn], displayName });
      assert.equal(status, 201);
      assert.equal(body.id, role);
      assert.equal(body.displayName, displayName);
      assert.equal(headers.get('location'), `${server.url}/scim/v2/Groups/${role}`);
    }
  });

  test('are changed by role and by name', async () => {
    const id = await scim.createUser('named@example.com');
    const added = await scim.patch('/Groups/Privacy%20Team', { op: 'add', path: 'members', value: members(id) });
    assert.equal(added.body.id, 'dpo');
    assert.equal(added.body.displayName, 'Privacy Team');
    assert.deepEqual(await scim.membersOf('dpo'), [id]);
    const same = { op: 'replace', value: { id: 'dpo', displayName: 'Privacy Team' } };
    assert.equal((await scim.patch('/Groups/dpo', same)).status, 200);
    const renamed = { op: 'replace', path: 'displayName', value: 'Tech Nord' };
    assertScimError(await scim.patch('/Groups/dpo', renamed), 400, 'mutability');
    assertScimError(await scim.get('/Groups/Unknown'), 404);
  });

  test('can be put as they were returned, whatever the tenant maps', async () => {
    await fc.assert(
      fc.asyncProperty(groupMap, async (map) => {
        fc.pre(SsoConfiguration.safeParse(wrap(map)).success);
        const { status, text } = await server.request('PATCH', '/v1/tenant', { body: { sso: wrap(map) } });
        assert.equal(status, 200, text);
        for (const group of (await scim.get('/Groups')).body.Resources) {
          const put = await scim.send('PUT', `/Groups/${group.id}`, group);
          assert.equal(put.status, 200, put.text);
          assert.deepEqual(put.body, group);
        }
      }),
      { numRuns: 20 },
    );
  });
});
