import { z } from 'zod';
import { ReadyAnswer } from '../http/answer.ts';
import { notFound } from '../http/problem.ts';
import { type Call, defineRoute, type PrincipalCall, type Route } from '../http/route.ts';
import { normalizeEmail } from '../identity/email.ts';
import type { MembershipRow } from '../identity/membership.ts';
import { findMember, findMemberByEmail, listGroupMembers } from '../identity/membership-store.ts';
import type { Installation } from '../installation/installation.ts';
import { type Role, roleIds } from '../principal/roles.ts';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { requireTenant } from '../tenants/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { changeGroup, clearGroup, createUser, deleteUser, patchUser, replaceUser, requireUser } from './changes.ts';
import {
  findGroup,
  findGroupByName,
  GroupBody,
  type GroupRoleMap,
  groupUrn,
  type NamedGroup,
  NewGroupBody,
  nameGroup,
  presentGroup,
  readGroupReplacement,
  readNamedGroup,
  ScimGroup,
} from './group.ts';
import { type GroupStep, PatchBody, readGroupPatch, readPatch } from './patch.ts';
import {
  listOf,
  listQuery,
  type Page,
  type ProjectionQuery,
  presentPage,
  projectionQuery,
  queryOf,
  readFilter,
  readPage,
  readProjection,
  slicePage,
} from './query.ts';
import { type MemberPage, readMemberPage } from './store.ts';
import { createLocate, scim } from './surface.ts';
import { presentUser, ScimUser, UserBody, userUrn } from './user.ts';

export interface ScimServices extends Pick<Installation, 'database'> {
  /** The public address of this server, for locations; null to use the Host header. */
  readonly baseUrl: string | null;
}

type ProjectedCall<Params = unknown> = PrincipalCall<Params, ProjectionQuery>;

const ResourceQuery = queryOf(projectionQuery);
const UserParams = z.strictObject({ id: z.string() });
const GroupParams = z.strictObject({
  role: z.string().meta({ description: `One of ${roleIds.join(', ')}, or a name that the tenant mapped to a role.` }),
});
const common = { auth: 'scim', surface: scim, tag: 'SCIM' } as const;
const user = { ...common, params: UserParams, query: ResourceQuery, result: ScimUser } as const;
const group = { ...common, params: GroupParams, query: ResourceQuery, result: ScimGroup } as const;
const creation = { ...common, query: ResourceQuery, status: 201 } as const;

/** The operations on the users of a tenant (spec.md "SCIM 2.0"). */
export function scimUserRoutes({ database, baseUrl }: ScimServices): readonly Route[] {
  /** Checks the query and the Host of a call, before any change, and returns what presents its users. */
  const createView = ({ query, client }: Call<unknown, ProjectionQuery>) => {
    const projection = readProjection(query, userUrn);
    const locate = createLocate(baseUrl, client);
    return (member: MembershipRow): ScimUser => projection.apply(presentUser(member, locate));
  };
  const changeBy =
    (change: typeof patchUser) => async (call: ProjectedCall<{ readonly id: string }>, work: UnitOfWork) => {
      const view = createView(call);
      return view(await change(work, call.source(), call.params.id, call.body));
    };

  return [
    defineRoute('GET /scim/v2/Users', {
      ...common,
      operationId: 'listScimUsers',
      summary: 'List users, ordered by id',
      description: 'At most 100 on a page. The only filters are `eq` on `userName` and on `externalId`.',
      query: listQuery('One comparison: `userName eq "…"` or `externalId eq "…"`.'),
      result: listOf(ScimUser),
      errors: ['invalidFilter', 'invalidValue'],
      async handle(call) {
        const view = createView(call);
        const page = readPage(call.query);
        const { members, total } = await findPage(database.kysely, call.principal.tenantId, call.query.filter, page);
        return presentPage(members.map(view), total, page.startIndex);
      },
    }),
    defineRoute('POST /scim/v2/Users', {
      ...creation,
      operationId: 'createScimUser',
      summary: 'Provision a user',
      description: 'A former member keeps the same id. The user can sign in after accepting an invitation.',
      body: UserBody,
      result: ScimUser,
      errors: ['invalidSyntax', 'invalidValue', 'uniqueness'],
      async change(call, work) {
        const view = createView(call);
        const member = await createUser(work, call.source(), call.body);
        return answerCreated(baseUrl, call, `/Users/${member.user_id}`, view(member));
      },
    }),
    defineRoute('GET /scim/v2/Users/{id}', {
      ...user,
      operationId: 'getScimUser',
      summary: 'Get a user',
      description: 'Choose attributes with `attributes` or `excludedAttributes`.',
      errors: ['invalidValue'],
      async handle(call) {
        const view = createView(call);
        return view(requireUser(await findMember(database.kysely, call.principal.tenantId, call.params.id)));
      },
    }),
    defineRoute('PATCH /scim/v2/Users/{id}', {
      ...user,
      operationId: 'patchScimUser',
      summary: 'Suspend or reactivate a user, or change the role',
      description:
        'Accepts `replace` of `active` or `roles`. A suspended user cannot sign in, and their sessions end immediately. With the setting `scimCompatibility: "extended"` it also accepts a `replace` without path, and skips unsupported operations if `active` is replaced too; `active: true` then does not revert a removal from a role group.',
      body: PatchBody,
      errors: ['invalidPath', 'invalidSyntax', 'invalidValue', 'mutability'],
      change: changeBy(patchUser),
    }),
    defineRoute('PUT /scim/v2/Users/{id}', {
      ...user,
      operationId: 'replaceScimUser',
      summary: 'Replace a user, if the tenant allows it',
      description:
        'Needs the setting `scimCompatibility: "extended"`; else it returns 501. Sets active, roles, name and externalId; omitted attributes keep their values. `active: true` reverts `active: false`, but not a removal from a role group.',
      body: UserBody,
      errors: ['invalidSyntax', 'invalidValue', 'mutability', 'not_implemented'],
      change: changeBy(replaceUser),
    }),
    defineRoute('DELETE /scim/v2/Users/{id}', {
      ...user,
      operationId: 'deleteScimUser',
      summary: 'Remove a user from the tenant',
      description: 'The person and the history stay.',
      result: z.null(),
      async change(call, work) {
        await deleteUser(work, call.source(), call.params.id);
        return null;
      },
    }),
  ];
}

