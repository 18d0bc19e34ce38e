import type { Actor, AuditSource } from '../../http/principal.ts';
import { Problem } from '../../http/problem.ts';
import { type MemberRole, staffRole } from '../../http/roles.ts';
import { viewRow } from '../../http/schemas.ts';
import { generateToken, hashToken, isToken } from '../../installation/token.ts';
import { invitationRows } from '../../ledger/audit/rows.ts';
import { clientSource, personal, recordChange, systemSource } from '../../ledger/audit/store.ts';
import { newSalt } from '../../ledger/entry.ts';
import { addTime, dayMilliseconds, runTransaction, type Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { insertRow, newId } from '../../storage/rows.ts';
import { isSecondFactorEnabled } from '../mfa/second-factor.ts';
import { requireStrongPassword } from '../sign-in/password.ts';
import { endSessions } from '../sign-in/session-store.ts';
import { refuseSignIn, type SignInServices, type Visitor } from '../sign-in/sign-in.ts';
import { findTenant } from '../tenants/store.ts';
import { findAccount, findOrCreateAccount, updatePassword } from './account-store.ts';
import { closeInvitations, findInvitation, type InvitationRow } from './invitation-store.ts';
import { addMember, changeMembers, memberStatus, type NewMember } from './membership.ts';
import { findMemberByEmail, isAcceptedElsewhere, listMembershipsOf, TenantReference } from './membership-store.ts';

const prefix = 'svc_invitation_';

export function invitationStatus(row: InvitationRow, now: string): 'pending' | 'accepted' | 'revoked' | 'expired' {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at <= now ? 'expired' : 'pending';
}

/**
 * Invites an e-mail address to the tenant of the source and revokes its pending invitations. A member can set a new
 * password with it; a member whom the identity provider created sets the first one.
 * @returns the row and the token, the only time that the token can be read, and the invitations that it revoked.
 * @throws {Problem} `conflict` for a suspended member, and for a member with another role.
 */
export async function invite(
  tx: Transaction,
  source: AuditSource,
  wanted: { readonly email: string; readonly role: MemberRole | undefined; readonly defaultRole: MemberRole },
): Promise<{ readonly row: InvitationRow; readonly token: string; readonly revoked: readonly InvitationRow[] }> {
  const { tenantId } = source;
  await tx.lockTenant(tenantId);
  const member = await findMemberByEmail(tx.queries, tenantId, wanted.email);
  if (member !== undefined && memberStatus(member) === 'suspended')
    throw new Problem('conflict', 'This member is suspended; reactivate them instead of inviting them.');
  if (member !== undefined && wanted.role !== undefined && wanted.role !== member.role)
    throw new Problem(
      'conflict',
      `This user is a member with the role ${member.role}; change the role of the member instead.`,
    );
  const revoked = await closeInvitations(tx, source, 'revoked', { email: wanted.email });
  const token = generateToken(prefix);
  const row = await insertRow(tx.queries, 'invitations', {
    id: newId(),
    tenant_id: tenantId,
    email: wanted.email,
    role: member?.role ?? wanted.role ?? wanted.defaultRole,
    token_hash: hashToken(token),
    salt: newSalt(),
    created_at: tx.now,
    expires_at: addTime(tx.now, 7 * dayMilliseconds),
  });
  const diff = { role: row.role, expiresAt: row.expires_at };
  await recordChange(tx, source, invitationRows, row, { verb: 'created', targetRef: personal(row.email), diff });
  return { row, token, revoked };
}

/** Finds the pending invitation with a token, and its tenant. @throws {Problem} `not_found`. */
export async function requirePending(queries: Queries, token: string, now: string) {
  const invitation = isToken(prefix, token)
    ? await findInvitation(queries, { token_hash: hashToken(token) })
    : undefined;
  if (invitation === undefined || invitationStatus(invitation, now) !== 'pending') throw notPending();
  const tenant = await findTenant(queries, invitation.tenant_id);
  if (tenant === undefined) throw notPending();
  return { invitation, tenant };
}

/**
 * Accepts an invitation: makes the user a member and sets their password. A user who has signed in to another tenant
 * proves their identity with the existing password instead, because their account does not belong to this tenant.
 * @throws {Problem} `not_found` for an invitation that is not pending, `validation_failed` for a weak password,
 *   `invalid_credentials`, `conflict`, `rate_limited`, `unavailable`.
 * @returns `device`: the cookie of a known device; null where a second factor is still required.
 */
export async function acceptInvitation(
  services: SignInServices,
  { token, password }: { readonly token: string; readonly password: string },
  visitor: Visitor,
) {
  const { database, hasher, passwords, guard } = services;
  const { client, now } = visitor;
  const { kysely } = database;
  const { invitation, tenant } = await requirePending(kysely, token, now);
  const { tenant_id: tenantId, email } = invitation;
  const account = await findAccount(kysely, email);
  const isForeign = account !== undefined && (await isAcceptedElsewhere(kysely, account.id, tenantId));
  // Guesses of an existing password count as at sign-in, so that further invitations do not allow more of them. Where a
  // new password is set, failed sign-ins from elsewhere must not block the user.
  const attempt = await (isForeign
    ? guard.admit(email, account, client)
    : guard.admitHolder(email, 'invitation', invitation.id));
  const accepted = await guard.check(attempt, async () => {
    let hash: string | null = null;
    if (isForeign) {
      if (!(await passwords.verify(attempt, password, account.password_hash))) return null;
    } else {
      await requireStrongPassword(kysely, { tenantId, userId: account?.id ?? null, email }, 'password', password);
      hash = await passwords.hash(attempt, password);
    }
    return runTransaction(database, now, async (tx) => {
      const locked = await tx.lockAccount((await findOrCreateAccount(tx, email)).id);
      const { id } = locked;
      // The account may have changed since it was read above.
      const isForeignNow = await isAcceptedElsewhere(tx.queries, id, tenantId);
      if (isForeignNow !== isForeign || (isForeign && locked.password_hash !== account.password_hash))
        throw new Problem('conflict', 'The account was changed in the meantime; try again.');
      await tx.lockTenant(tenantId);
      const role = invitation.role as MemberRole;
      const actor: Actor = { type: role === staffRole ? 'staff' : 'user', id, email };
      const sourceOf = clientSource(actor, client, hasher);
      const source = sourceOf(tenantId);
      const accepted = await closeInvitations(tx, source, 'accepted', { id: invitation.id });
      if (accepted.length === 0) throw notPending();
      const reason = 'Invitation accepted';
      const added = await addMember(tx, source, { email, role, isActivated: true, isAccepted: true }, reason);
      if (added === undefined) {
        const [member] = await changeMembers(tx, source, [id], { isAccepted: true }, reason);
        if (member === undefined || memberStatus(member) !== 'active')
          throw new Problem('conflict', 'Your access is suspended; ask the administrator who invited you.');
        // The inviter may have lacked the rights to give the member's current role.
        if (member.role !== role)
          throw new Problem('conflict', 'Your role was changed since the invitation; ask for a new one.');
      }
      let present = locked;
      if (hash !== null) {
        present = await updatePassword(tx, sourceOf, id, hash, reason);
        await endSessions(tx.queries, { userIds: [id] });
      }
      // Without the second factor, failures are kept and the device stays unknown; otherwise codes could be guessed
      // without limit.
      const isProven = !(await isSecondFactorEnabled(tx.queries, id));
      await (isProven ? guard.succeed(tx, attempt) : guard.giveBack(tx, attempt));
      const device = isProven ? guard.rememberDevice(present) : null;
      return { email, tenant: viewRow(TenantReference, tenant, {}), device };
    });
  });
  if (accepted !== null) return accepted;
  const memberships = await listMembershipsOf(kysely, account?.id ?? '');
  const reason = 'Wrong password for an invitation';
  await refuseSignIn(services, { attempt, account, memberships, reason }, visitor);
  throw new Problem(
    'invalid_credentials',
    'You already have a password on this server: accept the invitation with that password. If you never set one, ask the operator of this server to reset it.',
    { headers: { 'WWW-Authenticate': 'Bearer realm="svc"' } },
  );
}

/**
 * Makes a user a member, for the command line and the demo. An existing password may have been set by anyone who invited
 * that address first, so it opens this tenant only together with an invitation.
 * @param user.passwordHash the hash of the password to set for a user without one.
 * @returns `isPasswordSet`, true if the user can sign in with the password at once; and the token of the invitation,
 *   with which a user with a password accepts; undefined when they already are a member.
 */
export async function createUser(
  tx: Transaction,
  source: AuditSource,
  { passwordHash, ...person }: Omit<NewMember, 'isActivated' | 'isAccepted'> & { readonly passwordHash: string },
): Promise<{ userId: string; isPasswordSet: boolean; invitationToken: string | null } | undefined> {
  const { email, role } = person;
  const { id: userId, password_hash } = await tx.lockAccount((await findOrCreateAccount(tx, email)).id);
  const hasPassword = password_hash !== null;
  const reason = 'Created by the operator';
  const member = await addMember(tx, source, { ...person, isActivated: true, isAccepted: !hasPassword }, reason);
  if (member === undefined) return undefined;
  if (!hasPassword) await updatePassword(tx, systemSource, userId, passwordHash, reason);
  // A former member who signed in to this tenant needs no invitation.
  const invited = member.accepted_at === null ? await invite(tx, source, { email, role, defaultRole: role }) : null;
  return { userId, isPasswordSet: !hasPassword, invitationToken: invited?.token ?? null };
}

function notPending(): Problem {
  return new Problem('not_found', 'This invitation is unknown, used, revoked or expired; ask for a new one.');
}
