import { findUnstorable } from '../http/request.ts';
import type { MembershipRow } from '../identity/membership.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/rows.ts';
import type { Page } from './query.ts';

/** One page of members, ordered by id, and the number of all that match. */
export interface MemberPage {
  readonly members: readonly MembershipRow[];
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
  const values = { tenantId, externalId: externalId ?? '', limit: count, offset: startIndex - 1 };
  const [row] = await countMembers(queries, values);
  const total = Number(row?.total);
  if (count === 0 || startIndex > total) return { members: [], total };
  return { members: await selectMembers(queries, values), total };
}

interface Values {
  readonly tenantId: string;
  readonly externalId: string;
  readonly limit: number;
  readonly offset: number;
}

function prepareQueries(hasExternalId: boolean) {
  const select = (queries: Queries, parameter: <Name extends keyof Values>(name: Name) => Values[Name]) => {
    const present = queries
      .selectFrom('memberships')
      .where('tenant_id', '=', parameter('tenantId'))
      .where('deleted_at', 'is', null);
    return hasExternalId ? present.where('external_id', '=', parameter('externalId')) : present;
  };
  return {
    countMembers: prepareQuery<Values, { readonly total: number }>((queries, parameter) =>
      select(queries, parameter).select(({ fn }) => fn.countAll<number>().as('total')),
    ),
    // Skips rows in the index, and reads only the rows of the page.
    selectMembers: prepareQuery<Values, MembershipRow>((queries, parameter) => {
      const ids = select(queries, parameter).select('user_id').orderBy('user_id');
      const page = ids.limit(parameter('limit')).offset(parameter('offset'));
      const members = queries.selectFrom('memberships').selectAll().where('tenant_id', '=', parameter('tenantId'));
      return members.where('user_id', 'in', page).orderBy('user_id');
    }),
  };
}

const everyone = prepareQueries(false);
const byExternalId = prepareQueries(true);
