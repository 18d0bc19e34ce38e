import { findUnstorable } from '../http/body.ts';
import { type Membership, type MembershipRow, readMembership } from '../identity/membership.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Page } from './list.ts';

/** One page of members in the order of their ids, and how many there are in all. */
export interface MemberPage {
  readonly members: readonly Membership[];
  readonly total: number;
}

interface PageValues {
  readonly tenantId: string;
  readonly limit: number;
  readonly offset: number;
}

/** Reads a page of all members. */
export async function readMemberPage(queries: Queries, tenantId: string, page: Page): Promise<MemberPage> {
  const [{ total } = { total: 0 }] = await countAll(queries, { tenantId });
  return readRows(Number(total), page, (values) => selectPage(queries, { tenantId, ...values }));
}

/** Reads a page of the members with an external id, which is compared with case and need not be of one person alone. */
export async function readMemberPageByExternalId(
  queries: Queries,
  tenantId: string,
  externalId: string,
  page: Page,
): Promise<MemberPage> {
  // PostgreSQL refuses a text that it cannot store even in a comparison.
  if (findUnstorable(externalId) !== null) return { members: [], total: 0 };
  const [{ total } = { total: 0 }] = await countByExternalId(queries, { tenantId, externalId });
  return readRows(Number(total), page, (values) => selectByExternalId(queries, { tenantId, externalId, ...values }));
}

async function readRows(
  total: number,
  { startIndex, count }: Page,
  select: (values: Omit<PageValues, 'tenantId'>) => Promise<readonly MembershipRow[]>,
): Promise<MemberPage> {
  if (count === 0 || startIndex > total) return { members: [], total };
  const rows = await select({ limit: count, offset: startIndex - 1 });
  return { members: rows.map(readMembership), total };
}

const countAll = prepareQuery<{ tenantId: string }, { total: number }>((queries, parameter) =>
  queries
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('tenant_id', '=', parameter('tenantId'))
    .where('deleted_at', 'is', null),
);

// What is passed over is counted in the index alone; whole rows are read for the page.
const selectPage = prepareQuery<PageValues, MembershipRow>((queries, parameter) =>
  queries
    .selectFrom('memberships')
    .selectAll()
    .where('tenant_id', '=', parameter('tenantId'))
    .where('user_id', 'in', (page) =>
      page
        .selectFrom('memberships')
        .select('user_id')
        .where('tenant_id', '=', parameter('tenantId'))
        .where('deleted_at', 'is', null)
        .orderBy('user_id')
        .limit(parameter('limit'))
        .offset(parameter('offset')),
    )
    .orderBy('user_id'),
);

const countByExternalId = prepareQuery<{ tenantId: string; externalId: string }, { total: number }>(
  (queries, parameter) =>
    queries
      .selectFrom('memberships')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('tenant_id', '=', parameter('tenantId'))
      .where('external_id', '=', parameter('externalId'))
      .where('deleted_at', 'is', null),
);

const selectByExternalId = prepareQuery<PageValues & { externalId: string }, MembershipRow>((queries, parameter) =>
  queries
    .selectFrom('memberships')
    .selectAll()
    .where('tenant_id', '=', parameter('tenantId'))
    .where('external_id', '=', parameter('externalId'))
    .where('deleted_at', 'is', null)
    .orderBy('user_id')
    .limit(parameter('limit'))
    .offset(parameter('offset')),
);
