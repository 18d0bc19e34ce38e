import { z } from 'zod';
import type { MembershipRow } from '../accounts/members/membership.ts';
import type { Tenant } from '../accounts/tenants/tenant.ts';
import { Problem } from '../http/problem.ts';
import { findUnstorable } from '../http/request.ts';
import { isPlatformRole, isRole, type Role, RoleName } from '../http/roles.ts';
import { list, namedObject, schemasOf, text, UtcTime } from '../http/schemas.ts';
import {
  attributeName,
  attributesOf,
  invalidValue,
  isOperation,
  metaOf,
  type PatchKind,
  type PatchOperation,
  quote,
  readAttributes,
  readByHand,
  shapeOf,
  shown,
} from './attribute.ts';
import { readFilter } from './list.ts';

export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const ScimMember = namedObject('ScimMember', {
  value: shown(z.string(), 'The id of a user', { caseExact: true, mutability: 'immutable' }),
  display: shown(z.string(), 'The userName of the user'),
});
const nameFacts = { required: true, mutability: 'immutable', uniqueness: 'server' } as const;

const attribute = attributesOf<NamedGroup>();

/** The attributes of a role group, in the order of responses. */
export const groupAttributes = {
  displayName: attribute(shown(z.string(), 'The role, or the name that the tenant mapped to it', nameFacts), {
    documented: 'The name of the group at the identity provider if the tenant mapped one, else the role.',
    present: ({ displayName }) => displayName,
  }),
  members: attribute(shown(z.array(ScimMember), 'The members of the group', { mutability: 'readWrite' }), {
    documented: 'The members with this role who were not removed from the group.',
    present: ({ members }) => members?.map((row) => ({ value: row.user_id, display: row.user_name })),
  }),
};

/** spec.md "SCIM role group". */
export const ScimGroup = z
  .strictObject({
    schemas: schemasOf(groupUrn),
    id: RoleName,
    ...shapeOf(groupAttributes),
    meta: metaOf('Group', { created: UtcTime.optional() }),
  })
  .meta({ id: 'ScimGroup' });
export type ScimGroup = z.output<typeof ScimGroup>;

/** Roles by the name of a group at the identity provider (spec.md "SCIM role group"). */
export type GroupRoleMap = Readonly<Record<string, Role>>;

export function mapOf({ sso }: Tenant): GroupRoleMap {
  return sso.attributeMap.scimGroupRoleMap;
}

/** The maximum length of a name in the map. */
const longestGroupName = 256;

/** The displayName of a group: its name at the identity provider if exactly one is mapped to the role, else the role. */
export function nameGroup(role: Role, map: GroupRoleMap): string {
  const [name, ...others] = Object.keys(map).filter((candidate) => map[candidate] === role);
  return name !== undefined && others.length === 0 ? name : role;
}

/** Finds a group by the segment of a path: the role, or a mapped name in the same case. */
export function findGroup(idOrName: string, map: GroupRoleMap): Role | undefined {
  if (isRole(idOrName)) return idOrName;
  return !isPlatformRole(idOrName) && Object.hasOwn(map, idOrName) ? map[idOrName] : undefined;
}

/**
 * Finds a group by its displayName, which compares without case (RFC 7643 section 8.7.1). Mapped names take precedence
 * over roles; the settings reject a map in which they differ.
 */
export function findGroupByName(name: string, map: GroupRoleMap): Role | undefined {
  if (name.length > longestGroupName) return undefined;
  const folded = name.toLowerCase();
  if (isPlatformRole(folded)) return undefined;
  if (Object.hasOwn(map, name)) return map[name];
  const names = Object.keys(map).filter((candidate) => candidate.toLowerCase() === folded);
  const [role, ...others] = new Set(names.map((candidate) => map[candidate]));
  if (role !== undefined) return others.length === 0 ? role : undefined;
  return isRole(folded) ? folded : undefined;
}

/** A role group of a tenant, and its name in the response. */
export interface NamedGroup {
  readonly tenant: Tenant;
  readonly role: Role;
  readonly displayName: string;
  /** Read only if the response shows them. */
  readonly members?: readonly Pick<MembershipRow, 'user_id' | 'user_name'>[];
}

/** About as many as fit into a body of 1 MiB. */
const mostMembers = 20_000;
/** Ids are UUIDs, but an unknown id of another form is not an error. */
const longestId = 256;

const Members = list(
  z.looseObject({ value: text(longestId).meta({ description: 'The id of a user.' }) }).meta({ id: 'ScimMemberInput' }),
  mostMembers,
);

/** The body of a POST, for the documentation. */
export const NewGroupBody = readByHand('ScimGroupInput', groupUrn, {
  displayName: z.string().meta({ description: 'A role, or the name of a group that the tenant mapped to a role.' }),
  members: Members.optional().meta({ description: 'Users to add to the group.' }),
});

