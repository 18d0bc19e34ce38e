import { z } from 'zod';
import { schemasOf, UtcTime } from '../http/schemas.ts';
import type { Membership } from '../identity/membership.ts';
import { isRole, platformRole, type Role, RoleName } from '../principal/roles.ts';
import type { Locate } from './location.ts';

export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** spec.md "SCIM role group"; all but `schemas` and `id` may be left out by `attributes` and `excludedAttributes`. */
export const ScimGroup = z
  .strictObject({
    schemas: schemasOf(groupUrn),
    id: RoleName,
    displayName: z.string().optional().meta({
      description: 'The name of the group at the identity provider where the tenant mapped one, else the role.',
    }),
    members: z
      .array(
        z.strictObject({ value: z.string().optional(), display: z.string().optional() }).meta({ id: 'ScimMember' }),
      )
      .optional()
      .meta({ description: 'Who has the role, but for those who were removed from it.' }),
    meta: z
      .strictObject({
        resourceType: z.literal('Group').optional(),
        created: UtcTime.optional(),
        location: z.url().optional(),
      })
      .meta({ id: 'ScimGroupMeta' })
      .optional(),
  })
  .meta({ id: 'ScimGroup' });
export type ScimGroup = z.output<typeof ScimGroup>;

/** The roles of the groups of an identity provider, by the name of the group (spec.md "SCIM role group"). */
export type GroupRoleMap = Readonly<Record<string, Role>>;

/** As long as the names of groups that a tenant maps. */
const longestGroupName = 256;

/** What a group is called: as the identity provider calls it where exactly one of its groups has the role. */
export function nameGroup(role: Role, map: GroupRoleMap): string {
  const [name, ...others] = Object.keys(map).filter((candidate) => map[candidate] === role);
  return name !== undefined && others.length === 0 ? name : role;
}

/** Finds a group by what stands in a path: the role, or a name that the tenant mapped, letter by letter. */
export function findGroup(idOrName: string, map: GroupRoleMap): Role | undefined {
  if (isRole(idOrName)) return idOrName;
  return idOrName !== platformRole && Object.hasOwn(map, idOrName) ? map[idOrName] : undefined;
}

/**
 * Finds a group by its name, which compares without case (RFC 7643 section 8.7.1). A name that the tenant mapped counts
 * before the role that is called the same; the settings of a tenant refuse a map in which they differ.
 */
export function findGroupByName(name: string, map: GroupRoleMap): Role | undefined {
  if (name.length > longestGroupName) return undefined;
  const folded = name.toLowerCase();
  if (folded === platformRole) return undefined;
  if (Object.hasOwn(map, name)) return map[name];
  const names = Object.keys(map).filter((candidate) => candidate.toLowerCase() === folded);
  const [role, ...others] = new Set(names.map((candidate) => map[candidate]));
  if (role !== undefined) return others.length === 0 ? role : undefined;
  return isRole(folded) ? folded : undefined;
}

export interface GroupView {
  readonly role: Role;
  readonly displayName: string;
  /** Null where they are not shown. */
  readonly members: readonly Pick<Membership, 'userId' | 'userName'>[] | null;
  /** The groups came with the tenant. */
  readonly created: string;
}

/** A role group as SCIM shows it. */
export function presentGroup({ role, displayName, members, created }: GroupView, locate: Locate): ScimGroup {
  return {
    schemas: [groupUrn],
    id: role,
    displayName,
    ...(members !== null && { members: members.map(({ userId, userName }) => ({ value: userId, display: userName })) }),
    meta: { resourceType: 'Group', created, location: locate(`/Groups/${role}`) },
  };
}
