import { z } from 'zod';
import { requireRoleToGive, requireScopesOf } from '../../http/authorize.ts';
import { Problem, requireFound } from '../../http/problem.ts';
import { type MemberRole, RoleName } from '../../http/roles.ts';
import { defineRoute, listRoute, type PrincipalCall, type Route } from '../../http/route.ts';
import { cursorPageOf, Id, namedObject, text, UtcTime } from '../../http/schemas.ts';
import { personal } from '../../ledger/audit/store.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { mapPage } from '../../storage/rows.ts';
import { disableSecondFactor, findSecondFactor } from '../mfa/second-factor.ts';
import { createPasswordReset } from '../sign-in/password-reset.ts';
import type { SomeSessions } from '../sign-in/session-store.ts';
import { EndedSessions, endAndRecord, SessionList, viewSessions } from '../sign-in/sessions.ts';
import type { SignInServices } from '../sign-in/sign-in.ts';
import { requireOtherUser } from './account-store.ts';
import { readTypedEmail } from './email.ts';
import { canSignIn, changeLockedMembers, displayName, lockMembers, type MembershipRow } from './membership.ts';
import {
  findMember,
  isAcceptedElsewhere,
  listMembers,
  Member,
  MemberRoleName,
  requireAdminLeft,
  User,
  viewUser,
  viewUsers,
} from './membership-store.ts';

const PasswordResetToken = namedObject('PasswordResetToken', {
  token: z.string().meta({ description: 'The token itself, shown only once.' }),
  expiresAt: UtcTime,
});

const Reason = text(500).trim().min(1).optional().meta({ description: 'The reason, for the audit log.' });

export function userRoutes(services: Pick<SignInServices, 'database' | 'sessionLifetime'>): readonly Route[] {
  const { database } = services;

  const revoke = async (call: PrincipalCall, tx: Transaction, userId: string, which: SomeSessions) => {
    const { tenantId } = call.principal;
    await tx.lockTenant(tenantId);
    const member = await requireMember(tx.queries, tenantId, userId);
    requireScopesOf(call.principal, member.role);
    const user = { id: userId, name: member.user_name };
    return endAndRecord(tx, call.source(), 'session.revoked', user, which);
  };

  const common = { tag: 'Users', params: z.strictObject({ id: Id }) } as const;
  const changing = { ...common, scope: 'users:write', result: User } as const;
  return [
    listRoute('/v1/users', {
      operationId: 'listUsers',
      sdkMethod: 'users.list',
      tag: 'Users',
      summary: 'List the members, newest first',
      scope: 'users:read',
      filters: {
        status: z.enum(['active', 'suspended']).optional(),
        role: MemberRoleName.optional(),
        email: text(320).min(1).optional().meta({ description: 'Only the member with this address.' }),
      },
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(User),
      place: 'string',
      async find({ query, principal: { tenantId } }, { after, limit }) {
        // No member has an empty address.
        const filter = query.email === undefined ? query : { ...query, email: readTypedEmail(query.email) ?? '' };
        const { rows, next } = await listMembers(database.kysely, tenantId, filter, after, limit);
        return { rows: await viewUsers(database.kysely, rows), next };
      },
    }),
    listRoute('/v1/members', {
      operationId: 'listMembers',
      sdkMethod: 'members.list',
      tag: 'Users',
      summary: 'List the members who can sign in, by name and role, newest first',
      description: 'For callers who assign work to members: owners of controls, assignees of requests.',
      scope: 'members:read',
      limit: { most: 100, usual: 100 },
      result: cursorPageOf(Member),
      place: 'string',
      async find({ principal: { tenantId } }, { after, limit }) {
        const page = await listMembers(database.kysely, tenantId, { canSignIn: true }, after, limit);
        return mapPage(page, (row) => ({ id: row.user_id, name: displayName(row), role: row.role as MemberRole }));
      },
    }),
    defineRoute('GET /v1/users/{id}', {
      ...common,
      operationId: 'getUser',
      sdkMethod: 'users.retrieve',
      summary: 'Get one member',
      scope: 'users:read',
      result: User,
      handle: async ({ params, principal: { tenantId } }) =>
        viewUser(database.kysely, await requireMember(database.kysely, tenantId, params.id)),
    }),
    defineRoute('PATCH /v1/users/{id}', {
      ...changing,
      operationId: 'editUser',
      sdkMethod: 'users.update',
      summary: 'Change the role of a member, or suspend or reactivate them',
      description:
        'A suspended member cannot sign in, and their sessions in this tenant end at once. The last administrator who can sign in cannot be suspended or lose the role. Answers 409 `conflict` for the caller itself.',
      body: namedObject('UserChange', { role: RoleName.optional(), active: z.boolean().optional(), reason: Reason }),
      async write(call, tx) {
        const { role, active } = call.body;
        const reason = call.body.reason === undefined ? 'Changed by an administrator' : personal(call.body.reason);
        const member = await requireChangeable(call, tx);
        if (role !== undefined && role !== member.role) requireRoleToGive(call.principal, role);
        if (role !== undefined || active) requireRoleToGive(call.principal, member.role);
        if (active === false || (role !== undefined && role !== 'admin')) await requireAdminLeft(tx.queries, member);
        const wanted = { role, isActivated: active };
        const [changed = member] = await changeLockedMembers(tx, call.source(), [member], wanted, reason);
        return viewUser(tx.queries, changed);
      },
    }),
    defineRoute('DELETE /v1/users/{id}', {
      ...changing,
      operationId: 'removeUser',
      sdkMethod: 'users.remove',
      summary: 'Remove a member',
      description:
        'The history stays; a former member who is added again keeps the id. Answers 409 `conflict` for the caller itself and for the last administrator who can sign in.',
      async write(call, tx) {
        const member = await requireChangeable(call, tx);
        await requireAdminLeft(tx.queries, member);
        const reason = 'Removed by an administrator';
        const removal = { isDeleted: true } as const;
        const [removed = member] = await changeLockedMembers(tx, call.source(), [member], removal, reason);
        return viewUser(tx.queries, removed);
      },
    }),
    defineRoute('GET /v1/users/{id}/sessions', {
      ...common,
      operationId: 'listUserSessions',
      sdkMethod: 'users.sessions.list',
      summary: 'List the sessions of a member in this tenant, newest first',
      scope: 'users:read',
      result: SessionList,
      async handle({ params, principal }) {
        const { user_id } = await requireMember(database.kysely, principal.tenantId, params.id);
        return viewSessions(services, principal, user_id);
      },
    }),
    defineRoute('DELETE /v1/users/{id}/sessions', {
      ...common,
      operationId: 'revokeUserSessions',
      sdkMethod: 'users.sessions.revokeAll',
      summary: 'End every session of a member in this tenant',
      scope: 'users:write',
      result: EndedSessions,
      write: (call, tx) => revoke(call, tx, call.params.id, {}),
    }),
    defineRoute('DELETE /v1/users/{id}/sessions/{sessionId}', {
      ...common,
      operationId: 'revokeUserSession',
      sdkMethod: 'users.sessions.revoke',
      summary: 'End one session of a member',
      scope: 'users:write',
      params: z.strictObject({ id: Id, sessionId: Id }),
      result: EndedSessions,
      write: (call, tx) => revoke(call, tx, call.params.id, { sessionId: call.params.sessionId }),
    }),
    defineRoute('POST /v1/users/{id}/password-reset', {
      ...common,
      operationId: 'createPasswordReset',
      sdkMethod: 'users.createPasswordReset',
      summary: 'Create the token of a link with which a member sets a new password',
      description:
        'The token is shown only once and works once, within a day, at /app/reset#token; earlier ones of the member end. The operator of this server must reset the password of a user who also signs in to another tenant, because it opens that tenant too. Answers 409 `conflict` for a member who cannot sign in.',
      scope: 'users:write',
      status: 201,
      result: PasswordResetToken,
      showsSecret: true,
      async write(call, tx) {
        const member = await lockAccountOf(call, tx);
        if (!canSignIn(member))
          throw new Problem('conflict', 'This member cannot sign in: reactivate or invite them instead.');
        await requireOnlyHere(tx, member, 'password');
        const user = { id: member.user_id, name: member.user_name };
        return createPasswordReset(tx, [call.source()], user, call.principal.tenantId);
      },
    }),
    defineRoute('DELETE /v1/users/{id}/mfa', {
      ...changing,
      operationId: 'resetUserSecondFactor',
      sdkMethod: 'users.resetSecondFactor',
      summary: 'Reset the second factor of a member',
      description:
        'For a member who lost their device: they sign in with only the password and enroll again. The operator of this server must reset the second factor of a user who also signs in to another tenant, because it protects that tenant too. Answers 409 `conflict` for a member without one.',
      async write(call, tx) {
        const member = await lockAccountOf(call, tx);
        const factor = await findSecondFactor(tx.queries, member.user_id);
        // The same answer for a member who accepted no invitation, whatever second factor they have elsewhere.
        if (member.accepted_at === null || factor.state === 'disabled')
          throw new Problem('conflict', 'This member has no second factor.');
        await requireOnlyHere(tx, member, 'second factor');
        await disableSecondFactor(tx, call.source, member.user_id, 'reset');
        return viewUser(tx.queries, member);
      },
    }),
  ];
}

