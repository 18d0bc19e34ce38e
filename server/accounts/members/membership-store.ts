import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import { invalidValues, Problem } from '../../http/problem.ts';
import { findUnstorable } from '../../http/request.ts';
import { adminRoles, type MemberRole, platformRoles, roleIds } from '../../http/roles.ts';
import { Id, namedObject, UtcTime, viewRow } from '../../http/schemas.ts';
import type { Queries } from '../../storage/queries.ts';
import { inBatches, type Page, prepareQuery, takeNewest } from '../../storage/rows.ts';
import { holds } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';
import { maySignIn } from '../sign-in/session-store.ts';
import { canSignIn, displayName, type MemberStatus, type MembershipRow, memberStatus } from './membership.ts';

const UserStatus = z.enum(['active', 'suspended', 'deleted']).meta({ id: 'UserStatus' });

export const MemberRoleName = z.enum([...roleIds, ...platformRoles]).meta({
  id: 'MemberRole',
  description: 'A role, or a platform role, which only the operator of this server can give.',
});

export const User = namedObject('User', {
  id: Id,
  email: z.string(),
  displayName: z.string(),
  givenName: z.string().nullable(),
  familyName: z.string().nullable(),
  externalId: z.string().nullable().meta({ description: 'The id at the identity provider.' }),
  role: MemberRoleName,
  status: UserStatus,
  canSignIn: z.boolean().meta({ description: 'False until the user has accepted an invitation of this tenant.' }),
  mfaEnabled: z.boolean(),
  createdAt: UtcTime,
  updatedAt: UtcTime,
  lastSignedInAt: UtcTime.nullable(),
});

/** A member, as those who assign work see them. */
export const Member = namedObject('Member', {
  id: Id,
  name: z.string().meta({ description: 'The name of the member; the e-mail address for one without a name.' }),
  role: MemberRoleName,
});

export const TenantReference = namedObject('TenantReference', { id: Id, slug: z.string(), name: z.string() });

export const EventEmail = z.string().nullable().meta({ description: 'Null once the user was erased.' });

const memberFields = { userId: Id, email: EventEmail, role: MemberRoleName, status: UserStatus };
const StatusState = namedObject('UserStatusState', { status: UserStatus });
const RoleState = namedObject('UserRoleState', { role: MemberRoleName });
const StatusChange = namedObject('UserStatusEventData', { ...memberFields, before: StatusState, after: StatusState });

export const userEvents = {
  'user.provisioned': namedObject('UserProvisionedEventData', {
    ...memberFields,
    after: namedObject('UserState', { role: MemberRoleName, status: UserStatus }),
    restored: z.literal(true).optional().meta({ description: 'True when a former member is added again.' }),
  }),
  'user.suspended': StatusChange,
  'user.reactivated': StatusChange,
  'user.deprovisioned': StatusChange,
  'user.role_changed': namedObject('UserRoleEventData', { ...memberFields, before: RoleState, after: RoleState }),
};

/** Deleted members, and memberships whose seal does not hold, are left out, here and in the lists below. */
export async function findMember(queries: Queries, tenantId: string, userId: string) {
  return keepHeld(queries, await selectMember(queries, { tenantId, userId }))[0];
}

/** @param email normalized. */
export async function findMemberByEmail(queries: Queries, tenantId: string, email: string) {
  return keepHeld(queries, await selectMemberByEmail(queries, { tenantId, email }))[0];
}

/** The memberships whose seals hold. */
export function keepHeld<Row extends MembershipRow>(queries: Queries, rows: readonly Row[]): readonly Row[] {
  return rows.filter((row) => holds(queries, 'memberships', row));
}

/** Work can be assigned only to members who can sign in. @throws {Problem} `validation_failed` for anyone else. */
export async function requireActiveMember(queries: Queries, tenantId: string, userId: string, path: string) {
  const member = await findMember(queries, tenantId, userId);
  if (member === undefined || !canSignIn(member))
    throw invalidValues([{ path, issue: 'is not a member of the tenant who can sign in' }]);
}

/** The memberships of a tenant that are not deleted. */
const members = (queries: Queries, tenantId: string) =>
  queries.selectFrom('memberships').selectAll().where('tenant_id', '=', tenantId).where('deleted_at', 'is', null);

