import { z } from 'zod';
import { Id, UtcTime } from '../http/schemas.ts';
import { platformRole, roleIds } from '../principal/roles.ts';
import { canSignIn, displayName, type Membership, memberStatuses } from './membership.ts';

export const MemberRoleName = z.enum([...roleIds, platformRole]).meta({
  id: 'MemberRole',
  description: 'A role, or the platform role, which only the operator of this server can give.',
});
const UserStatus = z.enum(memberStatuses).meta({ id: 'UserStatus' });

/** A member, as their tenant sees them. */
export const User = z
  .strictObject({
    id: Id,
    email: z.string(),
    displayName: z.string(),
    givenName: z.string().nullable(),
    familyName: z.string().nullable(),
    externalId: z.string().nullable().meta({ description: 'The id at the identity provider.' }),
    role: MemberRoleName,
    status: UserStatus,
    canSignIn: z.boolean().meta({ description: 'False until the user has accepted an invitation of this tenant.' }),
    mfaEnabled: z.boolean(),
    createdAt: UtcTime,
    updatedAt: UtcTime,
    lastSignedInAt: UtcTime.nullable(),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof User>;

/** A membership as the API returns it. */
export function viewUser(membership: Membership, mfaEnabled: boolean): User {
  const { userId, userName, givenName, familyName, externalId, role, status, isAccepted } = membership;
  return {
    id: userId,
    email: userName,
    displayName: displayName(membership),
    givenName,
    familyName,
    externalId,
    role,
    status,
    canSignIn: canSignIn(membership),
    // Before the user accepts an invitation, the tenant sees only what it entered itself.
    mfaEnabled: isAccepted && mfaEnabled,
    createdAt: membership.createdAt,
    updatedAt: membership.updatedAt,
    lastSignedInAt: membership.lastSignedInAt,
  };
}

/** The tenant of a session. */
export const TenantReference = z
  .strictObject({ id: Id, slug: z.string(), name: z.string() })
  .meta({ id: 'TenantReference' });

const memberFields = { userId: Id, email: z.string(), role: MemberRoleName, status: UserStatus };
const StatusState = z.strictObject({ status: UserStatus }).meta({ id: 'UserStatusState' });
const RoleState = z.strictObject({ role: MemberRoleName }).meta({ id: 'UserRoleState' });
const StatusChange = z
  .strictObject({ ...memberFields, before: StatusState, after: StatusState })
  .meta({ id: 'UserStatusEventData' });

/** The data of the webhook events about members. */
export const userEvents = {
  'user.provisioned': z
    .strictObject({
      ...memberFields,
      after: z.strictObject({ role: MemberRoleName, status: UserStatus }).meta({ id: 'UserState' }),
      restored: z.literal(true).optional().meta({ description: 'True when a former member is added again.' }),
    })
    .meta({ id: 'UserProvisionedEventData' }),
  'user.suspended': StatusChange,
  'user.reactivated': StatusChange,
  'user.deprovisioned': StatusChange,
  'user.role_changed': z
    .strictObject({ ...memberFields, before: RoleState, after: RoleState })
    .meta({ id: 'UserRoleEventData' }),
};
