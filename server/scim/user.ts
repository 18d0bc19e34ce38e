import { z } from 'zod';
import { schemasOf, UtcTime } from '../http/schemas.ts';
import { displayName, type Membership } from '../identity/membership.ts';
import { isRole } from '../principal/roles.ts';
import type { Locate } from './location.ts';

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** spec.md "SCIM user"; all but `schemas` and `id` may be left out by `attributes` and `excludedAttributes`. */
export const ScimUser = z
  .strictObject({
    schemas: schemasOf(userUrn),
    id: z.string().meta({ description: 'The person; somebody who comes back keeps it.' }),
    externalId: z.string().optional().meta({ description: 'The id that the identity provider gave.' }),
    userName: z.string().optional().meta({ description: 'The e-mail address; case does not matter.' }),
    name: z
      .strictObject({
        givenName: z.string().optional(),
        familyName: z.string().optional(),
        formatted: z.string().optional(),
      })
      .meta({ id: 'ScimName' })
      .optional(),
    displayName: z.string().optional(),
    emails: z
      .array(
        z
          .strictObject({
            value: z.string().optional(),
            type: z.literal('work').optional(),
            primary: z.literal(true).optional(),
          })
          .meta({ id: 'ScimEmail' }),
      )
      .optional(),
    active: z.boolean().optional().meta({ description: 'False while the membership is suspended, for any cause.' }),
    roles: z
      .array(
        z.strictObject({ value: z.string().optional(), primary: z.literal(true).optional() }).meta({ id: 'ScimRole' }),
      )
      .optional()
      .meta({ description: 'The one role; none for whom the operator of the server manages.' }),
    groups: z
      .array(
        z
          .strictObject({ value: z.string().optional(), type: z.literal('direct').optional() })
          .meta({ id: 'ScimGroupReference' }),
      )
      .optional()
      .meta({ description: 'The role group that the person stands in; none after a removal from it.' }),
    meta: z
      .strictObject({
        resourceType: z.literal('User').optional(),
        created: UtcTime.optional(),
        lastModified: UtcTime.optional(),
        location: z.url().optional(),
      })
      .meta({ id: 'ScimUserMeta' })
      .optional(),
  })
  .meta({ id: 'ScimUser' });
export type ScimUser = z.output<typeof ScimUser>;

/** A member as SCIM shows them. */
export function presentUser(member: Membership, locate: Locate): ScimUser {
  const { userId, userName, givenName, familyName, externalId, role, status, isAssigned } = member;
  const name = {
    ...(givenName !== null && { givenName }),
    ...(familyName !== null && { familyName }),
  };
  const isGiven = Object.keys(name).length > 0;
  const isNamed = Object.values(name).some((part) => part.trim() !== '');
  return {
    schemas: [userUrn],
    id: userId,
    ...(externalId !== null && { externalId }),
    userName,
    ...(isGiven && { name: { ...name, ...(isNamed && { formatted: displayName(member) }) } }),
    displayName: displayName(member),
    emails: [{ value: userName, type: 'work', primary: true }],
    active: status === 'active',
    // The platform's own role is none that SCIM has a name or a group for.
    roles: isRole(role) ? [{ value: role, primary: true }] : [],
    groups: isAssigned && isRole(role) ? [{ value: role, type: 'direct' }] : [],
    meta: {
      resourceType: 'User',
      created: member.createdAt,
      lastModified: member.updatedAt,
      location: locate(`/Users/${userId}`),
    },
  };
}
