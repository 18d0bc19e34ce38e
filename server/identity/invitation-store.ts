import type { Selectable } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import { inBatches, type Queries } from '../storage/database.ts';
import { type Page, takeNewest } from '../storage/page.ts';
import { findRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';

export type InvitationRow = Selectable<Tables['invitations']>;

export const invitationRows = describeRows('invitations', 'identity', 'invitation');

/** The status of an invitation at a time. */
export function statusOf(row: InvitationRow, now: string): 'pending' | 'accepted' | 'revoked' | 'expired' {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at <= now ? 'expired' : 'pending';
}

/** Finds an invitation of a tenant. */
export function findInvitation(queries: Queries, tenantId: string, id: string): Promise<InvitationRow | undefined> {
  return findRow(queries, 'invitations', { tenant_id: tenantId, id });
}

/** Finds the invitation of a token. */
export function findInvitationByHash(queries: Queries, tokenHash: string): Promise<InvitationRow | undefined> {
  return findRow(queries, 'invitations', { token_hash: tokenHash });
}

/** Reads a page of the invitations of a tenant, newest first. */
export function listInvitations(
  queries: Queries,
  tenantId: string,
  before: string | null,
  limit: number,
): Promise<Page<InvitationRow>> {
  const query = queries.selectFrom('invitations').selectAll().where('tenant_id', '=', tenantId);
  return takeNewest(query, before, limit);
}

/** Closes pending invitations of a tenant: one, those to an address, or those of users. @returns the updated rows. */
export function closeInvitations(
  work: UnitOfWork,
  closed: 'accepted_at' | 'revoked_at',
  which: { readonly tenantId: string } & ({ id: string } | { email: string } | { userIds: readonly string[] }),
): Promise<readonly InvitationRow[]> {
  const pending = work.transaction
    .updateTable('invitations')
    .set({ [closed]: work.now })
    .where('tenant_id', '=', which.tenantId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', work.now)
    .returningAll();
  if ('id' in which) return pending.where('id', '=', which.id).execute();
  if ('email' in which) return pending.where('email', '=', which.email).execute();
  return inBatches(which.userIds, (batch) =>
    pending.where('email', 'in', (row) => row.selectFrom('users').select('email').where('id', 'in', batch)).execute(),
  );
}
