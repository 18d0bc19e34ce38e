import type { Selectable } from 'kysely';
import type { AuditSource } from '../../http/principal.ts';
import { invitationRows } from '../../ledger/audit/rows.ts';
import { personal, recordChanges } from '../../ledger/audit/store.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, inBatches, takeNewest, updateRow } from '../../storage/rows.ts';
import { holds } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';

export type InvitationRow = Selectable<Tables['invitations']>;

export function findInvitation(queries: Queries, match: { tenant_id: string; id: string } | { token_hash: string }) {
  return findRow(queries, 'invitations', match);
}

export function listInvitations(queries: Queries, tenantId: string, after: string | null, limit: number) {
  const query = queries.selectFrom('invitations').selectAll().where('tenant_id', '=', tenantId);
  return takeNewest(query, after, limit);
}

/** Closes pending invitations of a tenant: one, those to an address, or those of users. @returns the updated rows. */
export async function closeInvitations(
  tx: Transaction,
  source: AuditSource,
  verb: 'accepted' | 'revoked',
  which: { readonly id: string } | { readonly email: string } | { readonly userIds: readonly string[] },
  reason?: string,
): Promise<readonly InvitationRow[]> {
  const pending = tx.queries
    .selectFrom('invitations')
    .selectAll()
    .where('tenant_id', '=', source.tenantId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', tx.now);
  const emailsOf = (ids: readonly string[]) =>
    pending.where('email', 'in', (row) => row.selectFrom('users').select('email').where('id', 'in', ids)).execute();
  let found: InvitationRow[];
  if ('id' in which) found = await pending.where('id', '=', which.id).execute();
  else if ('email' in which) found = await pending.where('email', '=', which.email).execute();
  else found = await inBatches(which.userIds, emailsOf);
  const rows: InvitationRow[] = [];
  const closed = { [`${verb}_at`]: tx.now };
  // One whose seal does not hold grants nothing, and must not get a valid one.
  for (const row of found)
    if (holds(tx.queries, 'invitations', row))
      rows.push(await updateRow(tx.queries, 'invitations', { tenant_id: row.tenant_id, id: row.id }, closed));
  const why = reason === undefined ? {} : { reason };
  const changes = rows.map((row) => ({ source, row, change: { verb, targetRef: personal(row.email), ...why } }));
  await recordChanges(tx, invitationRows, changes);
  return rows;
}
