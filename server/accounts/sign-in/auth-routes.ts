import { z } from 'zod';
import { answerWith, type ReadyAnswer } from '../../http/answer.ts';
import { notFound, Problem } from '../../http/problem.ts';
import type { Client } from '../../http/request.ts';
import { defineRoute, type Route, type UserCall } from '../../http/route.ts';
import { Id, namedObject, text, textLine, UtcTime, viewRow } from '../../http/schemas.ts';
import { compactPasted, pastedToken } from '../../http/typed-text.ts';
import { recordEvent } from '../../ledger/audit/store.ts';
import { runTransaction, type Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { updatePassword } from '../members/account-store.ts';
import { acceptInvitation, requirePending } from '../members/invitations.ts';
import { changeMembers, type MembershipRow } from '../members/membership.ts';
import {
  findMember,
  listTenantsOf,
  MemberRoleName,
  TenantReference,
  User,
  viewUser,
} from '../members/membership-store.ts';
import { SetupInput, setUpServer } from '../members/setup.ts';
import { startSession } from '../members/start-link.ts';
import { findTenant, hasTenants, requireTenant } from '../tenants/store.ts';
import { NewPassword, requireStrongPassword, TypedPassword } from './password.ts';
import { resetPassword } from './password-reset.ts';
import { endSessions, type OpenSession, renewSession, type SomeSessions } from './session-store.ts';
import { EndedSessions, endAndRecord, SessionList, SessionView, viewSessions } from './sessions.ts';
import {
  answerChallenge,
  type OpenedSession,
  reauthenticate,
  type SignInServices,
  sessionEvent,
  signIn,
} from './sign-in.ts';
import { switchTenant } from './switch-tenant.ts';

const OwnSession = namedObject('SessionReference', { id: Id, expiresAt: UtcTime });

const SignedIn = z
  .strictObject({ status: z.literal('signed_in'), user: User, tenant: TenantReference, session: OwnSession })
  .meta({ id: 'SignedIn', description: 'The Set-Cookie header has the session.' });

const CodeWanted = z
  .strictObject({ status: z.literal('mfa_required'), challengeId: Id, expiresAt: UtcTime })
  .meta({ id: 'MfaChallenge', description: 'Send the code to /v1/auth/challenge.' });

const SignInInput = namedObject('SignInInput', {
  email: text(320).min(1),
  password: TypedPassword,
  tenant: text(200)
    .min(1)
    .transform((name) => compactPasted(name).toLowerCase())
    .optional()
    .meta({ description: 'Id or slug of the tenant.' }),
});

const InvitationPreview = namedObject('InvitationPreview', {
  tenant: TenantReference,
  role: MemberRoleName,
  expiresAt: UtcTime,
});

async function viewSignedIn(
  queries: Queries,
  membership: MembershipRow,
  { id, expiresAt }: Pick<OpenSession, 'id' | 'expiresAt'>,
): Promise<z.output<typeof SignedIn>> {
  const tenant = viewRow(TenantReference, await requireTenant(queries, membership.tenant_id), {});
  return { status: 'signed_in', user: await viewUser(queries, membership), tenant, session: { id, expiresAt } };
}

/** Sign-in, sign-out, password changes and accepted invitations (contract.md "Operations beyond the spec's tables"). */
export function authRoutes(services: SignInServices): readonly Route[] {
  const { database, guard, passwords, sessionCookie, sessionLifetime } = services;
  const limits = ({ client }: { readonly client: Client }) => guard.limitAddress(client);

  /** The answer of a completed sign-in, with its cookies. */
  const welcome = async (opened: OpenedSession, status = 200): Promise<ReadyAnswer> => {
    const cookies = [sessionCookie.write(opened.token), guard.rememberDevice(opened.account)];
    const view = await viewSignedIn(database.kysely, opened.membership, opened);
    return answerWith(view, { 'Set-Cookie': cookies }, status);
  };

  const common = { tag: 'Sign-in', headers: ['Set-Cookie'] } as const;
  const anonymous = { ...common, auth: 'anonymous', limits } as const;
  return [
    defineRoute('POST /v1/auth/sign-in', {
      ...anonymous,
      operationId: 'signIn',
      summary: 'Sign in with a password',
      description:
        'Returns `signed_in` with the session cookie, or `mfa_required` with a challenge when a second factor is enabled. Without `tenant`, it is the tenant of the latest sign-in.',
      body: SignInInput,
      result: z.union([SignedIn, CodeWanted]),
      errors: ['invalid_credentials'],
      async handle(call) {
        const signed = await signIn(services, call.body, call);
        return signed.status === 'signed_in' ? welcome(signed) : signed;
      },
    }),
    defineRoute('POST /v1/auth/challenge', {
      ...anonymous,
      operationId: 'answerChallenge',
      summary: 'Finish a sign-in with a code of the second factor',
      description:
        'The code has six digits, or is a backup code. A challenge is valid for five minutes and five attempts; the session is bound to it.',
      body: namedObject('MfaChallengeAnswer', { challengeId: Id, code: text(64).min(1) }),
      result: SignedIn,
      errors: ['invalid_challenge', 'code_incorrect'],
      handle: async (call) => welcome(await answerChallenge(services, call.body, call)),
    }),
    defineRoute('POST /v1/auth/start', {
      ...anonymous,
      operationId: 'startSession',
      summary: 'Sign in with the link that the server printed when it was started',
      description:
        'Only from the machine that the server runs on. `svc demo` prints the link if only that machine can reach it; the token works once, within a quarter of an hour, at /app/start#token.',
      body: namedObject('StartToken', { token: pastedToken(200) }),
      result: SignedIn,
      handle: async (call) => welcome(await startSession(services, call.body.token, call)),
    }),
    defineRoute('GET /v1/setup', {
      tag: 'Sign-in',
      auth: 'anonymous',
      operationId: 'getSetup',
      summary: 'Get whether the server waits for its first tenant',
      description: 'It does until the first tenant is created, by the setup or by the command line.',
      result: namedObject('Setup', { isOpen: z.boolean() }),
      handle: async () => ({ isOpen: !(await hasTenants(database.kysely)) }),
    }),
    defineRoute('POST /v1/setup', {
      ...anonymous,
      operationId: 'setUpServer',
      summary: 'Set up a server without tenants',
      description:
        'Creates the first tenant and its administrator, who has the role `platform_admin`, and signs them in. Each start of `svc serve` on a database without tenants makes a link, /app/setup#token, which is valid for a day: it is printed on a terminal, or else written to `setup-link.txt` in the data folder. The first tenant ends every link; from then on the answer is 404.',
      body: SetupInput,
      status: 201,
      result: SignedIn,
      handle: async (call) => welcome(await setUpServer(services, call.body, call), 201),
    }),
    defineRoute('POST /v1/auth/sign-out', {
      ...common,
      auth: 'session',
      operationId: 'signOut',
      summary: 'Sign out',
      description: 'Ends the session and clears its cookie.',
      result: namedObject('SignedOut', { status: z.literal('signed_out') }),
      async write({ principal: { actor, tenantId, credential }, source }, tx) {
        // Before the sessions, like every change that ends them.
        await tx.lockTenant(tenantId);
        await endSessions(tx.queries, { userIds: [actor.id], tenantId, sessionId: credential.id });
        const event = sessionEvent('ended', actor.id, actor.email, { sessionId: credential.id });
        await recordEvent(tx, source(), event);
        return answerWith({ status: 'signed_out' }, { 'Set-Cookie': sessionCookie.clear() });
      },
    }),
    defineRoute('POST /v1/auth/password', {
      ...common,
      auth: 'session',
      operationId: 'changePassword',
      summary: 'Change your password',
      description: 'Your other sessions end, in every tenant; this one continues with a new cookie.',
      body: namedObject('PasswordChange', { currentPassword: TypedPassword, newPassword: NewPassword }),
      result: namedObject('ChangedPassword', { session: OwnSession }),
      errors: ['password_incorrect'],
      async handle(call) {
        const { tenantId, actor, credential } = call.principal;
        const { currentPassword, newPassword } = call.body;
        const { account, attempt } = await reauthenticate(services, call, currentPassword);
        const user = { tenantId, userId: actor.id, email: actor.email };
        await requireStrongPassword(database.kysely, user, 'newPassword', newPassword);
        const hash = await passwords.hash(attempt, newPassword);
        const { id, token, expiresAt } = await runTransaction(database, call.now, async (tx) => {
          const locked = await tx.lockAccount(actor.id);
          if (locked.password_hash !== account.password_hash)
            throw new Problem('password_incorrect', 'The password was changed in the meantime.');
          await updatePassword(tx, call.source, actor.id, hash);
          return renewSession(tx, { userId: actor.id, session: credential }, sessionLifetime);
        });
        const device = guard.rememberDevice({ email: actor.email, password_changed_at: call.now });
        return answerWith({ session: { id, expiresAt } }, { 'Set-Cookie': [sessionCookie.write(token), device] });
      },
    }),
    defineRoute('POST /v1/auth/invitations/preview', {
      tag: 'Sign-in',
      auth: 'anonymous',
      limits,
      operationId: 'previewInvitation',
      summary: 'Get the tenant and the role of an invitation, before accepting it',
      description:
        'Changes nothing. Without the token of a pending invitation it returns 404; it never says whether the address has an account.',
      body: namedObject('InvitationToken', { token: pastedToken(200) }),
      result: InvitationPreview,
      async handle({ body, now }) {
        const { invitation, tenant } = await requirePending(database.kysely, body.token, now);
        return viewRow(InvitationPreview, invitation, { tenant: viewRow(TenantReference, tenant, {}) });
      },
    }),
    defineRoute('POST /v1/auth/invitations/accept', {
      ...anonymous,
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation',
      description:
        'Sets the password of the user. A user who already signs in to another tenant sends the existing password, which does not change.',
      body: namedObject('InvitationAcceptance', { token: pastedToken(200), password: NewPassword }),
      result: namedObject('AcceptedInvitation', { email: z.string(), tenant: TenantReference }),
      errors: ['invalid_credentials'],
      async handle(call) {
        const { device, ...accepted } = await acceptInvitation(services, call.body, call);
        return answerWith(accepted, device === null ? {} : { 'Set-Cookie': device });
      },
    }),
    defineRoute('POST /v1/auth/password-reset', {
      tag: 'Sign-in',
      auth: 'anonymous',
      limits,
      operationId: 'resetPassword',
      summary: 'Set a new password with the token of a reset link',
      description:
        'The token works once, within a day. Every session of the user ends, in every tenant; the second factor stays.',
      body: namedObject('PasswordReset', { token: pastedToken(200), password: NewPassword }),
      result: namedObject('ResetPassword', { email: z.string().meta({ description: 'To sign in with.' }) }),
      handle: (call) => resetPassword(services, call.body, call),
    }),
  ];
}

const MembershipView = namedObject('Membership', {
  tenantId: Id,
  tenantSlug: z.string(),
  tenantName: z.string(),
  role: MemberRoleName,
});

const OwnName = textLine(200).nullable().optional();

const Me = namedObject('Me', {
  user: User,
  tenant: TenantReference,
  scopes: z.array(z.string()).meta({ description: 'The scopes that the role allows.' }),
  session: SessionView,
  memberships: z.array(MembershipView).meta({ description: 'Every tenant that the user can sign in to.' }),
});

export function meRoutes(services: SignInServices): readonly Route[] {
  const { database } = services;

  const end = (call: UserCall, tx: Transaction, which: SomeSessions) => {
    const { id, email: name } = call.principal.actor;
    return endAndRecord(tx, call.source(), 'session.ended', { id, name }, which);
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
        return {
          user: await viewUser(database.kysely, member),
          tenant: viewRow(TenantReference, tenant, {}),
          scopes: [...scopes],
          session,
          memberships: await listTenantsOf(database.kysely, actor.id),
        };
      },
    }),
    defineRoute('PATCH /v1/me', {
      ...common,
      operationId: 'editMe',
      summary: 'Change your name in this tenant',
      description: 'Omitted fields do not change; null removes a name.',
      body: namedObject('MeChange', { givenName: OwnName, familyName: OwnName }),
      result: User,
      async write(call, tx) {
        const ids = [call.principal.actor.id];
        const [member] = await changeMembers(tx, call.source(), ids, call.body, 'Changed by the user');
        if (member === undefined) throw notFound('user');
        return viewUser(tx.queries, member);
      },
    }),
    defineRoute('POST /v1/me/tenant', {
      ...common,
      headers: ['Set-Cookie'],
      operationId: 'switchTenant',
      summary: 'Switch to another tenant within the session',
      description:
        'Only to a tenant that you can sign in to. The session gets another cookie and ends when it would have ended. Send Svc-Tenant with the requests of a page that shows a tenant: they are rejected after a switch elsewhere. Send Svc-User with the id of the user whom it shows: they are rejected after another user signed in.',
      body: namedObject('TenantSwitch', {
        tenant: text(200).min(1).meta({ description: 'Id or slug of the tenant.' }),
      }),
      result: SignedIn,
      async write(call, tx) {
        const { membership, session } = await switchTenant(call, call.body.tenant, tx);
        const switched = await viewSignedIn(tx.queries, membership, session);
        return answerWith(switched, { 'Set-Cookie': services.sessionCookie.write(session.token) });
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
      write: (call, tx) => end(call, tx, { exceptSessionId: call.principal.credential.id }),
    }),
    defineRoute('DELETE /v1/me/sessions/{id}', {
      ...common,
      operationId: 'endMySession',
      summary: 'End one of your sessions',
      description: 'The `id` comes from the list of sessions. The session of this request can be ended too.',
      params: z.strictObject({ id: Id }),
      result: EndedSessions,
      write: (call, tx) => end(call, tx, { sessionId: call.params.id }),
    }),
  ];
}
