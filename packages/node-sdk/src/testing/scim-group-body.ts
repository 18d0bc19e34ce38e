import type { Role } from '../types/api.ts';
import { isRole, platformRole } from './roles.ts';
import {
  attributeName,
  groupUrn,
  type PatchOperation,
  quote,
  readAttributes,
  readFilter,
  readMessage,
  refuse,
} from './scim-message.ts';

/** The roles of the groups of an identity provider, by the name of the group. */
export type GroupRoleMap = Readonly<Record<string, Role>>;

/** One thing to do to the members of a group. */
export interface GroupStep {
  readonly kind: 'add' | 'remove' | 'replace';
  readonly userIds: readonly string[];
}

/** What a group is called: as the identity provider calls it where exactly one of its groups has the role. */
export function nameGroup(role: Role, map: GroupRoleMap): string {
  const [name, ...others] = Object.keys(map).filter((candidate) => map[candidate] === role);
  return name !== undefined && others.length === 0 ? name : role;
}

/** Finds a group by what stands in a path. */
export function findGroup(idOrName: string, map: GroupRoleMap): Role | undefined {
  if (isRole(idOrName)) return idOrName;
  return idOrName !== platformRole && Object.hasOwn(map, idOrName) ? map[idOrName] : undefined;
}

/** Finds a group by its name, which compares without case. */
export function findGroupByName(name: string, map: GroupRoleMap): Role | undefined {
  const folded = name.toLowerCase();
  if (folded === platformRole) return undefined;
  if (Object.hasOwn(map, name)) return map[name];
  const names = Object.keys(map).filter((candidate) => candidate.toLowerCase() === folded);
  const [role, ...others] = new Set(names.map((candidate) => map[candidate]));
  if (role !== undefined) return others.length === 0 ? role : undefined;
  return isRole(folded) ? folded : undefined;
}

/** Reads which group a POST names, and who joins it. */
export function readNamedGroup(body: unknown, map: GroupRoleMap) {
  const group = readMessage(body, groupUrn);
  const displayName = group.get('displayname');
  const role = typeof displayName === 'string' ? findGroupByName(displayName, map) : undefined;
  if (typeof displayName !== 'string' || role === undefined) {
    const given = typeof displayName === 'string' ? ` ${quote(displayName)} is none.` : '';
    throw refuse('invalidValue', `displayName must be a role or a group that the tenant mapped to one.${given}`);
  }
  return { role, displayName, members: readMemberIds(group.get('members') ?? []) };
}

/** Reads who is to be in a group. */
export function readGroupReplacement(body: unknown, role: Role, map: GroupRoleMap): readonly string[] {
  const group = readMessage(body, groupUrn);
  requireSameGroup(group.get('id'), group.get('displayname'), role, map);
  const members = group.get('members') ?? undefined;
  if (members === undefined)
    throw refuse('invalidValue', 'members must list all who are to be in the group; send [] to remove everybody.');
  return readMemberIds(members);
}

function requireSameGroup(id: unknown, displayName: unknown, role: Role, map: GroupRoleMap): void {
  const isSameName =
    displayName === undefined || (typeof displayName === 'string' && findGroupByName(displayName, map) === role);
  if ((id !== undefined && id !== role) || !isSameName)
    throw refuse('mutability', 'The id and the displayName of a role group cannot be changed.');
}

function readMemberIds(value: unknown): readonly string[] {
  const isOne = typeof value === 'object' && value !== null && !Array.isArray(value);
  const items: unknown = isOne ? [value] : value;
  if (!Array.isArray(items)) throw refuse('invalidValue', 'members must be an array of objects with a value.');
  const ids = items.map((item, index) => {
    const id = readAttributes(item, `members[${index}]`, groupUrn).get('value');
    if (typeof id === 'string' && id !== '') return id;
    throw refuse('invalidValue', `members[${index}].value must be the id of a user.`);
  });
  return [...new Set(ids)];
}

/** Reads the operations on a group: `add`, `remove` and `replace` of members. */
export function readGroupPatch(
  operations: readonly PatchOperation[],
  role: Role,
  map: GroupRoleMap,
): readonly GroupStep[] {
  return operations.flatMap(({ op, path, value }): readonly GroupStep[] => {
    if (op !== 'add' && op !== 'remove' && op !== 'replace')
      throw refuse('invalidSyntax', 'op must be add, remove or replace.');
    if (path === null) return readWithoutPath(op, value, role, map);
    const [, name = '', filter] = /^([^[\]]*)(?:\[(.*)\])?$/s.exec(attributeName(path, groupUrn)) ?? [];
    if (name === 'members' && filter === undefined) return [readStep(op, value)];
    if (name === 'members' && op === 'remove') {
      const { value: id } = readFilter(path.slice(path.indexOf('[') + 1, -1), groupUrn, ['value']);
      return [{ kind: op, userIds: [id] }];
    }
    if (filter !== undefined || op === 'remove') throw refusedPath(op, path);
    return readOther(name, op, value, role, map);
  });
}

function readWithoutPath(op: GroupStep['kind'], value: unknown, role: Role, map: GroupRoleMap): readonly GroupStep[] {
  if (op === 'remove') throw refuse('noTarget', 'A remove needs a path, such as members[value eq "…"].');
  const attributes = [...readAttributes(value, `The value of a ${op} without path`, groupUrn)];
  return attributes.flatMap(([name, given]) =>
    name === 'members' ? [readStep(op, given)] : readOther(name, op, given, role, map),
  );
}

/** What is not the members may be said, and must be as it is. */
function readOther(name: string, op: string, value: unknown, role: Role, map: GroupRoleMap): readonly GroupStep[] {
  if (name === 'id') requireSameGroup(value, undefined, role, map);
  else if (name === 'displayname') requireSameGroup(undefined, value ?? null, role, map);
  else if (!['externalid', 'schemas', 'meta'].includes(name)) throw refusedPath(op, name);
  return [];
}

function readStep(kind: GroupStep['kind'], value: unknown): GroupStep {
  const userIds = value === undefined || value === null ? undefined : readMemberIds(value);
  if (kind === 'remove' && (userIds === undefined || userIds.length === 0))
    throw refuse(
      'invalidValue',
      'A remove of members names them, by value or by path; DELETE the group to remove everybody.',
    );
  if (userIds === undefined)
    throw refuse('invalidValue', `A ${kind} of members needs a value: an array of objects with a value.`);
  return { kind, userIds };
}

function refusedPath(op: string, path: string) {
  const message = `A role group takes add, remove and replace of members, not ${op} of ${quote(path)}.`;
  return refuse('invalidPath', message);
}

/** Follows steps in order, so that somebody who is removed and added again never leaves. */
export function planSteps(steps: readonly GroupStep[], current: readonly string[]) {
  const present = new Set(current);
  const [assigned, removed] = [new Set<string>(), new Set<string>()];
  const add = (id: string): void => {
    present.add(id);
    assigned.add(id);
    removed.delete(id);
  };
  const remove = (id: string): void => {
    if (!present.delete(id)) return;
    assigned.delete(id);
    removed.add(id);
  };
  for (const { kind, userIds } of steps) {
    if (kind === 'replace') for (const id of [...present]) if (!userIds.includes(id)) remove(id);
    for (const id of userIds) (kind === 'remove' ? remove : add)(id);
  }
  return { assigned: [...assigned], removed: [...removed] };
}
