import { type AuditSource, systemSource } from '../audit/source.ts';
import type { MemberRole } from '../principal/roles.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { accountRows, findOrCreateAccount, lockAccount, recordAccountChange, updatePassword } from './account-store.ts';
import { invite } from './invitations.ts';
import { addMember } from './membership-changes.ts';

/** A person whom the operator of the server makes a member. */
export interface NewUser {
  readonly email: string;
  readonly role: MemberRole;
  readonly givenName?: string | null;
  readonly familyName?: string | null;
  /** For a person without a password yet. */
  readonly passwordHash: string;
}

/** How a new member comes in. */
export interface CreatedUser {
  readonly userId: string;
  /** Whether the password was set; they sign in with it at once. */
  readonly isPasswordSet: boolean;
  /** For somebody who has a password: they take the invitation with it. Null where they need none. */
  readonly invitationToken: string | null;
}

/**
 * Makes a person a member, for the command line and the demo. A password that is there already may have been chosen by
 * whoever invited that address first, so it opens this tenant only together with an invitation.
 * @returns undefined when they are a member already.
 */
export async function createUser(
  work: UnitOfWork,
  source: AuditSource,
  { passwordHash, ...person }: NewUser,
): Promise<CreatedUser | undefined> {
  const { email, role } = person;
  const { id: userId } = await findOrCreateAccount(work, email);
  const hasPassword = (await lockAccount(work, userId)).password_hash !== null;
  const reason = 'Created by the operator';
  const member = await addMember(work, source, { ...person, isActivated: true, isAccepted: !hasPassword }, reason);
  if (member === undefined) return undefined;
  if (hasPassword) {
    // Somebody who comes back to a tenant that they signed in to needs no invitation.
    const invited = member.isAccepted ? null : await invite(work, source, { email, role, defaultRole: role });
    return { userId, isPasswordSet: false, invitationToken: invited?.token ?? null };
  }
  const row = await updatePassword(work, userId, passwordHash);
  await recordAccountChange(work, systemSource, accountRows, userId, row, { verb: 'password_changed', reason });
  return { userId, isPasswordSet: true, invitationToken: null };
}
