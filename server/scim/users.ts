import { z } from 'zod';
import { normalizeEmail } from '../accounts/members/email.ts';
import type { MembershipChange, MembershipRow } from '../accounts/members/membership.ts';
import { addMember, changeMembers } from '../accounts/members/membership-changes.ts';
import { findMember, findMemberByEmail, keepHeld, lockMembers } from '../accounts/members/membership-store.ts';
import { requireTenant } from '../accounts/tenants/store.ts';
import type { AuditSource } from '../http/principal.ts';
import { Problem, requireFound } from '../http/problem.ts';
import { findUnstorable } from '../http/request.ts';
import { isPlatformRole } from '../http/roles.ts';
import { personal, recordEvent } from '../ledger/audit/store.ts';
import type { UnitOfWork } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { prepareQuery } from '../storage/rows.ts';
import { presentAttributes } from './attribute.ts';
import { type FoundPage, type Page, type ResourceType, slicePage } from './resource.ts';
import { readPatch } from './surface.ts';
import {
  type ExtendedUse,
  isStrict,
  managedByOperator,
  readUser,
  readUserPatch,
  refusePlatformAdmin,
  replaceableNames,
  ScimUser,
  UserBody,
  userAttributes,
  userUrn,
} from './user.ts';

/** Users: the members of a tenant. */
export const users: ResourceType<MembershipRow, ScimUser> = {
  urn: userUrn,
  name: 'User',
  description: 'A member of the tenant',
  plural: 'Members of the tenant',
  result: ScimUser,
  parameter: ['id', z.string()],
  attributes: userAttributes,
  filters: ['userName', 'externalId'],
  operations: {
    list: {
      summary: 'List users, ordered by id',
      description: 'At most 100 on a page. The only filters are `eq` on `userName` and on `externalId`.',
      errors: ['invalidFilter', 'invalidValue'],
    },
    create: {
      summary: 'Provision a user',
      description: 'A former member keeps the same id. The user can sign in after accepting an invitation.',
      body: UserBody,
      errors: ['invalidSyntax', 'invalidValue', 'uniqueness'],
    },
    get: {
      summary: 'Get a user',
      description: 'Choose attributes with `attributes` or `excludedAttributes`.',
      errors: ['invalidValue'],
    },
    patch: {
      summary: 'Suspend or reactivate a user, or change the role',
      description:
        'Accepts `replace` of `active` or `roles`. A suspended user cannot sign in, and their sessions end immediately. With the setting `scimCompatibility: "extended"` it also accepts a `replace` without path, and skips unsupported operations if `active` is replaced too; `active: true` then does not revert a removal from a role group.',
      errors: ['forbidden', 'invalidPath', 'invalidSyntax', 'invalidValue', 'mutability'],
    },
    replace: {
      summary: 'Replace a user, if the tenant allows it',
      description:
        'Needs the setting `scimCompatibility: "extended"`; else it returns 501. Sets active, roles, name and externalId; omitted attributes keep their values. `active: true` reverts `active: false`, but not a removal from a role group.',
      body: UserBody,
      errors: ['forbidden', 'invalidSyntax', 'invalidValue', 'mutability', 'not_implemented'],
    },
    delete: {
      summary: 'Remove a user from the tenant',
      description:
        'The person and the history stay. Like every change, it returns 403 for an administrator of the server (`platform_admin`).',
      errors: ['forbidden'],
    },
  },
  idOf: ({ user_id }) => user_id,
  async present(_, member, location) {
    return {
      schemas: [userUrn],
      id: member.user_id,
      ...presentAttributes(userAttributes, member),
      meta: { resourceType: 'User', created: member.created_at, lastModified: member.updated_at, location },
    };
  },

  async list(queries, tenantId, filter, page) {
    if (filter?.attribute !== 'username') return readMemberPage(queries, tenantId, page, filter?.value);
    // An invalid address matches no user: providers send one to test the connection.
    const email = normalizeEmail(filter.value);
    const member = email === undefined ? undefined : await findMemberByEmail(queries, tenantId, email);
    return slicePage(member === undefined ? [] : [member], page);
  },
  get: async (queries, tenantId, id) => requireFound(await findMember(queries, tenantId, id), 'user'),

  /** Adds a member. @throws {Problem} `uniqueness` if the person is a member, active or suspended. */
  async create(work, source, body) {
    const { defaultRole } = await requireTenant(work.transaction, source.tenantId);
    const { userName, email, values } = readUser(body);
    const { role = defaultRole, isActivated = true } = values;
    const member = { ...values, userName, email, role, isActivated, isAccepted: false };
    const added = await addMember(work, source, member, 'SCIM: user created');
    if (added === undefined) throw new Problem('uniqueness', 'A user with this userName already exists.');
    return added;
  },

  /**
   * Applies the operations of a PATCH, all or none.
   * @throws {Problem} `not_found`, `forbidden` for a `platform_admin`, `mutability` for other members whom the operator
   *   manages, and those of the body.
   */
  async patch(work, source, id, body) {
    const operations = readPatch(body);
    const { change, use } = readUserPatch(operations, !operations.every(isStrict) && (await isExtended(work, source)));
    const { isActivated, role } = change;
    const before = await requireMember(work, source, id);
    const parts = [
      ...(isActivated === undefined ? [] : [`active set to ${isActivated}`]),
      ...(role === undefined ? [] : [`role set to ${role}`]),
    ];
    return changeUser(work, source, before, change, `SCIM: ${parts.join(', ')}`, use);
  },

  /**
   * Applies a PUT, with `scimCompatibility: "extended"` only.
   * @throws {Problem} `not_implemented`, `not_found`, `forbidden`, `mutability`, and those of the body.
   */
  async replace(work, source, id, body) {
    if (!(await isExtended(work, source)))
      throw new Problem(
        'not_implemented',
        `PUT of a user is not supported; replace ${replaceableNames.join(' or ')} with PATCH.`,
      );
    const before = await requireMember(work, source, id);
    const { values } = readUser(body, before);
    return changeUser(work, source, before, values, 'SCIM: user replaced', { form: 'put', skippedPaths: [] });
  },

  /** Removes a member from the tenant; the person and the history stay. @throws {Problem} `not_found`, `forbidden`. */
  async delete(work, source, id) {
    const { user_id } = await requireMember(work, source, id);
    await changeMembers(work, source, [user_id], { isDeleted: true }, 'SCIM: user deleted');
  },
};

