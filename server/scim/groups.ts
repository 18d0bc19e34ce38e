import { z } from 'zod';
import { changeLockedMembers, lockMembers, type MembershipRow } from '../accounts/members/membership.ts';
import { listGroupMembers, readGroupMembers } from '../accounts/members/membership-store.ts';
import { requireTenant } from '../accounts/tenants/store.ts';
import type { AuditSource } from '../http/principal.ts';
import { requireFound } from '../http/problem.ts';
import { isPlatformRole, type Role, roleIds } from '../http/roles.ts';
import type { Transaction } from '../storage/database.ts';
import { invalidValue, presentAttributes, quote, readMessage, readPatch } from './attribute.ts';
import {
  findGroup,
  findGroupByName,
  GroupBody,
  type GroupStep,
  groupAttributes,
  groupUrn,
  mapOf,
  type NamedGroup,
  NewGroupBody,
  nameGroup,
  readGroupPatch,
  readMemberIds,
  requireSameGroup,
  ScimGroup,
} from './group.ts';
import { slicePage } from './list.ts';
import type { ResourceType } from './resource.ts';
import { managedByOperator, refusePlatformAdmin } from './users.ts';

/** Role groups: the members with a role. */
export const groups: ResourceType<NamedGroup, ScimGroup> = {
  urn: groupUrn,
  name: 'Group',
  description: 'The members with a role; the groups are fixed',
  plural: 'Role groups, which are fixed',
  result: ScimGroup,
  parameter: [
    'role',
    z.string().meta({ description: `One of ${roleIds.join(', ')}, or a name that the tenant mapped to a role.` }),
  ],
  attributes: groupAttributes,
  filters: ['displayName', 'id'],
  operations: {
    list: {
      summary: 'List the role groups',
      description: 'One group for each role that can be assigned.',
      errors: ['invalidFilter', 'invalidValue'],
    },
    create: {
      summary: 'Find a role group by its name',
      description: 'Creates nothing, because the roles are fixed. Adds the given members to the group.',
      body: NewGroupBody,
      errors: ['forbidden', 'invalidSyntax', 'invalidValue', 'mutability'],
    },
    get: {
      summary: 'Get a role group',
      description: 'By the role, or by a name that the tenant mapped to it.',
      errors: ['invalidValue'],
    },
    replace: {
      summary: 'Replace the members of a role group',
      description: 'Listed users get the role; other members of the group are suspended.',
      body: GroupBody,
      errors: ['forbidden', 'invalidSyntax', 'invalidValue', 'mutability'],
    },
    patch: {
      summary: 'Add, remove or replace members of a role group',
      description:
        'Added users get the role; removed members are suspended. To move a member, add them to the other group.',
      errors: ['forbidden', 'invalidFilter', 'invalidPath', 'invalidSyntax', 'invalidValue', 'mutability', 'noTarget'],
    },
    delete: {
      sdkMethod: 'scim.groups.clear',
      summary: 'Remove all members of a role group',
      description: 'Suspends all members of the group. The role and the users stay.',
    },
  },
  idOf: ({ role }) => role,
  async present(queries, group, location, shows) {
    const { tenant, role } = group;
    const members = shows('members') && { members: await listGroupMembers(queries, tenant.id, role) };
    return {
      schemas: [groupUrn],
      id: role,
      ...presentAttributes(groupAttributes, { ...group, ...members }),
      // Groups are built in, so they are as old as the tenant.
      meta: { resourceType: 'Group', created: tenant.createdAt, location },
    };
  },

  /** A group that is found by name has the displayName of the filter. */
  async list(queries, tenantId, filter, page) {
    const tenant = await requireTenant(queries, tenantId);
    const map = mapOf(tenant);
    const all = roleIds.map((role): NamedGroup => ({ tenant, role, displayName: nameGroup(role, map) }));
    if (filter === undefined) return slicePage(all, page);
    const { attribute, value } = filter;
    if (attribute === 'id') {
      const named = all.filter(({ role }) => role === value);
      return slicePage(named, page);
    }
    const role = findGroupByName(value, map);
    return slicePage(role === undefined ? [] : [{ tenant, role, displayName: value }], page);
  },
  async get(queries, tenantId, idOrName) {
    const tenant = await requireTenant(queries, tenantId);
    const role = requireFound(findGroup(idOrName, mapOf(tenant)), 'group');
    return { tenant, role, displayName: nameGroup(role, mapOf(tenant)) };
  },

  async create(tx, source, body) {
    const tenant = await requireTenant(tx.queries, source.tenantId);
    const message = readMessage(body, groupUrn);
    const displayName = message.get('displayname');
    const role = typeof displayName === 'string' ? findGroupByName(displayName, mapOf(tenant)) : undefined;
    if (typeof displayName !== 'string' || role === undefined) {
      const given = typeof displayName === 'string' ? `, not ${quote(displayName)}` : '';
      throw invalidValue(`displayName must be a role or a group that the tenant mapped to a role${given}.`);
    }
    const members = readMemberIds(message.get('members') ?? [], 'members');
    if (members.length > 0) await changeGroup(tx, source, role, [{ kind: 'add', userIds: members }]);
    return { tenant, role, displayName };
  },

  /** Applies the operations of a PATCH, all or none. @throws {Problem} those of `changeGroup` and of the body. */
  async patch(tx, source, name, body) {
    const group = await groups.get(tx.queries, source.tenantId, name);
    const steps = readGroupPatch(readPatch(body), group.role, mapOf(group.tenant));
    await changeGroup(tx, source, group.role, steps);
    return group;
  },

  /** Applies a PUT, which must list the members: an omitted list must not remove access. @throws {Problem} those of `changeGroup` and of the body. */
  async replace(tx, source, name, body) {
    const group = await groups.get(tx.queries, source.tenantId, name);
    const message = readMessage(body, groupUrn);
    requireSameGroup(message.get('id'), message.get('displayname'), group.role, mapOf(group.tenant));
    const members = message.get('members') ?? undefined;
    if (members === undefined)
      throw invalidValue('members must list all members of the group; send [] to remove everyone.');
    const userIds = readMemberIds(members, 'members');
    await changeGroup(tx, source, group.role, [{ kind: 'replace', userIds }]);
    return group;
  },

  async delete(tx, source, name) {
    const { role } = await groups.get(tx.queries, source.tenantId, name);
    // Takes the lock before the list is read.
    await tx.lockTenant(source.tenantId);
    const members = await readGroupMembers(tx.queries, source.tenantId, role);
    await changeLockedMembers(tx, source, members, { isAssigned: false }, `SCIM: group ${role} deleted`);
  },
};

