import { z } from 'zod';
import { requireRoleToGive, requireScopesOf } from '../../http/authorize.ts';
import { requireFound } from '../../http/problem.ts';
import { RoleName } from '../../http/roles.ts';
import { defineRoute, listRoute, type Route } from '../../http/route.ts';
import { cursorPageOf, Id, namedObject, UtcTime, viewRow } from '../../http/schemas.ts';
import { mapPage } from '../../storage/rows.ts';
import type { SignInServices } from '../sign-in/sign-in.ts';
import { requireTenant } from '../tenants/store.ts';
import { findAccount, requireOtherUser } from './account-store.ts';
import { Email } from './email.ts';
import { closeInvitations, findInvitation, type InvitationRow, listInvitations } from './invitation-store.ts';
import { invitationStatus, invite } from './invitations.ts';
import { MemberRoleName } from './membership-store.ts';

const Invitation = namedObject('Invitation', {
  id: Id,
  email: z.string(),
  role: MemberRoleName,
  status: z.enum(['pending', 'accepted', 'revoked', 'expired']).meta({ id: 'InvitationStatus' }),
  createdAt: UtcTime,
  expiresAt: UtcTime,
  acceptedAt: UtcTime.nullable(),
  revokedAt: UtcTime.nullable(),
});

export const viewInvitation = (row: InvitationRow, now: string) =>
  viewRow(Invitation, row, { status: invitationStatus(row, now) });

const InvitationInput = namedObject('InvitationInput', { email: Email, role: RoleName.optional() });
export const CreatedInvitation = Invitation.extend({
  token: z.string().meta({ description: 'The token itself, shown only once.' }),
}).meta({ id: 'CreatedInvitation' });

const ownAddress =
  'You cannot invite yourself: change your password in your account, or ask another administrator to reset it.';

export function invitationRoutes({ database }: Pick<SignInServices, 'database'>): readonly Route[] {
  const common = { tag: 'Users', scope: 'users:write' } as const;
  return [
    listRoute('/v1/users/invitations', {
      operationId: 'listInvitations',
      sdkMethod: 'users.invitations.list',
      tag: 'Users',
      summary: 'List the invitations, newest first',
      scope: 'users:read',
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(Invitation),
      place: 'string',
      async find({ principal: { tenantId }, now }, { after, limit }) {
        const page = await listInvitations(database.kysely, tenantId, after, limit);
        return mapPage(page, (row) => viewInvitation(row, now));
      },
    }),
    defineRoute('POST /v1/users/invitations', {
      ...common,
      operationId: 'inviteUser',
      sdkMethod: 'users.invitations.create',
      summary: 'Invite a user',
      description:
        'Returns a token that is shown only once: give it to the user, who sends it with a password to /v1/auth/invitations/accept within a week. A member can set a new password with it; inviting yourself, also with an API key that you created, returns 409. Without `role`, it is the default role of the tenant. Answers 409 `conflict` for a suspended member and for one with another role.',
      body: InvitationInput,
      status: 201,
      result: CreatedInvitation,
      showsSecret: true,
      async write(call, tx) {
        const { email, role } = call.body;
        const account = await findAccount(tx.queries, email);
        if (account !== undefined) await requireOtherUser(tx.queries, call.principal.actor, account.id, ownAddress);
        const { defaultRole } = await requireTenant(tx.queries, call.principal.tenantId);
        const { row, token, revoked } = await invite(tx, call.source(), { email, role, defaultRole });
        for (const earlier of revoked) requireScopesOf(call.principal, earlier.role);
        requireRoleToGive(call.principal, row.role);
        return { ...viewInvitation(row, tx.now), token };
      },
    }),
    defineRoute('DELETE /v1/users/invitations/{id}', {
      ...common,
      operationId: 'revokeInvitation',
      sdkMethod: 'users.invitations.revoke',
      summary: 'Revoke a pending invitation',
      description:
        'An accepted, revoked or expired invitation does not change. The caller needs every scope of its role.',
      params: z.strictObject({ id: Id }),
      result: Invitation,
      async write(call, tx) {
        const { tenantId } = call.principal;
        const { id } = call.params;
        // Before the invitation, like every change of one.
        await tx.lockTenant(tenantId);
        const row = requireFound(await findInvitation(tx.queries, { tenant_id: tenantId, id }), 'invitation');
        requireScopesOf(call.principal, row.role);
        const [revoked = row] = await closeInvitations(tx, call.source(), 'revoked', { id });
        return viewInvitation(revoked, tx.now);
      },
    }),
  ];
}
