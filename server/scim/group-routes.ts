import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { notFound } from '../http/problem.ts';
import { type Call, defineRoute, type PrincipalCall, ReadyAnswer, type Route } from '../http/route.ts';
import { listGroupMembers } from '../identity/membership-store.ts';
import { type Role, roleIds } from '../principal/roles.ts';
import type { Queries } from '../storage/database.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type ProjectionQuery, projectionQuery, readProjection } from './attributes.ts';
import { readFilter } from './filter.ts';
import {
  findGroup,
  findGroupByName,
  type GroupRoleMap,
  groupUrn,
  nameGroup,
  presentGroup,
  ScimGroup,
} from './group.ts';
import { GroupBody, NewGroupBody, readGroupReplacement, readNamedGroup } from './group-body.ts';
import { changeGroup, clearGroup } from './group-changes.ts';
import { readGroupPatch } from './group-patch.ts';
import { listOf, pageQuery, presentPage, readPage, slicePage } from './list.ts';
import { createLocate } from './location.ts';
import { PatchBody, readPatch } from './patch.ts';
import { queryOf } from './query.ts';
import { readTenant, type ScimServices } from './services.ts';
import { scim } from './surface.ts';

const GroupParams = z.strictObject({
  role: z.string().meta({ description: `One of ${roleIds.join(', ')}, or a name that the tenant mapped to one.` }),
});
const GroupQuery = queryOf(projectionQuery);

/** A group and what it is called in an answer. */
interface NamedGroup {
  readonly role: Role;
  readonly displayName: string;
}