/** The body of a PUT, for the documentation. */
export const GroupBody = readByHand('ScimGroupReplacement', groupUrn, {
  displayName: z.string().optional().meta({ description: 'Cannot be changed.' }),
  members: Members.meta({ description: 'All members of the group; everyone else is removed.' }),
});

/** Rejects another id or displayName; undefined is not checked. @throws {Problem} `mutability`. */
export function requireSameGroup(id: unknown, displayName: unknown, role: Role, map: GroupRoleMap): void {
  const isSameId = id === undefined || id === role;
  const isSameName =
    displayName === undefined || (typeof displayName === 'string' && findGroupByName(displayName, map) === role);
  if (!isSameId || !isSameName)
    throw new Problem('mutability', 'The id and the displayName of a role group cannot be changed.');
}

/**
 * Reads the ids of members: an array of objects with a `value`, or one such object. Other attributes are ignored.
 * @throws {Problem} `invalidValue`.
 */
export function readMemberIds(value: unknown, where: string): readonly string[] {
  const isOne = typeof value === 'object' && value !== null && !Array.isArray(value);
  const items: unknown = isOne ? [value] : value;
  if (!Array.isArray(items)) throw invalidValue(`${where} must be an array of objects with a value.`);
  if (items.length > mostMembers) throw invalidValue(`${where} may have at most ${mostMembers} items.`);
  const ids = items.map((item, index) => {
    const id = readAttributes(item, `${where}[${index}]`, groupUrn).get('value');
    if (typeof id !== 'string' || id === '' || id.length > longestId)
      throw invalidValue(`${where}[${index}].value must be the id of a user.`);
    return id;
  });
  return [...new Set(ids)];
}

/** A change of the members of a group. */
export interface GroupStep {
  readonly kind: PatchKind;
  readonly userIds: readonly string[];
}

/**
 * Reads the operations on a role group (spec.md "SCIM 2.0" rule 4). Operations that set the id or the name to its present
 * value have no effect: Okta and authentik send them.
 * @returns the steps, in order.
 * @throws {Problem} `invalidSyntax`, `invalidPath`, `invalidFilter`, `invalidValue`, `noTarget`, `mutability`.
 */
export function readGroupPatch(
  operations: readonly PatchOperation[],
  role: Role,
  map: GroupRoleMap,
): readonly GroupStep[] {
  return operations.flatMap(({ op, path, value }) => {
    if (!isOperation(op)) throw new Problem('invalidSyntax', 'op must be add, remove or replace.');
    const readAttribute = (name: string, given: unknown): readonly GroupStep[] => {
      if (name === 'members') return [readMembersStep(op, given)];
      if (name === 'id') requireSameGroup(given, undefined, role, map);
      else if (name === 'displayname') requireSameGroup(undefined, given ?? null, role, map);
      // Accepted but not stored.
      else if (!['externalid', 'schemas', 'meta'].includes(name)) throw refusedGroupPath(op, name);
      return [];
    };
    if (path === null) {
      if (op === 'remove') throw new Problem('noTarget', 'A remove needs a path, such as members[value eq "…"].');
      const attributes = [...readAttributes(value, `The value of a ${op} without path`, groupUrn)];
      return attributes.flatMap(([name, given]) => readAttribute(name, given));
    }
    const [, name = '', filter] = /^([^[\]]*)(?:\[(.*)\])?$/s.exec(attributeName(path, groupUrn)) ?? [];
    if (name === 'members' && filter !== undefined && op === 'remove') {
      // Read from the path as it was given: ids compare with case.
      const { value: id } = readFilter(path.slice(path.indexOf('[') + 1, -1), groupUrn, ['value']);
      // PostgreSQL fails to compare an id that it cannot store; no user has it.
      return [{ kind: op, userIds: findUnstorable(id) === null ? [id] : [] }];
    }
    if (filter !== undefined || (op === 'remove' && name !== 'members')) throw refusedGroupPath(op, path);
    return readAttribute(name, value);
  });
}

function readMembersStep(kind: GroupStep['kind'], value: unknown): GroupStep {
  const userIds = value === undefined || value === null ? undefined : readMemberIds(value, 'members');
  // By RFC 7644 section 3.5.2.2 it would remove everyone; an omitted value must not remove access.
  if (kind === 'remove' && (userIds === undefined || userIds.length === 0))
    throw invalidValue('A remove of members needs their ids, in value or path; DELETE the group to remove everyone.');
  if (userIds === undefined)
    throw invalidValue(`A ${kind} of members needs a value: an array of objects with a value.`);
  return { kind, userIds };
}

function refusedGroupPath(op: string, path: string): Problem {
  return new Problem(
    'invalidPath',
    `A role group accepts only add, remove and replace of members, not ${op} of ${quote(path)}.`,
  );
}
