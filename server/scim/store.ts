import { requireFound } from '../http/problem.ts';
import { findUnstorable } from '../http/request.ts';
import { normalizeEmail } from '../identity/email.ts';
import type { MembershipRow } from '../identity/membership.ts';
import { findMember, findMemberByEmail } from '../identity/membership-store.ts';
import { roleIds } from '../principal/roles.ts';
import type { Queries } from '../storage/database.ts';
import { prepareQuery } from '../storage/rows.ts';
import { requireTenant } from '../tenants/store.ts';
import { findGroup, findGroupByName, groupUrn, mapOf, type NamedGroup, nameGroup } from './group.ts';
import { type Page, readFilter, slicePage } from './query.ts';
import { userUrn } from './user.ts';

/** One page of resources, and the number of all that match. */
interface FoundPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** The queries of one type of resource. */
export interface ResourceQueries<Item> {
  /** Lists what matches a filter, ordered by id. @throws {Problem} `invalidFilter`. */
  list(queries: Queries, tenantId: string, filter: string | undefined, page: Page): Promise<FoundPage<Item>>;
  /** Finds a resource by the segment of a path. @throws {Problem} `not_found`. */
  get(queries: Queries, tenantId: string, segment: string): Promise<Item>;
}

export const userQueries: ResourceQueries<MembershipRow> = {
  async list(queries, tenantId, filter, page) {
    if (filter === undefined) return readMemberPage(queries, tenantId, page);
    const { attribute, value } = readFilter(filter, userUrn, ['userName', 'externalId']);
    if (attribute === 'externalid') return readMemberPage(queries, tenantId, page, value);
    // An invalid address matches no user: providers send one to test the connection.
    const email = normalizeEmail(value);
    const member = email === undefined ? undefined : await findMemberByEmail(queries, tenantId, email);
    const found = member === undefined ? [] : [member];
    return { items: slicePage(found, page), total: found.length };
  },
  get: async (queries, tenantId, id) => requireFound(await findMember(queries, tenantId, id), 'user'),
};

export const groupQueries: ResourceQueries<NamedGroup> = {
  /** A group that is found by name has the displayName of the filter. */
  async list(queries, tenantId, filter, page) {
    const tenant = await requireTenant(queries, tenantId);
    const map = mapOf(tenant);
    let items = roleIds.map((role): NamedGroup => ({ tenant, role, displayName: nameGroup(role, map) }));
    if (filter !== undefined) {
      const { attribute, value } = readFilter(filter, groupUrn, ['displayName', 'id']);
      const named = attribute === 'id' ? value : findGroupByName(value, map);
      items = items.filter(({ role }) => role === named);
      if (attribute !== 'id') items = items.map((group) => ({ ...group, displayName: value }));
    }
    return { items: slicePage(items, page), total: items.length };
  },
  async get(queries, tenantId, idOrName) {
    const tenant = await requireTenant(queries, tenantId);
    const role = requireFound(findGroup(idOrName, mapOf(tenant)), 'group');
    return { tenant, role, displayName: nameGroup(role, mapOf(tenant)) };
  },
};

/**
 * Reads a page of the members of a tenant.
 * @param externalId only members with this external id, which compares with case and need not be unique.
 */
export async function readMemberPage(
  queries: Queries,
  tenantId: string,
  { startIndex, count }: Page,
  externalId?: string,
): Promise<FoundPage<MembershipRow>> {
  // PostgreSQL fails to compare text that it cannot store.
  if (externalId !== undefined && findUnstorable(externalId) !== null) return { items: [], total: 0 };
  const { countMembers, selectMembers } = externalId === undefined ? everyone : byExternalId;
  const values = { tenantId, externalId: externalId ?? '', limit: count, offset: startIndex - 1 };
  const [row] = await countMembers(queries, values);
  const total = Number(row?.total);
  if (count === 0 || startIndex > total) return { items: [], total };
  return { items: await selectMembers(queries, values), total };
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
