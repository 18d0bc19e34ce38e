import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import { list, text } from '../http/schemas.ts';
import type { Role } from '../principal/roles.ts';
import { findGroupByName, type GroupRoleMap, groupUrn } from './group.ts';
import { invalidValue, quote, readAttributes, readByHand, readMessage } from './message.ts';

/** As many as a body of 1 MiB has room for. */
const mostMembers = 20_000;
/** Ids are UUIDs; what is longer is nobody's. */
const longestId = 256;

const Members = list(
  z.looseObject({ value: text(longestId).meta({ description: 'The id of a user.' }) }).meta({ id: 'ScimMemberInput' }),
  mostMembers,
);
const schemas = z.array(z.string()).meta({ description: `Contains ${groupUrn}.` });

/** The body of a POST, for the documentation. */
export const NewGroupBody = readByHand(
  z
    .looseObject({
      schemas,
      displayName: z.string().meta({ description: 'A role, or the name of a group that the tenant mapped to one.' }),
      members: Members.optional().meta({ description: 'Who joins the group.' }),
    })
    .meta({ id: 'ScimGroupInput' }),
);

/** The body of a PUT, for the documentation. */
export const GroupBody = readByHand(
  z
    .looseObject({
      schemas,
      displayName: z.string().optional().meta({ description: 'Cannot be changed.' }),
      members: Members.meta({ description: 'All who are to be in the group; everybody else is removed.' }),
    })
    .meta({ id: 'ScimGroupReplacement' }),
);

/**
 * Reads which group a POST names, and who joins it.
 * @throws {Problem} `invalidSyntax`, or `invalidValue` for a name that is none of the groups.
 */
export function readNamedGroup(
  body: unknown,
  map: GroupRoleMap,
): { readonly role: Role; readonly displayName: string; readonly members: readonly string[] } {
  const group = readMessage(body, groupUrn);
  const displayName = group.get('displayname');
  const role = typeof displayName === 'string' ? findGroupByName(displayName, map) : undefined;
  if (typeof displayName !== 'string' || role === undefined) {
    const given = typeof displayName === 'string' ? ` ${quote(displayName)} is none.` : '';
    throw invalidValue(`displayName must be a role or a group that the tenant mapped to one.${given}`);
  }
  return { role, displayName, members: readMemberIds(group.get('members') ?? [], 'members') };
}

/**
 * Reads who is to be in a group. A list that is left out is no empty one: nobody loses access by what was not said.
 * @throws {Problem} `invalidSyntax`, `invalidValue`, `mutability`.
 */
export function readGroupReplacement(body: unknown, role: Role, map: GroupRoleMap): readonly string[] {
  const group = readMessage(body, groupUrn);
  requireSameGroup(group.get('id'), group.get('displayname'), role, map);
  if ((group.get('members') ?? undefined) === undefined)
    throw invalidValue('members must list all who are to be in the group; send [] to remove everybody.');
  return readMemberIds(group.get('members'), 'members');
}

/** A group keeps its id and its name; to say them again changes nothing. @throws {Problem} `mutability`. */
export function requireSameGroup(id: unknown, displayName: unknown, role: Role, map: GroupRoleMap): void {
  const isSameId = id === undefined || id === role;
  const isSameName =
    displayName === undefined || (typeof displayName === 'string' && findGroupByName(displayName, map) === role);
  if (!isSameId || !isSameName)
    throw new Problem('mutability', 'The id and the displayName of a role group cannot be changed.');
}

/**
 * Reads the ids of members: objects with a `value`, or one such object. What else they have is passed over.
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