/** The operations on the role groups of a tenant (spec.md "SCIM 2.0"). */
export function scimGroupRoutes({ database, baseUrl }: ScimServices): readonly Route[] {
  /** As for users; the members of a group are read only if they are shown. */
  const createView = ({ query, client }: Call<unknown, ProjectionQuery>) => {
    const projection = readProjection(query, groupUrn);
    const locate = createLocate(baseUrl, client);
    return async (queries: Queries, tenant: Tenant, named: NamedGroup): Promise<ScimGroup> => {
      const members = projection.shows('members') ? await listGroupMembers(queries, tenant.id, named.role) : null;
      return projection.apply(presentGroup(named, members, tenant.createdAt, locate));
    };
  };
  const changeBy =
    (readSteps: (body: unknown, role: Role, map: GroupRoleMap) => readonly GroupStep[]) =>
    async (call: ProjectedCall<{ readonly role: string }>, work: UnitOfWork) => {
      const view = createView(call);
      const { tenant, named } = await requireGroup(work.transaction, call);
      const steps = readSteps(call.body, named.role, mapOf(tenant));
      await changeGroup(work, call.source(), named.role, steps);
      return view(work.transaction, tenant, named);
    };

  return [
    defineRoute('GET /scim/v2/Groups', {
      ...common,
      operationId: 'listScimGroups',
      summary: 'List the role groups',
      description: 'One group for each role that can be assigned.',
      query: listQuery('One comparison: `displayName eq "…"` or `id eq "…"`.'),
      result: listOf(ScimGroup),
      errors: ['invalidFilter', 'invalidValue'],
      async handle(call) {
        const view = createView(call);
        const page = readPage(call.query);
        const tenant = await requireTenant(database.kysely, call.principal.tenantId);
        const groups = selectGroups(call.query.filter, mapOf(tenant));
        const shown: ScimGroup[] = [];
        for (const named of slicePage(groups, page)) shown.push(await view(database.kysely, tenant, named));
        return presentPage(shown, groups.length, page.startIndex);
      },
    }),
    defineRoute('POST /scim/v2/Groups', {
      ...creation,
      operationId: 'createScimGroup',
      summary: 'Find a role group by its name',
      description: 'Creates nothing, because the roles are fixed. Adds the given members to the group.',
      body: NewGroupBody,
      result: ScimGroup,
      errors: ['invalidSyntax', 'invalidValue', 'mutability'],
      async change(call, work) {
        const view = createView(call);
        const tenant = await requireTenant(work.transaction, call.principal.tenantId);
        const { members, ...named } = readNamedGroup(call.body, mapOf(tenant));
        const steps = members.length === 0 ? [] : [{ kind: 'add' as const, userIds: members }];
        await changeGroup(work, call.source(), named.role, steps);
        const shown = await view(work.transaction, tenant, named);
        return answerCreated(baseUrl, call, `/Groups/${named.role}`, shown);
      },
    }),
    defineRoute('GET /scim/v2/Groups/{role}', {
      ...group,
      operationId: 'getScimGroup',
      summary: 'Get a role group',
      description: 'By the role, or by a name that the tenant mapped to it.',
      errors: ['invalidValue'],
      async handle(call) {
        const view = createView(call);
        const { tenant, named } = await requireGroup(database.kysely, call);
        return view(database.kysely, tenant, named);
      },
    }),
    defineRoute('PUT /scim/v2/Groups/{role}', {
      ...group,
      operationId: 'replaceScimGroup',
      summary: 'Replace the members of a role group',
      description: 'Listed users get the role; other members of the group are suspended.',
      body: GroupBody,
      errors: ['invalidSyntax', 'invalidValue', 'mutability'],
      change: changeBy((body, role, map) => [{ kind: 'replace', userIds: readGroupReplacement(body, role, map) }]),
    }),
    defineRoute('PATCH /scim/v2/Groups/{role}', {
      ...group,
      operationId: 'patchScimGroup',
      summary: 'Add, remove or replace members of a role group',
      description:
        'Added users get the role; removed members are suspended. To move a member, add them to the other group.',
      body: PatchBody,
      errors: ['invalidFilter', 'invalidPath', 'invalidSyntax', 'invalidValue', 'mutability', 'noTarget'],
      change: changeBy((body, role, map) => readGroupPatch(readPatch(body), role, map)),
    }),
    defineRoute('DELETE /scim/v2/Groups/{role}', {
      ...group,
      operationId: 'deleteScimGroup',
      summary: 'Remove all members of a role group',
      description: 'Suspends all members of the group. The role and the users stay.',
      result: z.null(),
      async change(call, work) {
        const { named } = await requireGroup(work.transaction, call);
        await clearGroup(work, call.source(), named.role);
        return null;
      },
    }),
  ];
}

