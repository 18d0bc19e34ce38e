import { endSessions } from '../access/session-store.ts';
import { recordChange } from '../audit/row-state.ts';
import { type AuditSource, clientSource } from '../audit/source.ts';
import { invalidValues, Problem } from '../http/problem.ts';
import { generateToken, hashToken, isToken } from '../installation/token.ts';
import { lockChain } from '../ledger/append.ts';
import type { Actor } from '../principal/principal.ts';
import { type MemberRole, platformRole } from '../principal/roles.ts';
import { newId } from '../storage/ids.ts';
import { runUnitOfWork, type UnitOfWork } from '../storage/unit-of-work.ts';
import { findTenant } from '../tenants/store.ts';
import {
  accountRows,
  findAccount,
  findOrCreateAccount,
  lockAccount,
  recordAccountChange,
  updatePassword,
} from './account-store.ts';
import { listWords } from './change-password.ts';
import { expiryOf, statusOf } from './invitation.ts';
import {
  closeInvitations,
  findInvitationByHash,
  type InvitationRow,
  insertInvitation,
  invitationRows,
} from './invitation-store.ts';
import { addMember, changeMembers } from './membership-changes.ts';
import { findMemberByEmail, isAcceptedElsewhere, listMembershipsOf } from './membership-store.ts';
import { isSecondFactorEnabled } from './mfa/store.ts';
import type { Visitor } from './open-session.ts';
import { findWeakness } from './password.ts';
import { refuseSignIn } from './refuse-sign-in.ts';
import type { IdentityServices } from './services.ts';

const prefix = 'svc_invitation_';

/**
 * Invites somebody to the tenant of the source; an earlier invitation that is still open ends. A member who may sign in
 * already chooses a new password with it, one whom the identity provider made gets their first.
 * @returns the token too: the only time that it can be seen.
 * @throws {Problem} `conflict` for a suspended member, and for a member with another role.
 */
export async function invite(
  work: UnitOfWork,
  source: AuditSource,
  wanted: { readonly email: string; readonly role: MemberRole | undefined; readonly defaultRole: MemberRole },
): Promise<{ readonly row: InvitationRow; readonly token: string }> {
  const { tenantId } = source;
  await lockChain(work.transaction, tenantId, 'audit');
  const member = await findMemberByEmail(work.transaction, tenantId, wanted.email);
  if (member?.status === 'suspended')
    throw new Problem('conflict', 'This member is suspended; make them active again instead of inviting them.');
  if (member !== undefined && wanted.role !== undefined && wanted.role !== member.role)
    throw new Problem('conflict', `This person is a member with the role ${member.role}; change the role there.`);
  for (const row of await closeInvitations(work, 'revoked_at', { tenantId, email: wanted.email }))
    await recordChange(work, source, invitationRows, row, { verb: 'revoked', targetRef: row.email });
  const token = generateToken(prefix);
  const row: InvitationRow = {
    id: newId(),
    tenant_id: tenantId,
    email: wanted.email,
    role: member?.role ?? wanted.role ?? wanted.defaultRole,
    token_hash: hashToken(token),
    created_at: work.now,
    expires_at: expiryOf(work.now),
    accepted_at: null,
    revoked_at: null,
  };
  await insertInvitation(work, row);
  const diff = { role: row.role, expiresAt: row.expires_at };
  await recordChange(work, source, invitationRows, row, { verb: 'created', targetRef: row.email, diff });
  return { row, token };
}

/**
 * Takes an invitation: makes the person a member and sets their password. The account of somebody who ever signed in to
 * another tenant is not this tenant's to open: they prove that it is theirs with the password that they have.
 * @throws {Problem} `not_found` for an invitation that is not open, `validation_failed` for a password that cannot be
 *   taken, `invalid_credentials`, `conflict`, `rate_limited`.
 * @returns `device`: the cookie that marks the device as known; null while a second factor is still to be proven.
 */