const selectMember = prepareQuery<{ tenantId: string; userId: string }, MembershipRow>((queries, parameter) =>
  members(queries, parameter('tenantId')).where('user_id', '=', parameter('userId')),
);

const selectMemberByEmail = prepareQuery<{ tenantId: string; email: string }, MembershipRow>((queries, parameter) =>
  members(queries, parameter('tenantId')).where('user_id', '=', (row) => selectUserId(row, parameter('email'))),
);

const selectUserId = (row: ExpressionBuilder<Tables, 'memberships'>, email: string) =>
  row.selectFrom('users').select('id').where('email', '=', email);

interface MemberFilter {
  readonly status?: MemberStatus | undefined;
  readonly role?: string | undefined;
  /** Normalized. */
  readonly email?: string | undefined;
  /** Only those who can sign in. */
  readonly canSignIn?: true;
}

/** Reads a page of the members, newest accounts first. @param before the user id of the last item of the previous page. */
export async function listMembers(
  queries: Queries,
  tenantId: string,
  { status, role, email, canSignIn }: MemberFilter,
  before: string | null,
  limit: number,
): Promise<Page<MembershipRow>> {
  const query = members(queries, tenantId)
    .$if(role !== undefined, (query) => query.where('role', '=', role as string))
    .$if(email !== undefined, (query) => query.where('user_id', '=', (row) => selectUserId(row, email as string)))
    .$if(status === 'active', (query) => query.where('deactivated_at', 'is', null).where('unassigned_at', 'is', null))
    .$if(status === 'suspended', (query) =>
      query.where((row) => row.or([row('deactivated_at', 'is not', null), row('unassigned_at', 'is not', null)])),
    )
    .$if(canSignIn === true, (query) => query.where(maySignIn));
  const { rows, next } = await takeNewest(query, before, limit, 'user_id');
  return { rows: [...keepHeld(queries, rows)], next };
}

/** Lists the members of the group of a role, including those suspended by `active: false`. */
export async function listGroupMembers(queries: Queries, tenantId: string, role: MemberRole) {
  return keepHeld(queries, await readGroupMembers(queries, tenantId, role));
}

/** As `listGroupMembers`, also those whose seal does not hold: no change accepts them. */
export function readGroupMembers(queries: Queries, tenantId: string, role: MemberRole) {
  const present = members(queries, tenantId).where('role', '=', role).where('unassigned_at', 'is', null);
  return present.orderBy('user_id').execute();
}

export async function listMembershipsOf(queries: Queries, userId: string): Promise<readonly MembershipRow[]> {
  const present = queries.selectFrom('memberships').selectAll().where('deleted_at', 'is', null);
  return keepHeld(queries, await present.where('user_id', '=', userId).orderBy('tenant_id').execute());
}

/** Every tenant that a user can sign in to, with their role there. */
export async function listTenantsOf(queries: Queries, userId: string) {
  const memberships = await queries
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'tenant_id')
    .selectAll('memberships')
    .select(['slug as tenantSlug', 'tenants.name as tenantName'])
    .where('user_id', '=', userId)
    .where(maySignIn)
    .orderBy('tenant_id')
    .execute();
  return keepHeld(queries, memberships).map(({ tenant_id: tenantId, role, tenantSlug, tenantName }) => {
    return { tenantId, tenantSlug, tenantName, role: role as MemberRole };
  });
}

/**
 * Finds out if a user ever accepted an invitation of another tenant: then this tenant does not control their account. A
 * membership whose seal does not hold counts, because its `accepted_at` may have been removed.
 */
export async function isAcceptedElsewhere(queries: Queries, userId: string, tenantId: string): Promise<boolean> {
  const ofUser = queries.selectFrom('memberships').selectAll().where('user_id', '=', userId);
  const elsewhere = await ofUser.where('tenant_id', '!=', tenantId).execute();
  return elsewhere.some((row) => row.accepted_at !== null || !holds(queries, 'memberships', row));
}

/** True if the tenant has another administrator who can sign in. */
export async function hasOtherAdmin(queries: Queries, { tenant_id, user_id }: MembershipRow): Promise<boolean> {
  const admins = queries.selectFrom('memberships').selectAll().where('role', 'in', adminRoles).where(maySignIn);
  const others = await admins.where('tenant_id', '=', tenant_id).where('user_id', '!=', user_id).execute();
  return keepHeld(queries, others).length > 0;
}

