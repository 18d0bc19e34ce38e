import { type AuditSource, systemSource } from '../audit/source.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { accountRows, findOrCreateAccount, recordAccountChange, updatePassword } from './account-store.ts';
import { invite } from './invitation-changes.ts';
import { addMember, type NewMember } from './membership-changes.ts';

/**
 * Makes a user a member, for the command line and the demo. An existing password may have been set by anyone who invited
 * that address first, so it opens this tenant only together with an invitation.
 * @param user.passwordHash the hash of the password to set for a user without one.
 * @returns whether the password was set, so that they can sign in with it at once, and the token of the invitation that
 *   a user with a password accepts with it; undefined when they already are a member.
 */
export async function createUser(
  work: UnitOfWork,
  source: AuditSource,
  { passwordHash, ...person }: Omit<NewMember, 'isActivated' | 'isAccepted'> & { readonly passwordHash: string },
): Promise<{ userId: string; isPasswordSet: boolean; invitationToken: string | null } | undefined> {
  const { email, role } = person;
  const { id: userId, password_hash } = await work.lockAccount((await findOrCreateAccount(work, email)).id);
  const hasPassword = password_hash !== null;
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