export async function acceptInvitation(
  services: IdentityServices,
  { token, password }: { readonly token: string; readonly password: string },
  visitor: Visitor,
): Promise<{ email: string; tenant: { id: string; slug: string; name: string }; device: string | null }> {
  const { database, hasher, passwords, guard } = services;
  const { client, now } = visitor;
  const invitation = isToken(prefix, token) ? await findInvitationByHash(database.kysely, hashToken(token)) : undefined;
  if (invitation === undefined || statusOf(invitation, now) !== 'pending') throw closed();
  const { tenant_id: tenantId, email } = invitation;
  const tenant = await findTenant(database.kysely, tenantId);
  if (tenant === undefined) throw closed();
  const account = await findAccount(database.kysely, email);
  const isForeign = account !== undefined && (await isAcceptedElsewhere(database.kysely, account.id, tenantId));
  // A password that must be right is guessed here as well as at sign-in, so it counts there; another invitation must not
  // buy more guesses. Where a password is only chosen, failed sign-ins of strangers keep nobody out.
  const attempt = await (isForeign ? guard.admit(email, account, client) : guard.admitInvitation(email, invitation.id));
  const accepted = await guard.check(attempt, async () => {
    let hash: string | null = null;
    if (isForeign) {
      if (!(await passwords.verify(attempt, password, account.password_hash))) return null;
    } else {
      const weakness = await findWeakness(password, {
        hasSecondFactor: account !== undefined && (await isSecondFactorEnabled(database.kysely, account.id)),
        words: await listWords(services, tenantId, account?.id ?? null, email),
      });
      if (weakness !== null) throw invalidValues([{ path: 'body.password', issue: weakness }]);
      hash = await passwords.hash(attempt, password);
    }
    return runUnitOfWork(database, now, async (work) => {
      const { id } = await findOrCreateAccount(work, email);
      const locked = await lockAccount(work, id);
      // What was found above must still be so, now that nobody else changes the account.
      const nowForeign = await isAcceptedElsewhere(work.transaction, id, tenantId);
      if (nowForeign !== isForeign || (isForeign && locked.password_hash !== account.password_hash))
        throw new Problem('conflict', 'The account was changed in the meantime; try again.');
      await lockChain(work.transaction, tenantId, 'audit');
      const [row] = await closeInvitations(work, 'accepted_at', { tenantId, id: invitation.id });
      if (row === undefined) throw closed();
      const role = row.role as MemberRole;
      const actor: Actor = { type: role === platformRole ? 'staff' : 'user', id, email };
      const sourceOf = clientSource(actor, client, hasher);
      const source = sourceOf(tenantId);
      await recordChange(work, source, invitationRows, row, { verb: 'accepted', targetRef: email });
      const reason = 'Invitation taken';
      const added = await addMember(work, source, { email, role, isActivated: true, isAccepted: true }, reason);
      if (added === undefined) {
        const member = (await changeMembers(work, source, [id], { isAccepted: true }, reason)).get(id);
        if (member?.status !== 'active')
          throw new Problem('conflict', 'Your access is suspended; ask who invited you.');
        // Whoever invited may have been allowed to give less than the person has by now.
        if (member.role !== role)
          throw new Problem('conflict', 'Your role was changed since; ask for a new invitation.');
      }
      let present = locked;
      if (hash !== null) {
        present = await updatePassword(work, id, hash);
        await recordAccountChange(work, sourceOf, accountRows, id, present, { verb: 'password_changed', reason });
        await endSessions(work.transaction, { userIds: [id] });
      }
      // With the password only, the failures stay and the device is unknown: codes could be guessed without limit otherwise.
      const isProven = !(await isSecondFactorEnabled(work.transaction, id));
      await (isProven ? guard.succeed(work, attempt) : guard.giveBack(work, attempt));
      return {
        email,
        tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
        device: isProven ? guard.rememberDevice(present) : null,
      };
    });
  });
  if (accepted !== null) return accepted;
  const memberships = await listMembershipsOf(database.kysely, account?.id ?? '');
  const reason = 'Wrong password, at an invitation';
  await refuseSignIn(services, { attempt, account, memberships, reason }, visitor);
  throw new Problem(
    'invalid_credentials',
    'You have a password here already: take the invitation with that password. If you never had one, ask the operator of this server to reset it.',
    { headers: { 'WWW-Authenticate': 'Bearer realm="svc"' } },
  );
}

function closed(): Problem {
  return new Problem('not_found', 'This invitation is unknown, used, revoked or expired; ask for a new one.');
}
