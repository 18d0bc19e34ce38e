import type { ExpressionBuilder, Selectable } from 'kysely';
import { unauthenticated } from '../../http/authorize.ts';
import type { Credential } from '../../http/principal.ts';
import type { MemberRole } from '../../http/roles.ts';
import { generateToken, hashToken, isToken } from '../../installation/token.ts';
import type { SessionLifetime } from '../../settings.ts';
import { addTime, type Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import {
  countDeleted,
  findHeld,
  findRow,
  inBatches,
  insertRow,
  newId,
  prepareLookup,
  readColumns,
  writeColumns,
} from '../../storage/rows.ts';
import { type GrantRow, holds, holdsPart, type RowSeal, remember, sealedColumns } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { readHeldTenant, writeTenant } from '../credentials.ts';

const tokenPrefix = 'svc_session_';

export type OpenSession = Awaited<ReturnType<typeof createSession>>;

/** @returns the session with its token, which is only for the cookie. */
export async function createSession(
  tx: Transaction,
  opened: {
    readonly tenantId: string;
    readonly userId: string;
    /** The challenge that was answered; null without a second factor. */
    readonly challengeId: string | null;
    /** A description of the device, by which the user recognizes the session. */
    readonly device?: string | null;
  },
  lifetime: SessionLifetime,
) {
  const token = generateToken(tokenPrefix);
  const account = await findRow(tx.queries, 'users', { id: opened.userId });
  const { id, expires_at } = await insertRow(tx.queries, 'sessions', {
    id: newId(),
    token_hash: hashToken(token),
    tenant_id: opened.tenantId,
    user_id: opened.userId,
    password_changed_at: account?.password_changed_at ?? null,
    challenge_id: opened.challengeId,
    device: opened.device ?? null,
    created_at: tx.now,
    last_seen_at: tx.now,
    expires_at: addTime(tx.now, lifetime.absolute),
  });
  return { id, token, expiresAt: expires_at };
}

/** A user, and the session that they show. */
export interface OwnSession {
  readonly userId: string;
  readonly session: Pick<Credential, 'id' | 'tenantId'>;
}

/**
 * Ends all sessions of a user in every tenant and opens a new one that replaces the caller's, after a change of a
 * credential (ASVS 7.2.4, 7.4.3).
 * @throws {Problem} `unauthenticated` when the session of the caller has ended in the meantime.
 */
export async function renewSession(
  tx: Transaction,
  { userId, session: { id, tenantId } }: OwnSession,
  lifetime: SessionLifetime,
): Promise<OpenSession> {
  const old = await findRow(tx.queries, 'sessions', { tenant_id: tenantId, id });
  if (old === undefined) throw unauthenticated('The session has ended; sign in again.');
  await endSessions(tx.queries, { userIds: [userId] });
  const { challenge_id: challengeId, device } = old;
  return createSession(tx, { tenantId, userId, challengeId, device }, lifetime);
}

/** Gives a session another tenant and another token; its end stays. @returns undefined if it has ended. */
export async function moveSession(
  tx: Transaction,
  { userId, session }: OwnSession,
  tenantId: string,
): Promise<OpenSession | undefined> {
  const { queries, now } = tx;
  const { id, tenantId: from } = session;
  const token = generateToken(tokenPrefix);
  const row = await findRow(queries, 'sessions', { tenant_id: from, id, user_id: userId });
  if (row === undefined) return undefined;
  // None if housekeeping ended it since it was read.
  if ((await endSessions(queries, { userIds: [userId], tenantId: from, sessionId: id })) === 0) return undefined;
  const token_hash = hashToken(token);
  await insertRow(queries, 'sessions', { ...row, tenant_id: tenantId, token_hash, last_seen_at: now });
  return { id, token, expiresAt: row.expires_at };
}

/** A session with the membership, user and tenant that it depends on. */
export interface StoredSession
  extends Pick<Selectable<Tables['sessions']>, 'id' | 'tenant_id' | 'user_id' | 'last_seen_at' | 'expires_at'>,
    Pick<Selectable<Tables['memberships']>, 'role'>,
    Pick<Selectable<Tables['users']>, 'email'>,
    Pick<Selectable<Tables['tenants']>, 'api_version'> {
  /** True if the tenant requires a second factor and the user has none. */
  readonly lacksSecondFactor: boolean;
}

/**
 * Finds the session of a token; undefined unless the user is an active member of the session's tenant. The seals of all
 * rows that it depends on must hold.
 */
export async function findSession(queries: Queries, seal: RowSeal, token: string): Promise<StoredSession | undefined> {
  if (!isToken(tokenPrefix, token)) return undefined;
  const row = findHeld(queries, 'sessions', await selectSession(queries, hashToken(token)));
  if (row === undefined) return undefined;
  const holder = recallHolder(seal, row) ?? (await readHolder(queries, seal, row));
  // A new password ends all sessions; an older one was put back into the database.
  if (holder === undefined || row.password_changed_at !== holder.password_changed_at) return undefined;
  const { id, tenant_id, user_id, last_seen_at, expires_at } = row;
  const { role, email, api_version, requiresSecondFactor } = holder;
  const lacksSecondFactor = requiresSecondFactor && !(await hasSecondFactor(queries, row));
  return { id, tenant_id, user_id, last_seen_at, expires_at, role, email, api_version, lacksSecondFactor };
}

/** The user of a session, as the rows that it depends on describe them. */
interface Holder extends Pick<StoredSession, 'role' | 'email' | 'api_version'> {
  readonly password_changed_at: string | null;
  readonly requiresSecondFactor: boolean;
}

/** The texts of these rows when their seals were verified: comparing them costs less than reading them again. */
type Recalled = SelectedSession & { readonly holder: Holder };
const recalled = new WeakMap<RowSeal, Map<string, Recalled>>();
const texts = ['tenant_id', 'user_id', 'membership', 'user', 'tenant'] as const;

function recallHolder(seal: RowSeal, row: SelectedSession): Holder | undefined {
  const known = recalled.get(seal)?.get(row.id);
  return known !== undefined && texts.every((name) => known[name] === row[name]) ? known.holder : undefined;
}

/** @returns undefined unless the user is an active member, and the seals of the rows hold. */
async function readHolder(queries: Queries, seal: RowSeal, row: SelectedSession): Promise<Holder | undefined> {
  const { id, tenant_id, user_id } = row;
  // The subqueries find nothing when the user is no longer an active member.
  if (row.membership === null || row.user === null) return undefined;
  const membership: GrantRow = { tenant_id, user_id, ...readColumns(membershipColumns, row.membership) };
  if (!holds(queries, 'memberships', membership)) return undefined;
  const user: GrantRow = { id: user_id, ...readColumns(userColumns, row.user) };
  const tenant = readHeldTenant(queries, tenant_id, row.tenant);
  const isHeld = await holdsPart(queries, 'users', user, () => findRow(queries, 'users', { id: user_id }));
  if (tenant === undefined || !isHeld) return undefined;
  const holder = {
    role: membership.role as string,
    email: user.email as string,
    password_changed_at: user.password_changed_at as string | null,
    api_version: tenant.api_version,
    requiresSecondFactor: tenant.require_second_factor !== null,
  };
  const known = recalled.get(seal) ?? new Map<string, Recalled>();
  recalled.set(seal, known);
  remember(known, id, { ...row, holder });
  return holder;
}

async function hasSecondFactor(queries: Queries, { user_id, factor }: SelectedSession): Promise<boolean> {
  if (factor === null) return false;
  const part: GrantRow = { user_id, ...readColumns(factorColumns, factor) };
  const find = () => findRow(queries, 'second_factors', { user_id });
  const isUnchanged = await holdsPart(queries, 'second_factors', part, find);
  return isUnchanged && part.state === 'enabled';
}

/** Texts of JSON arrays stand for rows of other tables: a subquery has one column, and each looks up its row again. */
interface SelectedSession extends Selectable<Tables['sessions']> {
  readonly user: string | null;
  readonly membership: string | null;
  readonly tenant: string;
  readonly factor: string | null;
}

/** All that are sealed, except those that the session has too. */
const membershipColumns = [
  'seal',
  ...sealedColumns.memberships.filter((column) => column !== 'tenant_id' && column !== 'user_id'),
];
const userColumns = ['seal', 'email', 'password_changed_at'];
const factorColumns = ['seal', 'state'];

// Subqueries, not joins: SQLite plans a join again for each token.
const selectSession = prepareLookup<SelectedSession>('sessions', (queries, hash) =>
  queries
    .selectFrom('sessions')
    .selectAll()
    .select((session) => [
      session
        .selectFrom('memberships')
        .select(writeColumns(queries, membershipColumns))
        .whereRef('memberships.tenant_id', '=', 'sessions.tenant_id')
        .whereRef('memberships.user_id', '=', 'sessions.user_id')
        .where(maySignIn)
        .as('membership'),
      session
        .selectFrom('users')
        .select(writeColumns(queries, userColumns))
        .whereRef('users.id', '=', 'sessions.user_id')
        .as('user'),
      session
        .selectFrom('tenants')
        .select(writeTenant(queries))
        .whereRef('tenants.id', '=', 'sessions.tenant_id')
        .as('tenant'),
      session
        .selectFrom('second_factors')
        .select(writeColumns(queries, factorColumns))
        .whereRef('second_factors.user_id', '=', 'sessions.user_id')
        .as('factor'),
    ])
    .where('token_hash', '=', hash)
    .$castTo<SelectedSession>(),
);

/** A selection of sessions of a user: one, or all but one; all when empty. */
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
    let sessions = queries.deleteFrom('sessions').where('user_id', 'in', userIds);
    let challenges = queries.deleteFrom('sign_in_challenges').where('user_id', 'in', userIds);
    if (tenantId !== undefined) {
      sessions = sessions.where('tenant_id', '=', tenantId);
      challenges = challenges.where('tenant_id', '=', tenantId);
    }
    if (sessionId !== undefined) sessions = sessions.where('id', '=', sessionId);
    if (exceptSessionId !== undefined) sessions = sessions.where('id', '!=', exceptSessionId);
    const deleted = await sessions.execute();
    if (sessionId === undefined) await challenges.execute();
    return deleted;
  });
  return results.reduce((count, { numDeletedRows }) => count + Number(numDeletedRows), 0);
}

