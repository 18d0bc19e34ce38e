import { type AuditSource, systemSource } from '../audit/source.ts';
import type { MemberRole } from '../principal/roles.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { accountRows, findOrCreateAccount, recordAccountChange, updatePassword } from './account-store.ts';
import { invite } from './invitation-changes.ts';
import { addMember } from './membership-changes.ts';

/** A user whom the operator of the server makes a member. */
export interface NewUser {
  readonly email: string;
  readonly role: MemberRole;
  readonly givenName?: string | null;
  readonly familyName?: string | null;
  /** The hash of the password to set for a user without one. */
  readonly passwordHash: string;
}

/** How a new member can sign in. */
export interface CreatedUser {
  readonly userId: string;
  /** Whether the password was set, so that they can sign in with it at once. */
  readonly isPasswordSet: boolean;
  /** For a user who has a password: they accept the invitation with it. Null where they need none. */
  readonly invitationToken: string | null;
}

/**
 * Makes a user a member, for the command line and the demo. An existing password may have been set by anyone who invited
 * that address first, so it opens this tenant only together with an invitation.
 * @returns undefined when they already are a member.
 */
export async function createUser(
  work: UnitOfWork,
  source: AuditSource,
  { passwordHash, ...person }: NewUser,
): Promise<CreatedUser | undefined> {
  const { email, role } = person;
  const { id: userId } = await findOrCreateAccount(work, email);
  const hasPassword = (await work.lockAccount(userId)).password_hash !== null;
  const reason = 'Created by the operator';
  const member = await addMember(work, source, { ...person, isActivated: true, isAccepted: !hasPassword }, reason);
  if (member === undefined) return undefined;
  if (hasPassword) {
    // A former member who signed in to this tenant needs no invitation.
    const invited = member.isAccepted ? null : await invite(work, source, { email, role, defaultRole: role });
    return { userId, isPasswordSet: false, invitationToken: invited?.token ?? null };
  }
  const row = await updatePassword(work, userId, passwordHash);
  await recordAccountChange(work, systemSource, accountRows, userId, row, { verb: 'password_changed', reason });
  return { userId, isPasswordSet: true, invitationToken: null };
}
