import type { Selectable } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import type { Queries } from '../storage/database.ts';
import { type Page, takePage } from '../storage/page.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';

export type InvitationRow = Selectable<Tables['invitations']>;

export const invitationRows = describeRows('invitations', 'identity', 'invitation');

export async function insertInvitation(work: UnitOfWork, row: InvitationRow): Promise<void> {
  await work.transaction.insertInto('invitations').values(row).execute();
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
 * A page of the invitations of a tenant, newest first.
 * @param before the id of the last one already seen; null for the first page.
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

/** How many persons one statement names: below SQLite's limit of parameters. */
const batchSize = 1000;

/** Which of the open invitations of a tenant. */
export interface InvitationFilter {
  readonly tenantId: string;
  readonly email?: string;
  readonly id?: string;
  /** Those of these persons. */
  readonly userIds?: readonly string[];
}

/** Closes the open invitations that fit. @returns the rows as they are now. */
export async function closeInvitations(
  work: UnitOfWork,
  closed: 'accepted_at' | 'revoked_at',
  { userIds, ...which }: InvitationFilter,
): Promise<readonly InvitationRow[]> {
  if (userIds === undefined) return closeBatch(work, closed, which);
  const rows: InvitationRow[] = [];
  for (let start = 0; start < userIds.length; start += batchSize)
    rows.push(...(await closeBatch(work, closed, { ...which, userIds: userIds.slice(start, start + batchSize) })));
  return rows;
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
