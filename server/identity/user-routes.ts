import { z } from 'zod';
import { endSessions } from '../access/session-store.ts';
import { callSource, clientSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { requireRoleToGive } from '../http/authorize.ts';
import { listRoute } from '../http/list-route.ts';
import { notFound, Problem } from '../http/problem.ts';
import { defineRoute, type PrincipalCall, type Route } from '../http/route.ts';
import { cursorPageOf, Id, text } from '../http/schemas.ts';
import { lockChain } from '../ledger/append.ts';
import { platformRole, RoleName } from '../principal/roles.ts';
import type { Queries } from '../storage/database.ts';
import { mapPage } from '../storage/page.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { listSecondFactorHolders, lockAccount } from './account-store.ts';
import { normalizeEmail } from './email.ts';
import { viewSessions } from './list-sessions.ts';
import type { Membership } from './membership.ts';
import { changeMembers, readMembersForChange } from './membership-changes.ts';
import { findMember, findMemberByEmail, hasOtherAdmin, isAcceptedElsewhere, listMembers } from './membership-store.ts';
import { disableSecondFactor } from './mfa/changes.ts';
import { findSecondFactor } from './mfa/store.ts';
import type { IdentityServices } from './services.ts';
import { EndedSessions, MemberRoleName, SessionList, User, viewUser } from './user-view.ts';

const Reason = text(500).trim().min(1).optional().meta({ description: 'Why; stands in the audit log.' });

/** The operations on the members of a tenant. */
export function userRoutes(services: IdentityServices): readonly Route[] {
  const { database, hasher } = services;

  const view = async (queries: Queries, member: Membership): Promise<User> =>
    viewUser(member, (await listSecondFactorHolders(queries, [member.userId])).has(member.userId));

  /** Ends sessions of a member and tells who did it. */
  const revoke = async (call: PrincipalCall, work: UnitOfWork, userId: string, sessionId?: string) => {
    const { tenantId } = call.principal;
    // The chain before the sessions, in the order of everything that ends one.
    await lockChain(work.transaction, tenantId, 'audit');
    const member = await requireMember(work.transaction, tenantId, userId);
    if (member.role !== platformRole) requireRoleToGive(call.principal, member.role);
    const which = { userIds: [userId], tenantId, ...(sessionId !== undefined && { sessionId }) };
    const ended = await endSessions(work.transaction, which);
    if (ended > 0)
      await recordEvent(work, callSource(call, hasher), {
        module: 'identity',
        action: 'session.revoked',
        targetId: userId,
        targetRef: member.userName,
        diff: { sessions: ended, ...(sessionId !== undefined && { sessionId }) },
      });
    return { ended };
  };

  return [
    listRoute({
      path: '/v1/users',
      operationId: 'listUsers',
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
      async find({ query: { email, ...filter }, principal: { tenantId } }, { after, limit }) {
        const { kysely } = database;
        if (email !== undefined) {
          const found = await findMemberByEmail(kysely, tenantId, normalizeEmail(email) ?? '');
          const fits =
            found !== undefined &&
            (filter.status ?? found.status) === found.status &&
            (filter.role ?? found.role) === found.role;
          return { rows: fits ? [await view(kysely, found)] : [], next: null };
        }
        const page = await listMembers(kysely, tenantId, filter, after, limit);
        const holders = await listSecondFactorHolders(
          kysely,
          page.rows.map(({ userId }) => userId),
        );
        return mapPage(page, (member) => viewUser(member, holders.has(member.userId)));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/users/{id}',
      operationId: 'getUser',
      tag: 'Users',
      summary: 'Get one member',
      scope: 'users:read',
      params: z.strictObject({ id: Id }),
      status: 200,
      result: User,
      async handle({ params, principal: { tenantId } }) {
        return view(database.kysely, await requireMember(database.kysely, tenantId, params.id));
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/v1/users/{id}',
      operationId: 'editUser',
      tag: 'Users',
      summary: 'Change the role of a member, suspend them or make them active again',
      description:
        'A suspended member cannot sign in, and their sessions in this tenant end at once. The last administrator who can sign in stays one.',
      scope: 'users:write',
      params: z.strictObject({ id: Id }),
      body: z
        .strictObject({ role: RoleName.optional(), active: z.boolean().optional(), reason: Reason })
        .meta({ id: 'UserChange' }),
      status: 200,
      result: User,
      errors: ['forbidden'],
      async change(call, work) {
        const { role, active, reason } = call.body;
        const { tenantId } = call.principal;
        const member = await requireChangeable(call, work);
        if (role !== undefined && role !== member.role) requireRoleToGive(call.principal, role);
        if (role !== undefined || active) requireRoleToGive(call.principal, member.role);
        if (active === false || (role !== undefined && role !== 'admin'))
          await requireAdminLeft(work.transaction, member);
        const change = {
          ...(role !== undefined && { role }),
          ...(active !== undefined && { isActivated: active }),
        };
        const source = callSource(call, hasher);
        const changed = await changeMembers(
          work,
          source,
          [member.userId],
          change,
          reason ?? 'Changed by an administrator',
        );
        return view(
          work.transaction,
          changed.get(member.userId) ?? (await requireMember(work.transaction, tenantId, member.userId)),
        );
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/users/{id}',
      operationId: 'removeUser',
      tag: 'Users',
      summary: 'Remove a member',
      description: 'The history stays; somebody who comes back gets the same id.',
      scope: 'users:write',
      params: z.strictObject({ id: Id }),
      status: 200,
      result: User,
      errors: ['forbidden'],
      async change(call, work) {
        const member = await requireChangeable(call, work);
        await requireAdminLeft(work.transaction, member);
        const source = callSource(call, hasher);
        const changed = await changeMembers(
          work,
          source,
          [member.userId],
          { isDeleted: true },
          'Removed by an administrator',
        );
        return view(work.transaction, changed.get(member.userId) ?? member);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/users/{id}/sessions',
      operationId: 'listUserSessions',
      tag: 'Users',
      summary: 'List the sessions of a member in this tenant, newest first',
      scope: 'users:read',
      params: z.strictObject({ id: Id }),
      status: 200,
      result: SessionList,
      async handle({ params, principal: { tenantId, credential } }) {
        const { userId } = await requireMember(database.kysely, tenantId, params.id);
        return { items: await viewSessions(services, tenantId, userId, credential.id), nextCursor: null };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/users/{id}/sessions',
      operationId: 'revokeUserSessions',
      tag: 'Users',
      summary: 'End every session of a member in this tenant',
      scope: 'users:write',
      params: z.strictObject({ id: Id }),
      status: 200,
      result: EndedSessions,
      change: (call, work) => revoke(call, work, call.params.id),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/users/{id}/sessions/{sessionId}',
      operationId: 'revokeUserSession',
      tag: 'Users',
      summary: 'End one session of a member',
      scope: 'users:write',
      params: z.strictObject({ id: Id, sessionId: Id }),
      status: 200,
      result: EndedSessions,
      async change(call, work) {
        const ended = await revoke(call, work, call.params.id, call.params.sessionId);
        if (ended.ended === 0) throw notFound('session');
        return ended;
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/users/{id}/mfa',
      operationId: 'resetUserSecondFactor',
      tag: 'Users',
      summary: 'Reset the second factor of a member',
      description:
        'For somebody who lost their device: they sign in with the password alone and enrol anew. Somebody who also signs in to another tenant needs the operator of this server: their factor protects that tenant too.',
      scope: 'users:write',
      params: z.strictObject({ id: Id }),
      status: 200,
      result: User,
      errors: ['forbidden'],
      async change(call, work) {
        const { tenantId } = call.principal;
        // Before anything of the account: its lock must not show that there is one.
        await requireMember(work.transaction, tenantId, call.params.id);
        // The account before the tenant's chain, in the order of everything that changes an account.
        await lockAccount(work, call.params.id);
        const member = await requireChangeable(call, work);
        requireRoleToGive(call.principal, member.role);
        const factor = await findSecondFactor(work.transaction, member.userId);
        // A tenant that only lists a person gets one answer, whatever the person has elsewhere.
        if (!member.isAccepted || factor === undefined || factor.state === 'disabled')
          throw new Problem('conflict', 'This member has no second factor.');
        if (await isAcceptedElsewhere(work.transaction, member.userId, tenantId))
          throw new Problem('conflict', 'Only the operator of this server can reset the second factor of this member.');
        const sourceOf = clientSource(call.principal.actor, call.client, hasher);
        await disableSecondFactor(work, sourceOf, member.userId, 'reset');
        return view(work.transaction, member);
      },
    }),
  ];
}

async function requireMember(queries: Queries, tenantId: string, userId: string): Promise<Membership> {
  const member = await findMember(queries, tenantId, userId);
  if (member === undefined) throw notFound('user');
  return member;
}

/** The member that a call is to change, who is not the caller and not more than the caller. */
async function requireChangeable(
  { params, principal }: PrincipalCall<{ readonly id: string }>,
  work: UnitOfWork,
): Promise<Membership> {
  const { tenantId, actor } = principal;
  const member = (await readMembersForChange(work, tenantId, [params.id])).get(params.id);
  if (member === undefined) throw notFound('user');
  if (member.userId === actor.id)
    throw new Problem('conflict', 'You cannot change your own access; ask another administrator.');
  // Anybody's access may be cut off, that of the platform's people too; giving it back is the operator's.
  if (member.role !== platformRole) requireRoleToGive(principal, member.role);
  return member;
}

/**
 * Keeps the last administrator who can sign in, so that a tenant never locks itself out. An identity provider may remove
 * them, because it has its own token.
 * @throws {Problem} `conflict`.
 */
async function requireAdminLeft(queries: Queries, member: Membership): Promise<void> {
  if (member.role !== 'admin' || member.status !== 'active' || !member.isAccepted) return;
  if (await hasOtherAdmin(queries, member)) return;
  throw new Problem('conflict', 'This is the last administrator who can sign in; make somebody else one first.');
}