/**
 * Applies steps to the members of a role group, all or none. Added members get the role and leave any other group;
 * removed members are suspended (spec.md "SCIM 2.0" rule 5).
 * @throws {Problem} `forbidden` if a step names a `platform_admin`, `invalidValue` if an added user is not a member of the
 *   tenant, `mutability` if the operator manages them.
 */
export async function changeGroup(
  tx: Transaction,
  source: AuditSource,
  role: Role,
  steps: readonly GroupStep[],
): Promise<void> {
  if (steps.length === 0) return;
  const { tenantId } = source;
  const named = [...new Set(steps.flatMap(({ userIds }) => userIds))];
  const members = new Map((await lockMembers(tx, tenantId, named)).map((row) => [row.user_id, row]));
  refusePlatformAdmin(members.values());
  const joining = steps.flatMap(({ kind, userIds }) => (kind === 'remove' ? [] : userIds));
  const unknown = joining.find((id) => !members.has(id));
  if (unknown !== undefined) throw invalidValue(`There is no user ${quote(unknown)}; nothing was changed.`);
  if (joining.some((id) => isPlatformRole((members.get(id) as MembershipRow).role))) throw managedByOperator();
  const current = steps.some(({ kind }) => kind === 'replace')
    ? await readGroupMembers(tx.queries, tenantId, role)
    : [...members.values()].filter((member) => member.role === role && member.unassigned_at === null);
  const known = new Map([...members.values(), ...current].map((row) => [row.user_id, row]));
  const rowsOf = (ids: readonly string[]) => ids.map((id) => known.get(id) as MembershipRow);
  const { assigned, removed } = planSteps(
    steps,
    current.map(({ user_id }) => user_id),
  );
  // Sets the role too: a request can add and remove the same user.
  const left = { role, isAssigned: false };
  await changeLockedMembers(tx, source, rowsOf(removed), left, `SCIM: removed from the group ${role}`);
  const joined = { role, isAssigned: true };
  await changeLockedMembers(tx, source, rowsOf(assigned), joined, `SCIM: added to the group ${role}`);
}

/**
 * Computes the result of steps in order: a member who is removed and added again stays.
 * @param current ids of the members of the group: all for a `replace`, else at least those that the steps name.
 * @returns the ids that the steps add, members or not, and those that they remove.
 */
export function planSteps(
  steps: readonly GroupStep[],
  current: Iterable<string>,
): { readonly assigned: readonly string[]; readonly removed: readonly string[] } {
  const present = new Set(current);
  const [added, left] = [new Set<string>(), new Set<string>()];
  for (const { kind, userIds } of steps) {
    const named = new Set(userIds);
    const leaving = kind === 'replace' ? [...present].filter((id) => !named.has(id)) : kind === 'remove' ? named : [];
    for (const id of leaving) if (present.delete(id)) left.add(id);
    if (kind === 'remove') continue;
    for (const id of named) {
      present.add(id);
      added.add(id);
    }
  }
  return {
    assigned: [...added].filter((id) => present.has(id)),
    removed: [...left].filter((id) => !present.has(id)),
  };
}
