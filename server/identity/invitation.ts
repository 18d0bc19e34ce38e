import type { Selectable } from 'kysely';
import { z } from 'zod';
import { describeRows } from '../audit/row-state.ts';
import { Id, UtcTime } from '../http/schemas.ts';
import { inBatches, type Queries } from '../storage/database.ts';
import { type Page, takePage } from '../storage/page.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { MemberRoleName } from './user-view.ts';

export type InvitationRow = Selectable<Tables['invitations']>;

export const invitationRows = describeRows('invitations', 'identity', 'invitation');

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

/** Finds an invitation of a tenant. */
export async function findInvitation(
  queries: Queries,
  tenantId: string,
  id: string,
): Promise<InvitationRow | undefined> {
  return queries
    .selectFrom('invitations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Finds the invitation of a token. */
export async function findInvitationByHash(queries: Queries, tokenHash: string): Promise<InvitationRow | undefined> {
  return queries.selectFrom('invitations').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/**
 * Reads a page of the invitations of a tenant, newest first.
 * @param before the id of the last item of the previous page; null for the first page.
 */
export async function listInvitations(
  queries: Queries,
  tenantId: string,
  before: string | null,
  limit: number,
): Promise<Page<InvitationRow>> {
  let query = queries.selectFrom('invitations').selectAll().where('tenant_id', '=', tenantId).orderBy('id', 'desc');
  if (before !== null) query = query.where('id', '<', before);
  return takePage(query, limit, ({ id }) => id);
}

/** Selects pending invitations of a tenant. */
export interface InvitationFilter {
  readonly tenantId: string;
  readonly email?: string;
  readonly id?: string;
  /** The invitations of these users. */
  readonly userIds?: readonly string[];
}

/** Closes the pending invitations that match. @returns the updated rows. */
export function closeInvitations(
  work: UnitOfWork,
  closed: 'accepted_at' | 'revoked_at',
  { userIds, ...which }: InvitationFilter,
): Promise<readonly InvitationRow[]> {
  if (userIds === undefined) return closeBatch(work, closed, which);
  return inBatches(userIds, (batch) => closeBatch(work, closed, { ...which, userIds: batch }));
}

function closeBatch(
  work: UnitOfWork,
  closed: 'accepted_at' | 'revoked_at',
  { tenantId, email, id, userIds }: InvitationFilter,
): Promise<readonly InvitationRow[]> {
  let query = work.transaction
    .updateTable('invitations')
    .set({ [closed]: work.now })
    .where('tenant_id', '=', tenantId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', work.now);
  if (email !== undefined) query = query.where('email', '=', email);
  if (id !== undefined) query = query.where('id', '=', id);
  if (userIds !== undefined)
    query = query.where('email', 'in', (row) => row.selectFrom('users').select('email').where('id', 'in', userIds));
  return query.returningAll().execute();
}
