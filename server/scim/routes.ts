import { z } from 'zod';
import { ReadyAnswer } from '../http/answer.ts';
import { type Call, defineRoute, type PrincipalCall, type Route, type RouteText } from '../http/route.ts';
import type { MembershipRow } from '../identity/membership.ts';
import { listGroupMembers } from '../identity/membership-store.ts';
import type { Installation } from '../installation/installation.ts';
import { roleIds } from '../principal/roles.ts';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { groupChanges, type ResourceChanges, userChanges } from './changes.ts';
import { discoveryRoutes } from './discovery.ts';
import { GroupBody, groupUrn, type NamedGroup, NewGroupBody, presentGroup, ScimGroup } from './group.ts';
import { PatchBody } from './patch.ts';
import {
  listOf,
  listQuery,
  type ProjectionQuery,
  presentPage,
  ResourceQuery,
  readPage,
  readProjection,
} from './query.ts';
import { groupQueries, type ResourceQueries, userQueries } from './store.ts';
import { createLocate, scim } from './surface.ts';
import { presentUser, ScimUser, UserBody, userUrn } from './user.ts';

interface ScimServices extends Pick<Installation, 'database'> {
  /** The public address of this server, for locations; null to use the Host header. */
  readonly baseUrl: string | null;
}

/** Every operation of SCIM 2.0 (RFC 7644) in spec.md "SCIM 2.0", and discovery. */
export function scimRoutes(services: ScimServices): readonly Route[] {
  return [...discoveryRoutes(services), ...resourceRoutes(services, users), ...resourceRoutes(services, groups)];
}

interface OperationText extends Pick<RouteText, 'operationId' | 'summary' | 'description' | 'errors'> {
  readonly body?: z.ZodType;
}

/** A type of resource: its operations have the same form for all. */
interface ResourceType<Item, Shown extends object> extends ResourceQueries<Item>, ResourceChanges<Item> {
  readonly urn: string;
  /** Below the base of the surface. */
  readonly path: string;
  readonly result: z.ZodType<Shown>;
  /** The parameter of the path, and its schema. */
  readonly parameter: readonly [string, z.ZodString];
  readonly filters: string;
  /** The operations in the order of the documentation. */
  readonly operations: Readonly<Record<'list' | 'create' | 'get' | 'patch' | 'replace' | 'delete', OperationText>>;
  idOf(item: Item): string;
  /** @param shows whether an attribute is part of the response; others need not be read. */
  present(queries: Queries, item: Item, location: string, shows: (attribute: string) => boolean): Promise<Shown>;
}

const users: ResourceType<MembershipRow, ScimUser> = {
  urn: userUrn,
  path: '/Users',
  result: ScimUser,
  parameter: ['id', z.string()],
  filters: 'One comparison: `userName eq "…"` or `externalId eq "…"`.',
  operations: {
    list: {
      operationId: 'listScimUsers',
      summary: 'List users, ordered by id',
      description: 'At most 100 on a page. The only filters are `eq` on `userName` and on `externalId`.',
      errors: ['invalidFilter', 'invalidValue'],
    },
    create: {
      operationId: 'createScimUser',
      summary: 'Provision a user',
      description: 'A former member keeps the same id. The user can sign in after accepting an invitation.',
      body: UserBody,
      errors: ['invalidSyntax', 'invalidValue', 'uniqueness'],
    },
    get: {
      operationId: 'getScimUser',
      summary: 'Get a user',
      description: 'Choose attributes with `attributes` or `excludedAttributes`.',
      errors: ['invalidValue'],
    },
    patch: {
      operationId: 'patchScimUser',
      summary: 'Suspend or reactivate a user, or change the role',
      description:
        'Accepts `replace` of `active` or `roles`. A suspended user cannot sign in, and their sessions end immediately. With the setting `scimCompatibility: "extended"` it also accepts a `replace` without path, and skips unsupported operations if `active` is replaced too; `active: true` then does not revert a removal from a role group.',
      body: PatchBody,
      errors: ['invalidPath', 'invalidSyntax', 'invalidValue', 'mutability'],
    },
    replace: {
      operationId: 'replaceScimUser',
      summary: 'Replace a user, if the tenant allows it',
      description:
        'Needs the setting `scimCompatibility: "extended"`; else it returns 501. Sets active, roles, name and externalId; omitted attributes keep their values. `active: true` reverts `active: false`, but not a removal from a role group.',
      body: UserBody,
      errors: ['invalidSyntax', 'invalidValue', 'mutability', 'not_implemented'],
    },
    delete: {
      operationId: 'deleteScimUser',
      summary: 'Remove a user from the tenant',
      description: 'The person and the history stay.',
    },
  },
  idOf: ({ user_id }) => user_id,
  present: async (_, member, location) => presentUser(member, location),
  ...userQueries,
  ...userChanges,
};

