import { z } from 'zod';
import { Id, UtcTime } from '../http/schemas.ts';
import type { InvitationRow } from './invitation-store.ts';
import { MemberRoleName } from './membership.ts';

/** An invitation to a tenant, without its token. */
export const Invitation = z
  .strictObject({
    id: Id,
    email: z.string(),
    role: MemberRoleName,
    status: z.enum(['pending', 'accepted', 'revoked', 'expired']).meta({ id: 'InvitationStatus' }),
    createdAt: UtcTime,
    expiresAt: UtcTime,
    acceptedAt: UtcTime.nullable(),
    revokedAt: UtcTime.nullable(),
  })
  .meta({ id: 'Invitation' });
type Invitation = z.output<typeof Invitation>;

/** The status of an invitation at a time. */
export function statusOf(row: InvitationRow, now: string): Invitation['status'] {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at <= now ? 'expired' : 'pending';
}

/** An invitation as the API returns it. */
export function viewInvitation(row: InvitationRow, now: string): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role as Invitation['role'],
    status: statusOf(row, now),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acceptedAt: row.accepted_at,
    revokedAt: row.revoked_at,
  };
}
