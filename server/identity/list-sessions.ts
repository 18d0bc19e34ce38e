import { listSessions } from '../access/session-store.ts';
import type { IdentityServices } from './services.ts';
import type { SessionView } from './user-view.ts';

/** The sessions of a person in a tenant that have not ended: the one of the caller, then newest first. @param currentId the one of the caller. */
export async function viewSessions(
  { database, clock, sessionLifetime }: IdentityServices,
  tenantId: string,
  userId: string,
  currentId: string,
): Promise<SessionView[]> {
  const now = clock();
  const idleSince = new Date(Date.parse(now) - sessionLifetime.idle).toISOString();
  const sessions = await listSessions(database.kysely, tenantId, userId, currentId);
  return sessions
    .filter(({ id, expires_at, last_seen_at }) => expires_at > now && (last_seen_at > idleSince || id === currentId))
    .map(({ id, created_at, last_seen_at, expires_at, challenge_id }) => ({
      id,
      createdAt: created_at,
      lastSeenAt: last_seen_at,
      expiresAt: expires_at,
      challengeId: challenge_id,
      isCurrent: id === currentId,
    }));
}
