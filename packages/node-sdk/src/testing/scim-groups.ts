import type { Role } from '../types/api.ts';
import type { Members } from './members.ts';
import { notFound } from './refusal.ts';
import { roleIds } from './roles.ts';
import { Located, type ScimCall, type ScimHandlers } from './scim.ts';
import {
  findGroup,
  findGroupByName,
  type GroupStep,
  nameGroup,
  planSteps,
  readGroupPatch,
  readGroupReplacement,
  readNamedGroup,
} from './scim-group-body.ts';
import { groupUrn, presentPage, quote, readFilter, readPage, readPatch, refuse } from './scim-message.ts';
import { readProjection } from './scim-projection.ts';
import type { World } from './world.ts';

interface NamedGroup {
  readonly role: Role;
  readonly displayName: string;
}

/** The operations of SCIM on role groups. */
export function scimGroupHandlers(world: World, members: Members): ScimHandlers {
  const map = () => world.tenant.sso.attributeMap.scimGroupRoleMap;
  const inGroup = (role: Role) => members.list().filter((member) => member.role === role && member.isAssigned);
  const viewOf = (call: ScimCall) => {
    const project = readProjection(call.query, groupUrn);
    return ({ role, displayName }: NamedGroup) =>
      project({
        ...{ schemas: [groupUrn], id: role, displayName },
        members: inGroup(role).map(({ userId, userName }) => ({ value: userId, display: userName })),
        meta: { resourceType: 'Group', created: world.tenant.createdAt, location: call.locate(`/Groups/${role}`) },
      });
  };
  const named = (role: Role): NamedGroup => ({ role, displayName: nameGroup(role, map()) });
  const require = ({ params }: ScimCall): NamedGroup => {
    const role = findGroup(params.role ?? '', map());
    if (role === undefined) throw notFound('group');
    return named(role);
  };
  const select = (filter: string | undefined): readonly NamedGroup[] => {
    if (filter === undefined) return roleIds.map(named);
    const { attribute, value } = readFilter(filter, groupUrn, ['displayName', 'id']);
    if (attribute === 'id') return roleIds.filter((id) => id === value).map(named);
    const role = findGroupByName(value, map());
    return role === undefined ? [] : [{ role, displayName: value }];
  };
  const change = (call: ScimCall, role: Role, steps: readonly GroupStep[]): void => {
    if (steps.length === 0) return;
    const joining = steps.flatMap(({ kind, userIds }) => (kind === 'remove' ? [] : userIds));
    const unknown = joining.find((id) => members.find(id) === undefined);
    if (unknown !== undefined)
      throw refuse('invalidValue', `There is no user ${quote(unknown)}; nobody was added or removed.`);
    const { assigned, removed } = planSteps(
      steps,
      inGroup(role).map(({ userId }) => userId),
    );
    const doing = (reason: string) => ({ call, now: call.now, reason });
    members.change(doing(`SCIM: removed from the group ${role}`), removed, { role, isAssigned: false });
    members.change(doing(`SCIM: added to the group ${role}`), assigned, { role, isAssigned: true });
  };
  return {
    listScimGroups(call) {
      const view = viewOf(call);
      readPage(call.query);
      return presentPage(select(call.query.filter), call.query, view);
    },
    createScimGroup(call) {
      const view = viewOf(call);
      const { members: userIds, ...group } = readNamedGroup(call.body, map());
      change(call, group.role, userIds.length === 0 ? [] : [{ kind: 'add', userIds }]);
      return new Located(view(group), call.locate(`/Groups/${group.role}`));
    },
    getScimGroup(call) {
      const view = viewOf(call);
      return view(require(call));
    },
    replaceScimGroup(call) {
      const view = viewOf(call);
      const group = require(call);
      const userIds = readGroupReplacement(call.body, group.role, map());
      change(call, group.role, [{ kind: 'replace', userIds }]);
      return view(group);
    },
    patchScimGroup(call) {
      const view = viewOf(call);
      const group = require(call);
      change(call, group.role, readGroupPatch(readPatch(call.body), group.role, map()));
      return view(group);
    },
    deleteScimGroup(call) {
      const { role } = require(call);
      const ids = inGroup(role).map(({ userId }) => userId);
      members.change({ call, now: call.now, reason: `SCIM: group ${role} deleted` }, ids, { isAssigned: false });
      return null;
    },
  };
}
