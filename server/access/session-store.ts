import type { ExpressionBuilder, Selectable } from 'kysely';
import { unauthenticated } from '../http/authorize.ts';
import { generateToken, isToken } from '../installation/token.ts';
import type { MemberRole } from '../principal/roles.ts';
import type { SessionLifetime } from '../settings.ts';
import { addTime, type Queries, type RowSeal, requireSeal, type UnitOfWork } from '../storage/database.ts';
import { findRow, inBatches, insertRow, newId, prepareQuery } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';

const tokenPrefix = 'svc_session_';

export type OpenSession = Awaited<ReturnType<typeof createSession>>;

/** @returns the session with its token, which is only for the cookie. */
export async function createSession(
  work: UnitOfWork,
  opened: {
    readonly tenantId: string;
    readonly userId: string;
    /** The challenge that was answered; null without a second factor. */
    readonly challengeId: string | null;
    /** What the user recognizes the session by. */
    readonly device?: string | null;
  },
  lifetime: SessionLifetime,
) {
  const token = generateToken(tokenPrefix);
  const { id, expires_at } = await insertRow(work.transaction, 'sessions', {
    id: newId(),
    token_hash: requireSeal(work).hashToken(token),
    tenant_id: opened.tenantId,
    user_id: opened.userId,
    challenge_id: opened.challengeId,
    device: opened.device ?? null,
    created_at: work.now,
    last_seen_at: work.now,
    expires_at: addTime(work.now, lifetime.absolute),
  });
  return { id, token, expiresAt: expires_at };
}

/**
 * Ends all sessions of a user in every tenant and opens a new one that replaces the caller's, after a change of a
 * credential (ASVS 7.2.4, 7.4.3).
 * @throws {Problem} `unauthenticated` when the session of the caller has ended in the meantime.
 */
export async function renewSession(
  work: UnitOfWork,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  lifetime: SessionLifetime,
): Promise<OpenSession> {
  // Of the stored session: the request may act for another tenant.
  const old = await findRow(work.transaction, 'sessions', { id: sessionId });
  if (old === undefined) throw unauthenticated('The session has ended; sign in again.');
  await endSessions(work.transaction, { userIds: [userId] });
  const { tenant_id: tenantId, challenge_id: challengeId, device } = old;
  return createSession(work, { tenantId, userId, challengeId, device }, lifetime);
}

/** Gives a session another tenant and another token; its end stays. @returns undefined if it has ended. */
export async function moveSession(
  work: UnitOfWork,
  { sessionId, userId, tenantId }: { readonly sessionId: string; readonly userId: string; readonly tenantId: string },
): Promise<OpenSession | undefined> {
  const token = generateToken(tokenPrefix);
  const moved = await work.transaction
    .updateTable('sessions')
    .set({ tenant_id: tenantId, token_hash: requireSeal(work).hashToken(token), last_seen_at: work.now })
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .returning(['id', 'expires_at'])
    .executeTakeFirst();
  return moved && { id: moved.id, token, expiresAt: moved.expires_at };
}

/** A session with the membership, user and tenant that it depends on. */
export interface StoredSession
  extends Pick<Selectable<Tables['sessions']>, 'id' | 'tenant_id' | 'user_id' | 'last_seen_at' | 'expires_at'>,
    Pick<Selectable<Tables['memberships']>, 'role'>,
    Pick<Selectable<Tables['users']>, 'email'>,
    Pick<Selectable<Tables['tenants']>, 'api_version' | 'require_second_factor'> {
  /** The state of the user's second factor; null without one. */
  readonly second_factor: string | null;
}

/** Finds the session of a token; undefined unless the user is an active member of the session's tenant. */
export async function findSession(queries: Queries, seal: RowSeal, token: string): Promise<StoredSession | undefined> {
  if (!isToken(tokenPrefix, token)) return undefined;
  const [session] = await selectSession(queries, { hash: seal.hashToken(token) });
  // The subquery finds no role when the user is no longer an active member.
  return session?.role === null ? undefined : session;
}