async function requireMember(queries: Queries, tenantId: string, userId: string): Promise<MembershipRow> {
  return requireFound(await findMember(queries, tenantId, userId), 'user');
}

/** @throws {Problem} `not_found`, `conflict` for the caller themselves, `forbidden` for a member with more rights. */
async function requireChangeable({ params, principal }: PrincipalCall<{ readonly id: string }>, tx: Transaction) {
  const { tenantId, actor } = principal;
  const [found] = await lockMembers(tx, tenantId, [params.id]);
  const member = requireFound(found, 'user');
  if (member.user_id === actor.id)
    throw new Problem('conflict', 'You cannot change your own access; ask another administrator.');
  // The operator's staff too can be suspended and removed; only the operator can reverse it.
  requireScopesOf(principal, member.role);
  return member;
}

/** Locks the account of the member whose credentials a call resets. @throws {Problem} as `requireChangeable`. */
async function lockAccountOf(call: PrincipalCall<{ readonly id: string }>, tx: Transaction): Promise<MembershipRow> {
  // Before the lock of the account, which must not reveal whether there is one.
  await requireMember(tx.queries, call.principal.tenantId, call.params.id);
  await tx.lockAccount(call.params.id);
  const member = await requireChangeable(call, tx);
  requireRoleToGive(call.principal, member.role);
  const message =
    'An API key cannot reset the password or second factor of the user who created it; ask another administrator.';
  await requireOtherUser(tx.queries, call.principal.actor, member.user_id, message);
  return member;
}

/** The credentials of a user protect every tenant that they sign in to. @throws {Problem} `conflict`. */
async function requireOnlyHere(tx: Transaction, { user_id, tenant_id }: MembershipRow, what: string): Promise<void> {
  if (await isAcceptedElsewhere(tx.queries, user_id, tenant_id))
    throw new Problem('conflict', `Only the operator of this server can reset the ${what} of this member.`);
}
