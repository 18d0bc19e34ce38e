import { z } from 'zod';
import { maySignIn, type SomeSessions } from '../access/session-store.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route, type UserCall } from '../http/route.ts';
import { Id } from '../http/schemas.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { findTenant } from '../tenants/store.ts';
import { MemberRoleName, TenantReference, User } from './membership.ts';
import { findMember, viewUser } from './membership-store.ts';
import { EndedSessions, endAndRecord, SessionList, SessionView, viewSessions } from './sessions.ts';
import type { SignInServices } from './sign-in.ts';

const MembershipView = z
  .strictObject({ tenantId: Id, tenantSlug: z.string(), tenantName: z.string(), role: MemberRoleName })
  .meta({ id: 'Membership' });

const Me = z
  .strictObject({
    user: User,
    tenant: TenantReference,
    scopes: z.array(z.string()).meta({ description: 'The scopes that the role allows.' }),
    session: SessionView,
    memberships: z.array(MembershipView).meta({ description: 'Every tenant that the user can sign in to.' }),
  })
  .meta({ id: 'Me' });

/** The operations of signed-in users on themselves. */
export function meRoutes(services: SignInServices): readonly Route[] {
  const { database } = services;

  const end = (call: UserCall, work: UnitOfWork, which: SomeSessions) => {
    const { id, email: name } = call.principal.actor;
    return endAndRecord(work, call.source(), 'session.ended', { id, name }, which);
  };

  const common = { auth: 'session', tag: 'Sign-in' } as const;
  return [
    defineRoute('GET /v1/me', {
      ...common,
      operationId: 'getMe',
      summary: 'Get the signed-in user, the session and the scopes of the role',
      description: 'Also lists every tenant that the user can sign in to.',
      result: Me,
      async handle({ principal }) {
        const { tenantId, actor, scopes } = principal;
        const tenant = await findTenant(database.kysely, tenantId);
        const member = await findMember(database.kysely, tenantId, actor.id);
        const { items } = await viewSessions(services, principal, actor.id);
        const session = items.find(({ isCurrent }) => isCurrent);
        if (tenant === undefined || member === undefined || session === undefined) throw notFound('session');
        const memberships = await database.kysely
          .selectFrom('memberships')
          .innerJoin('tenants', 'tenants.id', 'tenant_id')
          .select(['tenant_id as tenantId', 'slug as tenantSlug', 'name as tenantName', 'role'])
          .where('user_id', '=', actor.id)
          .where(maySignIn)
          .orderBy('tenant_id')
          .$castTo<z.output<typeof MembershipView>>()
          .execute();
        return {
          user: await viewUser(database.kysely, member),
          tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
          scopes: [...scopes],
          session,
          memberships,
        };
      },
    }),
    defineRoute('GET /v1/me/sessions', {
      ...common,
      operationId: 'listMySessions',
      summary: 'List your sessions, newest first',
      description: 'Only the sessions in this tenant. `isCurrent` marks the one of this request.',
      result: SessionList,
      handle: ({ principal }) => viewSessions(services, principal, principal.actor.id),
    }),
    defineRoute('DELETE /v1/me/sessions', {
      ...common,
      operationId: 'endMyOtherSessions',
      summary: 'End all of your sessions except this one',
      description: 'The session of this request does not end.',
      result: EndedSessions,
      change: (call, work) => end(call, work, { exceptSessionId: call.principal.credential.id }),
    }),
    defineRoute('DELETE /v1/me/sessions/{id}', {
      ...common,
      operationId: 'endMySession',
      summary: 'End one of your sessions',
      description: 'The `id` comes from the list of sessions. The session of this request can be ended too.',
      params: z.strictObject({ id: Id }),
      result: EndedSessions,
      change: (call, work) => end(call, work, { sessionId: call.params.id }),
    }),
  ];
}