/** Lists the tenants in which a user has one of these roles and may sign in: without a second factor, those that require none. */
export async function listTenantIds(queries: Queries, userId: string, roles: readonly MemberRole[]) {
  const memberships = await queries
    .selectFrom('memberships')
    .selectAll()
    .where('user_id', '=', userId)
    .where('role', 'in', roles)
    .where(maySignIn)
    .execute();
  const held = memberships.filter((row) => holds(queries, 'memberships', row)).map((row) => row.tenant_id);
  const isEnabled = (await findRow(queries, 'second_factors', { user_id: userId }))?.state === 'enabled';
  const tenants = await inBatches(held, (ids) =>
    queries.selectFrom('tenants').selectAll().where('id', 'in', ids).execute(),
  );
  return tenants
    .filter((row) => holds(queries, 'tenants', row) && (row.require_second_factor === null || isEnabled))
    .map(({ id }) => id);
}

/** Longer than the interval at which the last use of a session is written. */
const writingMilliseconds = 60_000;

/** Deletes ended sessions; idle ones a minute later, because the latest request may not be written yet. */
export async function deleteEndedSessions(queries: Queries, now: string, { idle }: SessionLifetime): Promise<number> {
  const idleSince = addTime(now, -idle - writingMilliseconds);
  return countDeleted(
    queries
      .deleteFrom('sessions')
      .where((session) => session.or([session('last_seen_at', '<=', idleSince), session('expires_at', '<=', now)])),
  );
}

/** Condition of a query for memberships that allow sign-in, as `canSignIn` checks it. */
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
