import { sql } from 'kysely';
import { z } from 'zod';
import type { AuditSource, Principal } from '../../http/principal.ts';
import { notFound } from '../../http/problem.ts';
import { Id, listOf, namedObject, UtcTime, viewRow } from '../../http/schemas.ts';
import { personal, recordEvent } from '../../ledger/audit/store.ts';
import type { SessionLifetime } from '../../settings.ts';
import { addTime, type Database, type Transaction } from '../../storage/database.ts';
import { endSessions, type SomeSessions } from './session-store.ts';

/** A session, as its user and the administrators of its tenant see it. */
export const SessionView = namedObject('Session', {
  id: Id,
  createdAt: UtcTime,
  lastSeenAt: UtcTime,
  expiresAt: UtcTime.meta({ description: 'When it ends at the latest.' }),
  idleExpiresAt: UtcTime.meta({ description: 'When it ends if it is not used again.' }),
  device: z.string().nullable().meta({ description: 'The browser and system at sign-in: `Firefox on Windows`.' }),
  challengeId: Id.nullable().meta({ description: 'The challenge that was answered with a code; null without one.' }),
  isCurrent: z.boolean(),
});
export const SessionList = listOf(SessionView);

export const EndedSessions = namedObject('EndedSessions', { ended: z.int().min(0) });

/** Lists the sessions of a user in the caller's tenant that have not ended: the caller's, then the latest hundred. */
export async function viewSessions(
  { database, sessionLifetime }: { readonly database: Database; readonly sessionLifetime: SessionLifetime },
  { tenantId, credential: { id: currentId } }: Principal,
  userId: string,
): Promise<z.output<typeof SessionList>> {
  const now = database.clock();
  const idleSince = addTime(now, -sessionLifetime.idle);
  const sessions = await database.kysely
    .selectFrom('sessions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .orderBy((session) => session('id', '=', currentId), 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(101))
    .execute();
  const items = sessions
    .filter(({ id, expires_at, last_seen_at }) => expires_at > now && (last_seen_at > idleSince || id === currentId))
    .map((session) => {
      const isCurrent = session.id === currentId;
      // The use of the caller's session by this request is written later.
      const row = isCurrent ? { ...session, last_seen_at: now } : session;
      const idleExpiresAt = addTime(row.last_seen_at, sessionLifetime.idle);
      const ends = idleExpiresAt < row.expires_at ? idleExpiresAt : row.expires_at;
      return viewRow(SessionView, row, { isCurrent, idleExpiresAt: ends });
    });
  return { items, nextCursor: null };
}

/**
 * Ends sessions of a user in the tenant of the source and records it in the audit log.
 * @param action `session.ended` by the user, `session.revoked` by an administrator.
 * @throws {Problem} `not_found` for one session that has ended.
 */
export async function endAndRecord(
  tx: Transaction,
  source: AuditSource,
  action: 'session.ended' | 'session.revoked',
  user: { readonly id: string; readonly name: string },
  which: SomeSessions,
): Promise<z.output<typeof EndedSessions>> {
  const { tenantId } = source;
  // Before the sessions, like every change that ends them.
  await tx.lockTenant(tenantId);
  const ended = await endSessions(tx.queries, { userIds: [user.id], tenantId, ...which });
  if (ended === 0 && which.sessionId !== undefined) throw notFound('session');
  const event = { module: 'identity', action, targetId: user.id, targetRef: personal(user.name) } as const;
  if (ended > 0) await recordEvent(tx, source, { ...event, diff: { sessions: ended, ...which } });
  return { ended };
}
