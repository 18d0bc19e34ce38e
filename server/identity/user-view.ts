import { z } from 'zod';
import { Id, listOf, UtcTime } from '../http/schemas.ts';
import { platformRole, roleIds } from '../principal/roles.ts';
import type { Membership } from './membership.ts';
import { canSignIn, displayName } from './membership.ts';

export const MemberRoleName = z
  .enum([...roleIds, platformRole])
  .meta({ id: 'MemberRole', description: 'A role, or the platform role that only the operator of the server gives.' });
const UserStatus = z.enum(['active', 'suspended', 'deleted']).meta({ id: 'UserStatus' });

/** A member of a tenant, as the tenant sees them. */
export const User = z
  .strictObject({
    id: Id,
    email: z.string(),
    displayName: z.string(),
    givenName: z.string().nullable(),
    familyName: z.string().nullable(),
    externalId: z.string().nullable().meta({ description: 'The id that the identity provider gave.' }),
    role: MemberRoleName,
    status: UserStatus,
    canSignIn: z.boolean().meta({ description: 'False until the person has taken an invitation of this tenant.' }),
    mfaEnabled: z.boolean(),
    createdAt: UtcTime,
    updatedAt: UtcTime,
    lastSignedInAt: UtcTime.nullable(),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof User>;

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
    // Of somebody who took no invitation of this tenant, it learns nothing that is not its own.
    mfaEnabled: isAccepted && mfaEnabled,
    createdAt: membership.createdAt,
    updatedAt: membership.updatedAt,
    lastSignedInAt: membership.lastSignedInAt,
  };
}

/** A session, as the person and the administrators of its tenant see it. */
export const SessionView = z
  .strictObject({
    id: Id,
    createdAt: UtcTime,
    lastSeenAt: UtcTime,
    expiresAt: UtcTime.meta({ description: 'When it ends in any case; without requests it ends earlier.' }),
    challengeId: Id.nullable().meta({ description: 'The challenge that was answered with a code; null without one.' }),
    isCurrent: z.boolean(),
  })
  .meta({ id: 'Session' });
export type SessionView = z.output<typeof SessionView>;
export const SessionList = listOf(SessionView);

/** How many sessions a request ended. */
export const EndedSessions = z.strictObject({ ended: z.int().min(0) }).meta({ id: 'EndedSessions' });

/** The tenant of a session. */
export const TenantReference = z
  .strictObject({ id: Id, slug: z.string(), name: z.string() })
  .meta({ id: 'TenantReference' });

const memberFields = { userId: Id, email: z.string(), role: MemberRoleName, status: UserStatus };
const StatusState = z.strictObject({ status: UserStatus }).meta({ id: 'UserStatusState' });
const RoleState = z.strictObject({ role: MemberRoleName }).meta({ id: 'UserRoleState' });
const StatusChange = z
  .strictObject({
    ...memberFields,
    before: StatusState,
    after: StatusState,
  })
  .meta({ id: 'UserStatusEventData' });

/** The data of the webhook events about members. */
export const userEvents = {
  'user.provisioned': z
    .strictObject({
      ...memberFields,
      after: z.strictObject({ role: MemberRoleName, status: UserStatus }).meta({ id: 'UserState' }),
      restored: z.literal(true).optional().meta({ description: 'True for a former member who comes back.' }),
    })
    .meta({ id: 'UserProvisionedEventData' }),
  'user.suspended': StatusChange,
  'user.reactivated': StatusChange,
  'user.deprovisioned': StatusChange,
  'user.role_changed': z
    .strictObject({ ...memberFields, before: RoleState, after: RoleState })
    .meta({ id: 'UserRoleEventData' }),
};