// Subqueries, not joins: SQLite plans a join again for each token.
const selectSession = prepareQuery<{ hash: string }, StoredSession>((queries, parameter) =>
  queries
    .selectFrom('sessions')
    .select(['id', 'tenant_id', 'user_id', 'last_seen_at', 'expires_at'])
    .select((session) => [
      session
        .selectFrom('memberships')
        .select('role')
        .whereRef('memberships.tenant_id', '=', 'sessions.tenant_id')
        .whereRef('memberships.user_id', '=', 'sessions.user_id')
        .where(maySignIn)
        .as('role'),
      session.selectFrom('users').select('email').whereRef('users.id', '=', 'sessions.user_id').as('email'),
      ...(['api_version', 'require_second_factor'] as const).map((column) =>
        session.selectFrom('tenants').select(column).whereRef('tenants.id', '=', 'sessions.tenant_id').as(column),
      ),
      session
        .selectFrom('second_factors')
        .select('state')
        .whereRef('second_factors.user_id', '=', 'sessions.user_id')
        .as('second_factor'),
    ])
    .where('token_hash', '=', parameter('hash'))
    .$castTo<StoredSession>(),
);

/** Which sessions of a user: one, or all but one; all when empty. */
export interface SomeSessions {
  readonly sessionId?: string;
  readonly exceptSessionId?: string;
}

/**
 * Ends sessions, with a `tenantId` only those there, and, unless it is only one, the sign-ins that wait for a code.
 * @returns the number of sessions.
 */
export async function endSessions(
  queries: Queries,
  ended: SomeSessions & { readonly userIds: readonly string[]; readonly tenantId?: string },
): Promise<number> {
  const { tenantId, sessionId, exceptSessionId } = ended;
  const results = await inBatches(ended.userIds, async (userIds) => {
    const deleted = await queries
      .deleteFrom('sessions')
      .where('user_id', 'in', userIds)
      .$if(tenantId !== undefined, (query) => query.where('tenant_id', '=', tenantId as string))
      .$if(sessionId !== undefined, (query) => query.where('id', '=', sessionId as string))
      .$if(exceptSessionId !== undefined, (query) => query.where('id', '!=', exceptSessionId as string))
      .execute();
    if (sessionId === undefined)
      await queries
        .deleteFrom('sign_in_challenges')
        .where('user_id', 'in', userIds)
        .$if(tenantId !== undefined, (query) => query.where('tenant_id', '=', tenantId as string))
        .execute();
    return deleted;
  });
  return results.reduce((count, { numDeletedRows }) => count + Number(numDeletedRows), 0);
}

/** Lists the tenants in which a user has one of these roles and may sign in: without a second factor, those that require none. */
export async function listTenantIds(queries: Queries, userId: string, roles: readonly MemberRole[]) {
  const memberships = await queries
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .leftJoin('second_factors', 'second_factors.user_id', 'memberships.user_id')
    .select('tenant_id')
    .where('memberships.user_id', '=', userId)
    .where('role', 'in', roles)
    .where(maySignIn)
    .where((row) => row.or([row('require_second_factor', 'is', null), row('second_factors.state', '=', 'enabled')]))
    .execute();
  return memberships.map((row) => row.tenant_id);
}

/** Longer than the interval at which the last use of a session is written. */
const writingMilliseconds = 60_000;

/** Deletes ended sessions; idle ones a minute later, because the latest request may not be written yet. */
export async function deleteEndedSessions(queries: Queries, now: string, { idle }: SessionLifetime): Promise<void> {
  const idleSince = addTime(now, -idle - writingMilliseconds);
  await queries
    .deleteFrom('sessions')
    .where((session) => session.or([session('last_seen_at', '<=', idleSince), session('expires_at', '<=', now)]))
    .execute();
}

/** Whether a membership allows sign-in: `canSignIn` as a condition of a query. */
export function maySignIn(row: ExpressionBuilder<Tables, 'memberships'>) {
  return row.and([
    row('memberships.accepted_at', 'is not', null),
    row('memberships.deactivated_at', 'is', null),
    row('memberships.unassigned_at', 'is', null),
    row('memberships.deleted_at', 'is', null),
  ]);
}

/** A cookie that scripts cannot read; on https, its prefix makes browsers keep it to this host (RFC 6265bis, __Host-). */
export class HostCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(name: string, isSecure: boolean) {
    this.#name = isSecure ? `__Host-${name}` : name;
    this.#attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  read(header: string | undefined): string | undefined {
    const start = `${this.#name}=`;
    const pair = header?.split(';').find((part) => part.trim().startsWith(start));
    return pair?.trim().slice(start.length);
  }

  /** A Set-Cookie header. @param seconds how long the browser keeps the cookie; null until it is closed. */
  write(value: string, seconds: number | null = null): string {
    return `${this.#name}=${value}${this.#attributes}${seconds === null ? '' : `; Max-Age=${seconds}`}`;
  }

  clear(): string {
    return this.write('', 0);
  }
}
