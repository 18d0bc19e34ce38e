import { findUnstorable } from '../http/body.ts';
import { Problem } from '../http/problem.ts';
import type { Role } from '../principal/roles.ts';
import { readFilter } from './filter.ts';
import { type GroupRoleMap, groupUrn } from './group.ts';
import { readMemberIds, requireSameGroup } from './group-body.ts';
import { attributeName, invalidValue, quote, readAttributes } from './message.ts';
import type { PatchOperation } from './patch.ts';

/** One thing to do to the members of a group. */
export interface GroupStep {
  readonly kind: 'add' | 'remove' | 'replace';
  readonly userIds: readonly string[];
}

/**
 * Reads the operations on a role group (spec.md "SCIM 2.0" rule 4). Names that do not change are taken without effect, as
 * Okta and authentik send them along.
 * @returns the steps, in order.
 * @throws {Problem} `invalidSyntax`, `invalidPath`, `invalidFilter`, `invalidValue`, `noTarget`, `mutability`.
 */
export function readGroupPatch(
  operations: readonly PatchOperation[],
  role: Role,
  map: GroupRoleMap,
): readonly GroupStep[] {
  return operations.flatMap((operation) => {
    const { op, path, value } = operation;
    if (!isOperation(op)) throw new Problem('invalidSyntax', 'op must be add, remove or replace.');
    if (path === null) return readWithoutPath(op, value, role, map);
    const [, name = '', filter] = /^([^[\]]*)(?:\[(.*)\])?$/s.exec(attributeName(path, groupUrn)) ?? [];
    if (name === 'members' && filter === undefined) return [readMembersStep(op, value)];
    if (name === 'members' && op === 'remove') return [{ kind: op, userIds: readMemberFilter(path) }];
    if (filter !== undefined || op === 'remove') throw refusedPath(op, path);
    return readAttributeOf(name, op, value, role, map);
  });
}

function isOperation(op: string): op is GroupStep['kind'] {
  return op === 'add' || op === 'remove' || op === 'replace';
}

function readWithoutPath(op: GroupStep['kind'], value: unknown, role: Role, map: GroupRoleMap): readonly GroupStep[] {
  if (op === 'remove') throw new Problem('noTarget', 'A remove needs a path, such as members[value eq "…"].');
  const attributes = [...readAttributes(value, `The value of a ${op} without path`, groupUrn)];
  return attributes.flatMap(([name, given]) =>
    name === 'members' ? [readMembersStep(op, given)] : readAttributeOf(name, op, given, role, map),
  );
}

/** What is not the members may be said, and must be as it is; an externalId and the like are not kept. */
function readAttributeOf(
  name: string,
  op: GroupStep['kind'],
  value: unknown,
  role: Role,
  map: GroupRoleMap,
): readonly GroupStep[] {
  if (name === 'id') requireSameGroup(value, undefined, role, map);
  else if (name === 'displayname') requireSameGroup(undefined, value ?? null, role, map);
  else if (!['externalid', 'schemas', 'meta'].includes(name)) throw refusedPath(op, name);
  return [];
}

function readMembersStep(kind: GroupStep['kind'], value: unknown): GroupStep {
  const userIds = value === undefined || value === null ? undefined : readMemberIds(value, 'members');
  // By the RFC it would clear the role: nobody loses access by what was not said.
  if (kind === 'remove' && (userIds === undefined || userIds.length === 0))
    throw invalidValue('A remove of members names them, by value or by path; DELETE the group to remove everybody.');
  if (userIds === undefined)
    throw invalidValue(`A ${kind} of members needs a value: an array of objects with a value.`);
  return { kind, userIds };
}

/** The id in `members[value eq "…"]`. What no database can keep is nobody's id, and PostgreSQL fails to look for it. */
function readMemberFilter(path: string): readonly string[] {
  const { value } = readFilter(path.slice(path.indexOf('[') + 1, -1), groupUrn, ['value']);
  return findUnstorable(value) === null ? [value] : [];
}

function refusedPath(op: string, path: string): Problem {
  return new Problem(
    'invalidPath',
    `A role group takes add, remove and replace of members, not ${op} of ${quote(path)}.`,
  );
}

/** What steps come to: who is in the group afterwards because they were named, and who left it. */
export interface GroupPlan {
  readonly assigned: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Follows steps in order, so that somebody who is removed and added again never leaves.
 * @param current who is in the group: all of them where a step replaces, at least those who are named else.
 */
export function planSteps(steps: readonly GroupStep[], current: Iterable<string>): GroupPlan {
  const present = new Set(current);
  const assigned = new Set<string>();
  const removed = new Set<string>();
  const add = (id: string) => {
    present.add(id);
    assigned.add(id);
    removed.delete(id);
  };
  const remove = (id: string) => {
    if (!present.delete(id)) return;
    assigned.delete(id);
    removed.add(id);
  };
  for (const { kind, userIds } of steps) {
    const named = new Set(userIds);
    if (kind === 'replace') for (const id of [...present]) if (!named.has(id)) remove(id);
    for (const id of named) (kind === 'remove' ? remove : add)(id);
  }
  return { assigned: [...assigned], removed: [...removed] };
}