function answerCreated(baseUrl: string | null, { client }: Call, path: string, resource: object): ReadyAnswer {
  return new ReadyAnswer(201, scim.present(resource), { Location: createLocate(baseUrl, client)(path) });
}

async function findPage(
  queries: Queries,
  tenantId: string,
  filter: string | undefined,
  page: Page,
): Promise<MemberPage> {
  if (filter === undefined) return readMemberPage(queries, tenantId, page);
  const { attribute, value } = readFilter(filter, userUrn, ['userName', 'externalId']);
  if (attribute === 'externalid') return readMemberPage(queries, tenantId, page, value);
  // An invalid address matches no user: providers send one to test the connection.
  const email = normalizeEmail(value);
  const member = email === undefined ? undefined : await findMemberByEmail(queries, tenantId, email);
  const found = member === undefined ? [] : [member];
  return { members: slicePage(found, page), total: found.length };
}

function mapOf({ sso }: Tenant): GroupRoleMap {
  return sso.attributeMap.scimGroupRoleMap;
}

async function requireGroup(
  queries: Queries,
  call: PrincipalCall<{ readonly role: string }>,
): Promise<{ readonly tenant: Tenant; readonly named: NamedGroup }> {
  const tenant = await requireTenant(queries, call.principal.tenantId);
  const role = findGroup(call.params.role, mapOf(tenant));
  if (role === undefined) throw notFound('group');
  return { tenant, named: { role, displayName: nameGroup(role, mapOf(tenant)) } };
}

/** The groups that match a filter; one that is found by name has the displayName of the filter. */
function selectGroups(filter: string | undefined, map: GroupRoleMap): readonly NamedGroup[] {
  const all = roleIds.map((role) => ({ role, displayName: nameGroup(role, map) }));
  if (filter === undefined) return all;
  const { attribute, value } = readFilter(filter, groupUrn, ['displayName', 'id']);
  if (attribute === 'id') return all.filter(({ role }) => role === value);
  const role = findGroupByName(value, map);
  return role === undefined ? [] : [{ role, displayName: value }];
}
