import { sql } from 'kysely';
import { maySignIn } from '../access/session-store.ts';
import { describeRows } from '../audit/row-state.ts';
import type { MemberRole } from '../principal/roles.ts';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { mapPage, type Page, takePage } from '../storage/page.ts';
import { inBatches, prepareQuery } from '../storage/rows.ts';
import { type MemberStatus, type Membership, type MembershipRow, readMembership } from './membership.ts';

export const membershipRows = describeRows('memberships', 'identity', 'user', {
  key: 'user_id',
  counters: ['last_signed_in_at'],
});

/** Finds a member by user id; deleted ones are left out. */
export async function findMember(queries: Queries, tenantId: string, userId: string): Promise<Membership | undefined> {
  const [row] = await selectMember(queries, { tenantId, userId });
  return row && readMembership(row);
}

/** Finds a member by the normalized e-mail address; deleted ones are left out. */
export async function findMemberByEmail(
  queries: Queries,
  tenantId: string,
  email: string,
): Promise<Membership | undefined> {
  const [row] = await selectMemberByEmail(queries, { tenantId, email });
  return row && readMembership(row);
}

const members = (queries: Queries, tenantId: string) =>
  queries.selectFrom('memberships').selectAll().where('tenant_id', '=', tenantId).where('deleted_at', 'is', null);

const selectMember = prepareQuery<{ tenantId: string; userId: string }, MembershipRow>((queries, parameter) =>
  members(queries, parameter('tenantId')).where('user_id', '=', parameter('userId')),
);

const selectMemberByEmail = prepareQuery<{ tenantId: string; email: string }, MembershipRow>((queries, parameter) =>
  members(queries, parameter('tenantId')).where('user_id', '=', (user) =>
    user.selectFrom('users').select('id').where('email', '=', parameter('email')),
  ),
);

/** Locks the tenant and reads the membership rows of these users; deleted ones are left out. */
export async function lockMembers(
  work: UnitOfWork,
  tenantId: string,
  userIds: readonly string[],
): Promise<MembershipRow[]> {
  await work.lockTenant(tenantId);
  return inBatches(userIds, (batch) => members(work.transaction, tenantId).where('user_id', 'in', batch).execute());
}

/** Sets the same columns in several memberships. @returns the updated rows, in any order. */
export function updateMemberships(
  work: UnitOfWork,
  tenantId: string,
  userIds: readonly string[],
  columns: Partial<MembershipRow>,
): Promise<MembershipRow[]> {
  const update = work.transaction
    .updateTable('memberships')
    .set({ ...columns, updated_at: work.now })
    .returningAll();
  const ofTenant = update.where('tenant_id', '=', tenantId);
  return inBatches(userIds, (batch) => ofTenant.where('user_id', 'in', batch).execute());
}

/** Reads a page of the members, newest accounts first. @param before the user id of the last item of the previous page. */
export async function listMembers(
  queries: Queries,
  tenantId: string,
  { status, role }: { readonly status?: MemberStatus | undefined; readonly role?: string | undefined },
  before: string | null,
  limit: number,
): Promise<Page<Membership>> {
  const query = members(queries, tenantId)
    .$if(role !== undefined, (query) => query.where('role', '=', role as string))
    .$if(status === 'active', (query) => query.where('deactivated_at', 'is', null).where('unassigned_at', 'is', null))
    .$if(status === 'suspended', (query) =>
      query.where((row) => row.or([row('deactivated_at', 'is not', null), row('unassigned_at', 'is not', null)])),
    )
    .$if(before !== null, (query) => query.where('user_id', '<', before as string))
    .orderBy('user_id', 'desc');
  return mapPage(await takePage(query, limit, ({ user_id }) => user_id), readMembership);
}

/** Lists the members of the group of a role, including those suspended by `active: false`. */
export async function listGroupMembers(
  queries: Queries,
  tenantId: string,
  role: MemberRole,
): Promise<readonly Pick<Membership, 'userId' | 'userName'>[]> {
  return queries
    .selectFrom('memberships')
    .select(['user_id as userId', 'user_name as userName'])
    .where('tenant_id', '=', tenantId)
    .where('role', '=', role)
    .where('deleted_at', 'is', null)
    .where('unassigned_at', 'is', null)
    .orderBy('user_id')
    .execute();
}

/** Lists the memberships of a user in all tenants. */
export async function listMembershipsOf(queries: Queries, userId: string): Promise<readonly Membership[]> {
  const present = queries.selectFrom('memberships').selectAll().where('deleted_at', 'is', null);
  const rows = await present.where('user_id', '=', userId).orderBy('tenant_id').execute();
  return rows.map(readMembership);
}

/** Whether a user ever accepted an invitation of another tenant: then this tenant does not control their account. */
export async function isAcceptedElsewhere(queries: Queries, userId: string, tenantId: string): Promise<boolean> {
  const accepted = queries.selectFrom('memberships').select('tenant_id').where('accepted_at', 'is not', null);
  const elsewhere = accepted.where('user_id', '=', userId).where('tenant_id', '!=', tenantId);
  return (await elsewhere.limit(sql.lit(1)).executeTakeFirst()) !== undefined;
}

/** Whether the tenant has another administrator who can sign in. */
export async function hasOtherAdmin(queries: Queries, { tenantId, userId }: Membership): Promise<boolean> {
  const admins = queries.selectFrom('memberships').select('user_id').where('role', '=', 'admin').where(maySignIn);
  const others = admins.where('tenant_id', '=', tenantId).where('user_id', '!=', userId);
  return (await others.limit(sql.lit(1)).executeTakeFirst()) !== undefined;
}