/** The operations on the role groups of a tenant (spec.md "SCIM 2.0"). */
export function scimGroupRoutes(services: ScimServices): readonly Route[] {
  const { database, hasher, baseUrl } = services;

  /** How the groups of a call look. What is wrong with the request is found before anything is changed. */
  const createView = ({ query, client }: Call<unknown, ProjectionQuery>) => {
    const projection = readProjection(query, groupUrn);
    const locate = createLocate(baseUrl, client);
    return async (queries: Queries, tenant: Tenant, { role, displayName }: NamedGroup): Promise<ScimGroup> => {
      const members = projection.shows('members') ? await listGroupMembers(queries, tenant.id, role) : null;
      return projection.apply(presentGroup({ role, displayName, members, created: tenant.createdAt }, locate));
    };
  };

  return [
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'GET',
      path: '/scim/v2/Groups',
      operationId: 'listScimGroups',
      tag: 'SCIM',
      summary: 'List the role groups',
      description: 'One group for each role that can be assigned.',
      query: queryOf({
        filter: z.string().optional().meta({ description: 'One comparison: `displayName eq "…"` or `id eq "…"`.' }),
        ...pageQuery,
        ...projectionQuery,
      }),
      status: 200,
      result: listOf(ScimGroup),
      errors: ['invalidFilter', 'invalidValue'],
      async handle(call) {
        const view = createView(call);
        const page = readPage(call.query);
        const tenant = await readTenant(database.kysely, call);
        const groups = selectGroups(call.query.filter, mapOf(tenant));
        const shown: ScimGroup[] = [];
        for (const group of slicePage(groups, page)) shown.push(await view(database.kysely, tenant, group));
        return presentPage(shown, groups.length, page);
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'POST',
      path: '/scim/v2/Groups',
      operationId: 'createScimGroup',
      tag: 'SCIM',
      summary: 'Find the role group with a name',
      description: 'Creates nothing: roles are a closed set. Members who are given join the group.',
      query: GroupQuery,
      body: NewGroupBody,
      status: 201,
      result: ScimGroup,
      errors: ['invalidSyntax', 'invalidValue', 'mutability'],
      async change(call, work) {
        const view = createView(call);
        const tenant = await readTenant(work.transaction, call);
        const { members, ...group } = readNamedGroup(call.body, mapOf(tenant));
        const steps = members.length === 0 ? [] : [{ kind: 'add' as const, userIds: members }];
        await changeGroup(work, callSource(call, hasher), group.role, steps);
        const location = createLocate(baseUrl, call.client)(`/Groups/${group.role}`);
        const shown = await view(work.transaction, tenant, group);
        return new ReadyAnswer(201, scim.present(shown), { Location: location });
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'GET',
      path: '/scim/v2/Groups/{role}',
      operationId: 'getScimGroup',
      tag: 'SCIM',
      summary: 'Get one role group',
      description: 'By the role, or by the name that the tenant mapped to it.',
      params: GroupParams,
      query: GroupQuery,
      status: 200,
      result: ScimGroup,
      errors: ['invalidValue'],
      async handle(call) {
        const view = createView(call);
        const { tenant, group } = await requireGroup(database.kysely, call);
        return view(database.kysely, tenant, group);
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'PUT',
      path: '/scim/v2/Groups/{role}',
      operationId: 'replaceScimGroup',
      tag: 'SCIM',
      summary: 'Replace the members of a role group',
      description: 'Whoever is named gets the role; whoever was in the group and is not named is suspended.',
      params: GroupParams,
      query: GroupQuery,
      body: GroupBody,
      status: 200,
      result: ScimGroup,
      errors: ['invalidSyntax', 'invalidValue', 'mutability'],
      async change(call, work) {
        const view = createView(call);
        const { tenant, group } = await requireGroup(work.transaction, call);
        const userIds = readGroupReplacement(call.body, group.role, mapOf(tenant));
        await changeGroup(work, callSource(call, hasher), group.role, [{ kind: 'replace', userIds }]);
        return view(work.transaction, tenant, group);
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'PATCH',
      path: '/scim/v2/Groups/{role}',
      operationId: 'patchScimGroup',
      tag: 'SCIM',
      summary: 'Add, remove or replace members of a role group',
      description:
        'Whoever is added gets the role; whoever is removed from their group is suspended. To move somebody, add them to the other group.',
      params: GroupParams,
      query: GroupQuery,
      body: PatchBody,
      status: 200,
      result: ScimGroup,
      errors: ['invalidFilter', 'invalidPath', 'invalidSyntax', 'invalidValue', 'mutability', 'noTarget'],
      async change(call, work) {
        const view = createView(call);
        const { tenant, group } = await requireGroup(work.transaction, call);
        const steps = readGroupPatch(readPatch(call.body), group.role, mapOf(tenant));
        await changeGroup(work, callSource(call, hasher), group.role, steps);
        return view(work.transaction, tenant, group);
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'DELETE',
      path: '/scim/v2/Groups/{role}',
      operationId: 'deleteScimGroup',
      tag: 'SCIM',
      summary: 'Remove all members of a role group',
      description: 'Suspends all members of the group. The role stays, and so do the people.',
      params: GroupParams,
      query: GroupQuery,
      status: 204,
      result: z.null(),
      async change(call, work) {
        const { group } = await requireGroup(work.transaction, call);
        await clearGroup(work, callSource(call, hasher), group.role);
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
  const tenant = await readTenant(queries, call);
  const role = findGroup(call.params.role, mapOf(tenant));
  if (role === undefined) throw notFound('group');
  return { tenant, group: { role, displayName: nameGroup(role, mapOf(tenant)) } };
}

/** The groups that a filter finds, called as they were asked for. */
function selectGroups(filter: string | undefined, map: GroupRoleMap): readonly NamedGroup[] {
  if (filter === undefined) return roleIds.map((role) => ({ role, displayName: nameGroup(role, map) }));
  const { attribute, value } = readFilter(filter, groupUrn, ['displayName', 'id']);
  if (attribute === 'id')
    return roleIds.filter((id) => id === value).map((role) => ({ role, displayName: nameGroup(role, map) }));
  const role = findGroupByName(value, map);
  return role === undefined ? [] : [{ role, displayName: value }];
}