async function isExtended({ transaction }: UnitOfWork, { tenantId }: AuditSource): Promise<boolean> {
  return (await requireTenant(transaction, tenantId)).scimCompatibility === 'extended';
}

/** Locks and reads the member to change. @throws {Problem} `not_found`, `forbidden`. */
async function requireMember(work: UnitOfWork, { tenantId }: AuditSource, id: string): Promise<MembershipRow> {
  const [member] = await lockMembers(work, tenantId, [id]);
  refusePlatformAdmin(member === undefined ? [] : [member]);
  return requireFound(member, 'user');
}

/** @param use the parts of the request that the strict rules would have rejected, for the audit log. */
async function changeUser(
  work: UnitOfWork,
  source: AuditSource,
  before: MembershipRow,
  change: MembershipChange,
  reason: string,
  use: ExtendedUse | null,
): Promise<MembershipRow> {
  const { user_id, deactivated_at, unassigned_at } = before;
  // A PUT repeats what did not change.
  const isActivating = change.isActivated === true && (use?.form !== 'put' || deactivated_at !== null);
  if (isPlatformRole(before.role) && (isActivating || change.role !== undefined)) throw managedByOperator();
  const isPartOfProfile = use !== null && (use.form === 'put' || use.skippedPaths.length > 0);
  // Providers send `active: true` with every change of a profile, so as part of one it reverts `active: false`, but not a
  // removal from a role group.
  const applied =
    isPartOfProfile && change.isActivated !== undefined ? { ...change, isAssigned: unassigned_at === null } : change;
  const [changed] = await changeMembers(work, source, [user_id], applied, reason);
  const member = requireFound(changed, 'user');
  if (use !== null)
    await recordEvent(work, source, {
      module: 'identity',
      action: 'scim.extended_request',
      targetId: user_id,
      targetRef: personal(member.user_name),
      diff: { ...use },
    });
  return member;
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
): Promise<FoundPage<MembershipRow>> {
  // PostgreSQL fails to compare text that it cannot store.
  if (externalId !== undefined && findUnstorable(externalId) !== null) return { items: [], total: 0 };
  const { countMembers, selectMembers } = externalId === undefined ? everyone : byExternalId;
  const values = { tenantId, externalId: externalId ?? '', limit: count, offset: startIndex - 1 };
  const [row] = await countMembers(queries, values);
  const total = Number(row?.total);
  if (count === 0 || startIndex > total) return { items: [], total };
  return { items: keepHeld(queries, await selectMembers(queries, values)), total };
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