const groups: ResourceType<NamedGroup, ScimGroup> = {
  urn: groupUrn,
  path: '/Groups',
  result: ScimGroup,
  parameter: [
    'role',
    z.string().meta({ description: `One of ${roleIds.join(', ')}, or a name that the tenant mapped to a role.` }),
  ],
  filters: 'One comparison: `displayName eq "…"` or `id eq "…"`.',
  operations: {
    list: {
      operationId: 'listScimGroups',
      summary: 'List the role groups',
      description: 'One group for each role that can be assigned.',
      errors: ['invalidFilter', 'invalidValue'],
    },
    create: {
      operationId: 'createScimGroup',
      summary: 'Find a role group by its name',
      description: 'Creates nothing, because the roles are fixed. Adds the given members to the group.',
      body: NewGroupBody,
      errors: ['invalidSyntax', 'invalidValue', 'mutability'],
    },
    get: {
      operationId: 'getScimGroup',
      summary: 'Get a role group',
      description: 'By the role, or by a name that the tenant mapped to it.',
      errors: ['invalidValue'],
    },
    replace: {
      operationId: 'replaceScimGroup',
      summary: 'Replace the members of a role group',
      description: 'Listed users get the role; other members of the group are suspended.',
      body: GroupBody,
      errors: ['invalidSyntax', 'invalidValue', 'mutability'],
    },
    patch: {
      operationId: 'patchScimGroup',
      summary: 'Add, remove or replace members of a role group',
      description:
        'Added users get the role; removed members are suspended. To move a member, add them to the other group.',
      body: PatchBody,
      errors: ['invalidFilter', 'invalidPath', 'invalidSyntax', 'invalidValue', 'mutability', 'noTarget'],
    },
    delete: {
      operationId: 'deleteScimGroup',
      summary: 'Remove all members of a role group',
      description: 'Suspends all members of the group. The role and the users stay.',
    },
  },
  idOf: ({ role }) => role,
  async present(queries, group, location, shows) {
    const members = shows('members') ? await listGroupMembers(queries, group.tenant.id, group.role) : null;
    return presentGroup(group, members, location);
  },
  ...groupQueries,
  ...groupChanges,
};

function resourceRoutes<Item, Shown extends object>(
  { database, baseUrl }: ScimServices,
  type: ResourceType<Item, Shown>,
): readonly Route[] {
  const [parameter, Parameter] = type.parameter;
  const common = { auth: 'scim', surface: scim, tag: 'SCIM', query: ResourceQuery } as const;
  const all = { ...common, result: type.result } as const;
  const one = { ...all, params: z.strictObject({ [parameter]: Parameter }) } as const;
  const path = scim.base + type.path;
  const address = `${path}/{${parameter}}`;
  const idOf = ({ params }: Call<Readonly<Record<string, string>>>) => params[parameter] as string;
  /** Checks the query and the Host of a call, before any change, and returns what presents its resources. */
  const openView = ({ query, client }: Call<unknown, ProjectionQuery>) => {
    const projection = readProjection(query, type.urn);
    const locate = createLocate(baseUrl, client);
    return async (queries: Queries, item: Item) => {
      const location = locate(`${type.path}/${type.idOf(item)}`);
      const shown = await type.present(queries, item, location, projection.shows);
      return { location, shown: projection.apply(shown) };
    };
  };
  const changeBy =
    (change: ResourceChanges<Item>['patch']) =>
    async (call: PrincipalCall<Readonly<Record<string, string>>, ProjectionQuery>, work: UnitOfWork) => {
      const view = openView(call);
      const item = await change(work, call.source(), idOf(call), call.body);
      return (await view(work.transaction, item)).shown;
    };
  const routes: Readonly<Record<keyof typeof type.operations, (text: OperationText) => Route>> = {
    list: (text) =>
      defineRoute(`GET ${path}`, {
        ...common,
        ...text,
        query: listQuery(type.filters),
        result: listOf(type.result),
        async handle(call) {
          const view = openView(call);
          const page = readPage(call.query);
          const { tenantId } = call.principal;
          const { items, total } = await type.list(database.kysely, tenantId, call.query.filter, page);
          const shown: Shown[] = [];
          for (const item of items) shown.push((await view(database.kysely, item)).shown);
          return presentPage(shown, total, page.startIndex);
        },
      }),
    create: (text) =>
      defineRoute(`POST ${path}`, {
        ...all,
        ...text,
        status: 201,
        async change(call, work) {
          const view = openView(call);
          const item = await type.create(work, call.source(), call.body);
          const { location, shown } = await view(work.transaction, item);
          return new ReadyAnswer(201, scim.present(shown), { Location: location });
        },
      }),
    get: (text) =>
      defineRoute(`GET ${address}`, {
        ...one,
        ...text,
        async handle(call) {
          const view = openView(call);
          const item = await type.get(database.kysely, call.principal.tenantId, idOf(call));
          return (await view(database.kysely, item)).shown;
        },
      }),
    patch: (text) => defineRoute(`PATCH ${address}`, { ...one, ...text, change: changeBy(type.patch) }),
    replace: (text) => defineRoute(`PUT ${address}`, { ...one, ...text, change: changeBy(type.replace) }),
    delete: (text) =>
      defineRoute(`DELETE ${address}`, {
        ...one,
        ...text,
        result: z.null(),
        async change(call, work) {
          await type.delete(work, call.source(), idOf(call));
          return null;
        },
      }),
  };
  const named = Object.entries(type.operations) as [keyof typeof routes, OperationText][];
  return named.map(([name, text]) => routes[name](text));
}
