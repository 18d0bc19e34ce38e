import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { generateToken, isToken } from '../installation/token.ts';
import { platformRole } from '../principal/roles.ts';
import type { SessionLifetime } from '../settings.ts';
import type { Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import { type RowSeal, requireSeal, type UnitOfWork } from '../storage/unit-of-work.ts';
import { unauthenticated } from './authenticate.ts';

const tokenPrefix = 'svc_session_';

export interface NewSession {
  readonly tenantId: string;
  readonly userId: string;
  /** The challenge that was answered; null without a second factor. */
  readonly challengeId: string | null;
}

/** A session that was opened just now. */
export interface OpenSession {
  readonly id: string;
  /** For the cookie alone. */
  readonly token: string;
  readonly expiresAt: string;
}

/** Opens a session. */
export async function createSession(
  work: UnitOfWork,
  { tenantId, userId, challengeId }: NewSession,
  lifetime: SessionLifetime,
): Promise<OpenSession> {
  const id = newId();
  const token = generateToken(tokenPrefix);
  const expiresAt = new Date(Date.parse(work.now) + lifetime.absolute).toISOString();
  await work.transaction
    .insertInto('sessions')
    .values({
      id,
      token_hash: requireSeal(work).hashToken(token),
      tenant_id: tenantId,
      user_id: userId,
      challenge_id: challengeId,
      created_at: work.now,
      last_seen_at: work.now,
      expires_at: expiresAt,
    })
    .execute();
  return { id, token, expiresAt };
}

/**
 * Ends every session of a person in every tenant and opens a new one in the place of the caller's (ASVS 7.2.4, 7.4.3):
 * after a change of a credential, nothing that was opened with the old one goes on.
 * @throws {Problem} `unauthenticated` when the session of the caller has ended in the meantime.
 */
export async function renewSession(
  work: UnitOfWork,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  lifetime: SessionLifetime,
): Promise<OpenSession> {
  // The tenant of the session itself: the request may act for another one.
  const old = await work.transaction
    .selectFrom('sessions')
    .select(['tenant_id', 'challenge_id'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  if (old === undefined) throw unauthenticated('The session has ended; sign in again.');
  await endSessions(work.transaction, { userIds: [userId] });
  return createSession(work, { tenantId: old.tenant_id, userId, challengeId: old.challenge_id }, lifetime);
}

/** A session as a request finds it, with the membership that it stands on. */
export type StoredSession = Pick<
  Selectable<Tables['sessions']>,
  'id' | 'tenant_id' | 'user_id' | 'last_seen_at' | 'expires_at'
> &
  Pick<Selectable<Tables['memberships']>, 'role'> & { readonly email: string; readonly api_version: string } & {
    /** Whether the tenant wants a second factor, and the person has one on. */
    readonly require_second_factor: string | null;
    readonly second_factor: string | null;
  };

/** Finds the session of a token whose person is an active member of the session's tenant at this moment. */
export async function findSession(queries: Queries, seal: RowSeal, token: string): Promise<StoredSession | undefined> {
  if (!isToken(tokenPrefix, token)) return undefined;
  const [session] = await selectSession(queries, { hash: seal.hashToken(token) });
  return session !== undefined && session.role !== null ? (session as StoredSession) : undefined;
}

/** A session whose person may have lost the membership: then it has no role. */
type SessionRow = Omit<StoredSession, 'role'> & { readonly role: string | null };

// Look-ups beside the row, not joins: SQLite plans a join anew each time that another token is bound.
const selectSession = prepareQuery<{ hash: string }, SessionRow>((queries, parameter) =>
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
      session
        .selectFrom('tenants')
        .select('api_version')
        .whereRef('tenants.id', '=', 'sessions.tenant_id')
        .as('api_version'),
      session
        .selectFrom('tenants')
        .select('require_second_factor')
        .whereRef('tenants.id', '=', 'sessions.tenant_id')
        .as('require_second_factor'),
      session
        .selectFrom('second_factors')
        .select('state')
        .whereRef('second_factors.user_id', '=', 'sessions.user_id')
        .as('second_factor'),
    ])
    .where('token_hash', '=', parameter('hash'))
    .$castTo<SessionRow>(),
);

/** Which sessions of a person end. */
export interface EndedSessions {
  readonly userIds: readonly string[];
  /** Only those in this tenant; all where it is left out. */
  readonly tenantId?: string;
  /** Only this one. */
  readonly sessionId?: string;
  /** All but this one. */
  readonly exceptSessionId?: string;
}

/** Below SQLite's limit of parameters. */
const batchSize = 1000;

/** Ends sessions, and the sign-ins that wait for a code. @returns how many sessions ended. */
export async function endSessions(queries: Queries, ended: EndedSessions): Promise<number> {
  const { tenantId, sessionId, exceptSessionId } = ended;
  let count = 0;
  for (let start = 0; start < ended.userIds.length; start += batchSize) {
    const userIds = ended.userIds.slice(start, start + batchSize);
    let sessions = queries.deleteFrom('sessions').where('user_id', 'in', userIds);
    if (tenantId !== undefined) sessions = sessions.where('tenant_id', '=', tenantId);
    if (sessionId !== undefined) sessions = sessions.where('id', '=', sessionId);
    if (exceptSessionId !== undefined) sessions = sessions.where('id', '!=', exceptSessionId);
    const { numDeletedRows } = await sessions.executeTakeFirstOrThrow();
    count += Number(numDeletedRows);
    if (sessionId !== undefined) continue;
    let challenges = queries.deleteFrom('sign_in_challenges').where('user_id', 'in', userIds);
    if (tenantId !== undefined) challenges = challenges.where('tenant_id', '=', tenantId);
    await challenges.execute();
  }
  return count;
}

/**
 * The tenants that a person of the platform looks after. Without a second factor, those that want one are left out.
 */
export async function listPortfolio(
  queries: Queries,
  userId: string,
  hasSecondFactor: boolean,
): Promise<readonly string[]> {
  let memberships = queries
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select('tenant_id')
    .where('user_id', '=', userId)
    .where('role', '=', platformRole)
    .where(maySignIn);
  if (!hasSecondFactor) memberships = memberships.where('require_second_factor', 'is', null);
  const rows = await memberships.execute();
  return rows.map((row) => row.tenant_id);
}

/** Longer than any server takes to write when a session was last seen. */
const writingMilliseconds = 60_000;

/** Forgets sessions that have ended; one whose latest request may not be written yet stays a little longer. */
export async function forgetEndedSessions(queries: Queries, now: string, { idle }: SessionLifetime): Promise<void> {
  const idleSince = new Date(Date.parse(now) - idle - writingMilliseconds).toISOString();
  await queries
    .deleteFrom('sessions')
    .where((session) => session.or([session('last_seen_at', '<=', idleSince), session('expires_at', '<=', now)]))
    .execute();
}

/** The sessions of a person in a tenant: the one of the caller, then the latest hundred, newest first. */
export async function listSessions(
  queries: Queries,
  tenantId: string,
  userId: string,
  currentId: string,
): Promise<readonly Selectable<Tables['sessions']>[]> {
  return queries
    .selectFrom('sessions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .orderBy((session) => session('id', '=', currentId), 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(101))
    .execute();
}

/** Whether a membership lets its user sign in: `canSignIn` as a condition of a query. */
export function maySignIn(row: ExpressionBuilder<Tables, 'memberships'>) {
  return row.and([
    row('memberships.accepted_at', 'is not', null),
    row('memberships.deactivated_at', 'is', null),
    row('memberships.unassigned_at', 'is', null),
    row('memberships.deleted_at', 'is', null),
  ]);
}
