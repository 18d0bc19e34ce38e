import { findUnstorable } from '../http/input.ts';
import { type Membership, type MembershipRow, readMembership } from '../identity/membership.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Page } from './query.ts';

/** One page of members, ordered by id, and the number of all that match. */
export interface MemberPage {
  readonly members: readonly Membership[];
  readonly total: number;
}

/**
 * Reads a page of the members of a tenant.
 * @param externalId only members with this external id, which compares with case and need not be unique.
 */
export async function readMemberPage(
  queries: Queries,
  tenantId: string,
  { startIndex, count }: Page,
  externalId?: string,
): Promise<MemberPage> {
  // PostgreSQL fails to compare text that it cannot store.
  if (externalId !== undefined && findUnstorable(externalId) !== null) return { members: [], total: 0 };
  const { countMembers, selectMembers } = externalId === undefined ? everyone : byExternalId;
  const values = { tenantId, externalId: externalId ?? '' };
  const [row] = await countMembers(queries, values);
  const total = Number(row?.total);
  if (count === 0 || startIndex > total) return { members: [], total };
  const rows = await selectMembers(queries, { ...values, limit: count, offset: startIndex - 1 });
  return { members: rows.map(readMembership), total };
}

const everyone = prepareQueries(false);
const byExternalId = prepareQueries(true);

function prepareQueries(hasExternalId: boolean) {
  const select = (queries: Queries, values: { readonly tenantId: string; readonly externalId: string }) => {
    const present = queries
      .selectFrom('memberships')
      .where('tenant_id', '=', values.tenantId)
      .where('deleted_at', 'is', null);
    return hasExternalId ? present.where('external_id', '=', values.externalId) : present;
  };
  return {
    countMembers: prepareQuery<{ tenantId: string; externalId: string }, { total: number }>((queries, parameter) =>
      select(queries, { tenantId: parameter('tenantId'), externalId: parameter('externalId') }).select(({ fn }) =>
        fn.countAll<number>().as('total'),
      ),
    ),
    // Skips rows in the index, and reads only the rows of the page.
    selectMembers: prepareQuery<{ tenantId: string; externalId: string; limit: number; offset: number }, MembershipRow>(
      (queries, parameter) =>
        queries
          .selectFrom('memberships')
          .selectAll()
          .where('tenant_id', '=', parameter('tenantId'))
          .where(
            'user_id',
            'in',
            select(queries, { tenantId: parameter('tenantId'), externalId: parameter('externalId') })
              .select('user_id')
              .orderBy('user_id')
              .limit(parameter('limit'))
              .offset(parameter('offset')),
          )
          .orderBy('user_id'),
    ),
  };
}