/**
 * Protects the last administrator who can sign in, so that a tenant cannot lock itself out. An identity provider can
 * remove them, because it has its own token.
 * @throws {Problem} `conflict`.
 */
export async function requireAdminLeft(queries: Queries, member: MembershipRow): Promise<void> {
  if (!adminRoles.includes(member.role as MemberRole) || !canSignIn(member)) return;
  if (await hasOtherAdmin(queries, member)) return;
  throw new Problem(
    'conflict',
    'This is the last administrator who can sign in; make another member an administrator first.',
  );
}

export async function viewUsers(queries: Queries, members: readonly MembershipRow[]): Promise<z.output<typeof User>[]> {
  const enabled = queries.selectFrom('second_factors').select('user_id').where('state', '=', 'enabled');
  const rows = await inBatches(members, (batch) => {
    const ids = batch.map(({ user_id }) => user_id);
    return enabled.where('user_id', 'in', ids).execute();
  });
  const holders = new Set(rows.map(({ user_id }) => user_id));
  return members.map((row) =>
    viewRow(User, row, {
      id: row.user_id,
      email: row.user_name,
      displayName: displayName(row),
      status: memberStatus(row),
      canSignIn: canSignIn(row),
      // Before the user accepts an invitation, the tenant sees only what it entered itself.
      mfaEnabled: row.accepted_at !== null && holders.has(row.user_id),
    }),
  );
}

export async function viewUser(queries: Queries, member: MembershipRow): Promise<z.output<typeof User>> {
  const [user] = await viewUsers(queries, [member]);
  return user as z.output<typeof User>;
}

/**
 * Reads a page of the members of a tenant, ordered by id, and counts them all.
 * @param page from a 1-based index, as RFC 7644 section 3.4.2.4 counts.
 * @param externalId only members with this external id, which compares with case and need not be unique.
 */
export async function readMemberPage(
  queries: Queries,
  tenantId: string,
  { startIndex, count }: { readonly startIndex: number; readonly count: number },
  externalId?: string,
): Promise<{ readonly items: readonly MembershipRow[]; readonly total: number }> {
  // PostgreSQL fails to compare text that it cannot store.
  if (externalId !== undefined && findUnstorable(externalId) !== null) return { items: [], total: 0 };
  const { countMembers, selectMembers } = externalId === undefined ? everyone : byExternalId;
  const values = { tenantId, externalId: externalId ?? '', limit: count, offset: startIndex - 1 };
  const [row] = await countMembers(queries, values);
  const total = Number(row?.total);
  if (count === 0 || startIndex > total) return { items: [], total };
  return { items: keepHeld(queries, await selectMembers(queries, values)), total };
}

interface PageValues {
  readonly tenantId: string;
  readonly externalId: string;
  readonly limit: number;
  readonly offset: number;
}

function prepareQueries(hasExternalId: boolean) {
  const select = (queries: Queries, parameter: <Name extends keyof PageValues>(name: Name) => PageValues[Name]) => {
    const present = queries
      .selectFrom('memberships')
      .where('tenant_id', '=', parameter('tenantId'))
      .where('deleted_at', 'is', null);
    return hasExternalId ? present.where('external_id', '=', parameter('externalId')) : present;
  };
  return {
    countMembers: prepareQuery<PageValues, { readonly total: number }>((queries, parameter) =>
      select(queries, parameter).select(({ fn }) => fn.countAll<number>().as('total')),
    ),
    // Skips rows in the index, and reads only the rows of the page.
    selectMembers: prepareQuery<PageValues, MembershipRow>((queries, parameter) => {
      const ids = select(queries, parameter).select('user_id').orderBy('user_id');
      const page = ids.limit(parameter('limit')).offset(parameter('offset'));
      const members = queries.selectFrom('memberships').selectAll().where('tenant_id', '=', parameter('tenantId'));
      return members.where('user_id', 'in', page).orderBy('user_id');
    }),
  };
}

const everyone = prepareQueries(false);
const byExternalId = prepareQueries(true);
