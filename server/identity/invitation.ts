import { z } from 'zod';
import { Id, UtcTime } from '../http/schemas.ts';
import type { InvitationRow } from './invitation-store.ts';
import { MemberRoleName } from './user-view.ts';

/** An invitation is good for a week. */
const lifetimeMilliseconds = 7 * 24 * 60 * 60 * 1000;

export function expiryOf(now: string): string {
  return new Date(Date.parse(now) + lifetimeMilliseconds).toISOString();
}

const invitationStatuses = ['pending', 'accepted', 'revoked', 'expired'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** An invitation to a tenant; its token is shown once, to whoever invites. */
export const Invitation = z
  .strictObject({
    id: Id,
    email: z.string(),
    role: MemberRoleName,
    status: z.enum(invitationStatuses).meta({ id: 'InvitationStatus' }),
    createdAt: UtcTime,
    expiresAt: UtcTime,
    acceptedAt: UtcTime.nullable(),
    revokedAt: UtcTime.nullable(),
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.output<typeof Invitation>;

export function statusOf(row: InvitationRow, now: string): InvitationStatus {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at <= now ? 'expired' : 'pending';
}

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
