import type { Selectable } from 'kysely';
import { describeRows, recordChanges } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { inBatches } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';

export type InvitationRow = Selectable<Tables['invitations']>;

export const invitationRows = describeRows('invitations', 'identity', 'invitation');

/** The status of an invitation at a time. */
export function statusOf(row: InvitationRow, now: string): 'pending' | 'accepted' | 'revoked' | 'expired' {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at <= now ? 'expired' : 'pending';
}

/**
 * Closes pending invitations of the tenant of the source: one, those to an address, or those of users. Records each.
 * @returns the updated rows.
 */
export async function closeInvitations(
  work: UnitOfWork,
  source: AuditSource,
  verb: 'accepted' | 'revoked',
  which: { readonly id: string } | { readonly email: string } | { readonly userIds: readonly string[] },
  reason?: string,
): Promise<readonly InvitationRow[]> {
  const pending = work.transaction
    .updateTable('invitations')
    .set({ [`${verb}_at`]: work.now })
    .where('tenant_id', '=', source.tenantId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', work.now)
    .returningAll();
  const emailsOf = (ids: readonly string[]) =>
    pending.where('email', 'in', (row) => row.selectFrom('users').select('email').where('id', 'in', ids)).execute();
  let rows: InvitationRow[];
  if ('id' in which) rows = await pending.where('id', '=', which.id).execute();
  else if ('email' in which) rows = await pending.where('email', '=', which.email).execute();
  else rows = await inBatches(which.userIds, emailsOf);
  const why = reason === undefined ? {} : { reason };
  const changes = rows.map((row) => ({ source, row, change: { verb, targetRef: row.email, ...why } }));
  await recordChanges(work, invitationRows, changes);
  return rows;
}
