import { z } from 'zod';
import { platformRole, roleIds } from '../access/roles.ts';
import { Id, UtcTime } from '../http/schemas.ts';
import type { Membership } from './membership.ts';
import { canSignIn, displayName } from './membership.ts';

export const RoleName = z.enum(roleIds).meta({ description: 'What the member may do.' });
export const MemberRoleName = z.enum([...roleIds, platformRole]);

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
    status: z.enum(['active', 'suspended', 'deleted']),
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
