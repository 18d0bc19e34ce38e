import { z } from 'zod';
import { notFound } from '../http/problem.ts';
import { type Call, defineRoute, type PrincipalCall, type Route } from '../http/route.ts';
import { ReadyAnswer } from '../http/surface.ts';
import { listGroupMembers } from '../identity/membership-store.ts';
import { roleIds } from '../principal/roles.ts';
import type { Queries } from '../storage/database.ts';
import { requireTenant } from '../tenants/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { changeGroup, clearGroup } from './changes.ts';
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
import { PatchBody, readGroupPatch, readPatch } from './patch.ts';
import {
  listOf,
  listQuery,
  type ProjectionQuery,
  presentPage,
  projectionQuery,
  queryOf,
  readFilter,
  readPage,
  readProjection,
  slicePage,
} from './query.ts';
import { createLocate, scim } from './surface.ts';
import type { ScimServices } from './user-routes.ts';

const GroupParams = z.strictObject({
  role: z.string().meta({ description: `One of ${roleIds.join(', ')}, or a name that the tenant mapped to a role.` }),
});
const GroupQuery = queryOf(projectionQuery);

/** The operations on the role groups of a tenant (spec.md "SCIM 2.0"). */
export function scimGroupRoutes({ database, baseUrl }: ScimServices): readonly Route[] {
  /** Checks the query and the Host of a call, before any change, and returns what presents its groups. */
  const createView = ({ query, client }: Call<unknown, ProjectionQuery>) => {
    const projection = readProjection(query, groupUrn);
    const locate = createLocate(baseUrl, client);
    return async (queries: Queries, tenant: Tenant, group: NamedGroup): Promise<ScimGroup> => {
      const members = projection.shows('members') ? await listGroupMembers(queries, tenant.id, group.role) : null;
      return projection.apply(presentGroup(group, members, tenant.createdAt, locate));
    };
  };

  const common = { auth: 'scim', surface: scim, tag: 'SCIM' } as const;
  const one = { ...common, params: GroupParams, query: GroupQuery, result: ScimGroup } as const;

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
        for (const group of slicePage(groups, page)) shown.push(await view(database.kysely, tenant, group));
        return presentPage(shown, groups.length, page.startIndex);
      },
    }),
    defineRoute('POST /scim/v2/Groups', {
      ...common,
      operationId: 'createScimGroup',
      summary: 'Find a role group by its name',
      description: 'Creates nothing, because the roles are fixed. Adds the given members to the group.',
      query: GroupQuery,
      body: NewGroupBody,
      status: 201,
      result: ScimGroup,
      errors: ['invalidSyntax', 'invalidValue', 'mutability'],
      async change(call, work) {
        const view = createView(call);
        const tenant = await requireTenant(work.transaction, call.principal.tenantId);
        const { members, ...group } = readNamedGroup(call.body, mapOf(tenant));
        const steps = members.length === 0 ? [] : [{ kind: 'add' as const, userIds: members }];
        await changeGroup(work, call.source(), group.role, steps);
        const location = createLocate(baseUrl, call.client)(`/Groups/${group.role}`);
        const shown = await view(work.transaction, tenant, group);
        return new ReadyAnswer(201, scim.present(shown), { Location: location });
      },
    }),
    defineRoute('GET /scim/v2/Groups/{role}', {
      ...one,
      operationId: 'getScimGroup',
      summary: 'Get a role group',
      description: 'By the role, or by a name that the tenant mapped to it.',
      errors: ['invalidValue'],
      async handle(call) {
        const view = createView(call);
        const { tenant, group } = await requireGroup(database.kysely, call);
        return view(database.kysely, tenant, group);
      },
    }),
    defineRoute('PUT /scim/v2/Groups/{role}', {
      ...one,
      operationId: 'replaceScimGroup',
      summary: 'Replace the members of a role group',
      description: 'Listed users get the role; other members of the group are suspended.',
      body: GroupBody,
      errors: ['invalidSyntax', 'invalidValue', 'mutability'],
      async change(call, work) {
        const view = createView(call);
        const { tenant, group } = await requireGroup(work.transaction, call);
        const userIds = readGroupReplacement(call.body, group.role, mapOf(tenant));
        await changeGroup(work, call.source(), group.role, [{ kind: 'replace', userIds }]);
        return view(work.transaction, tenant, group);
      },
    }),
    defineRoute('PATCH /scim/v2/Groups/{role}', {
      ...one,
      operationId: 'patchScimGroup',
      summary: 'Add, remove or replace members of a role group',
      description:
        'Added users get the role; removed members are suspended. To move a member, add them to the other group.',
      body: PatchBody,
      errors: ['invalidFilter', 'invalidPath', 'invalidSyntax', 'invalidValue', 'mutability', 'noTarget'],
      async change(call, work) {
        const view = createView(call);
        const { tenant, group } = await requireGroup(work.transaction, call);
        const steps = readGroupPatch(readPatch(call.body), group.role, mapOf(tenant));
        await changeGroup(work, call.source(), group.role, steps);
        return view(work.transaction, tenant, group);
      },
    }),
    defineRoute('DELETE /scim/v2/Groups/{role}', {
      ...one,
      operationId: 'deleteScimGroup',
      summary: 'Remove all members of a role group',
      description: 'Suspends all members of the group. The role and the users stay.',
      result: z.null(),
      async change(call, work) {
        const { group } = await requireGroup(work.transaction, call);
        await clearGroup(work, call.source(), group.role);
        return null;
      },
    }),
  ];
}

function mapOf({ settings }: Tenant): GroupRoleMap {
  return settings.sso.attributeMap.scimGroupRoleMap;
}

async function requireGroup(
  queries: Queries,
  call: PrincipalCall<{ readonly role: string }>,
): Promise<{ readonly tenant: Tenant; readonly group: NamedGroup }> {
  const tenant = await requireTenant(queries, call.principal.tenantId);
  const role = findGroup(call.params.role, mapOf(tenant));
  if (role === undefined) throw notFound('group');
  return { tenant, group: { role, displayName: nameGroup(role, mapOf(tenant)) } };
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
