import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { notFound } from '../http/problem.ts';
import { type Call, defineRoute, type PrincipalCall, ReadyAnswer, type Route } from '../http/route.ts';
import { normalizeEmail } from '../identity/email.ts';
import type { Membership } from '../identity/membership.ts';
import { findMember, findMemberByEmail } from '../identity/membership-store.ts';
import type { Queries } from '../storage/database.ts';
import { type ProjectionQuery, projectionQuery, readProjection } from './attributes.ts';
import { readFilter } from './filter.ts';
import { listOf, type Page, pageQuery, presentPage, readPage, slicePage } from './list.ts';
import { createLocate } from './location.ts';
import { PatchBody } from './patch.ts';
import { queryOf } from './query.ts';
import { readTenant, type ScimServices } from './services.ts';
import { type MemberPage, readMemberPage, readMemberPageByExternalId } from './store.ts';
import { scim } from './surface.ts';
import { presentUser, ScimUser, userUrn } from './user.ts';
import { UserBody } from './user-body.ts';
import { createUser, deleteUser, patchUser, replaceUser } from './user-changes.ts';

const UserParams = z.strictObject({ id: z.string() });
const UserQuery = queryOf(projectionQuery);

/** The operations on the users of a tenant (spec.md "SCIM 2.0"). */
export function scimUserRoutes(services: ScimServices): readonly Route[] {
  const { database, hasher, baseUrl } = services;

  /** How the users of a call look. What is wrong with the request is found before anything is changed. */
  const createView = ({ query, client }: Call<unknown, ProjectionQuery>) => {
    const projection = readProjection(query, userUrn);
    const locate = createLocate(baseUrl, client);
    return (member: Membership): ScimUser => projection.apply(presentUser(member, locate));
  };

  return [
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'GET',
      path: '/scim/v2/Users',
      operationId: 'listScimUsers',
      tag: 'SCIM',
      summary: 'List users, in the order of their ids',
      description: 'At most 100 on a page. The only filters are `eq` on `userName` and on `externalId`.',
      query: queryOf({
        filter: z
          .string()
          .optional()
          .meta({ description: 'One comparison: `userName eq "…"` or `externalId eq "…"`.' }),
        ...pageQuery,
        ...projectionQuery,
      }),
      status: 200,
      result: listOf(ScimUser),
      errors: ['invalidFilter', 'invalidValue'],
      async handle(call) {
        const view = createView(call);
        const page = readPage(call.query);
        const { members, total } = await findPage(database.kysely, call, page);
        return presentPage(members.map(view), total, page);
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'POST',
      path: '/scim/v2/Users',
      operationId: 'createScimUser',
      tag: 'SCIM',
      summary: 'Provision a user',
      description: 'Somebody who was a member before comes back under the same id. They sign in once they are invited.',
      query: UserQuery,
      body: UserBody,
      status: 201,
      result: ScimUser,
      errors: ['invalidSyntax', 'invalidValue', 'uniqueness'],
      async change(call, work) {
        const view = createView(call);
        const { settings } = await readTenant(work.transaction, call);
        const member = await createUser(work, callSource(call, hasher), settings, call.body);
        const location = createLocate(baseUrl, call.client)(`/Users/${member.userId}`);
        return new ReadyAnswer(201, scim.present(view(member)), { Location: location });
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'GET',
      path: '/scim/v2/Users/{id}',
      operationId: 'getScimUser',
      tag: 'SCIM',
      summary: 'Get one user',
      description: 'Choose attributes with `attributes` or `excludedAttributes`.',
      params: UserParams,
      query: UserQuery,
      status: 200,
      result: ScimUser,
      errors: ['invalidValue'],
      async handle(call) {
        const view = createView(call);
        const member = await findMember(database.kysely, call.principal.tenantId, call.params.id);
        if (member === undefined) throw notFound('user');
        return view(member);
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'PATCH',
      path: '/scim/v2/Users/{id}',
      operationId: 'patchScimUser',
      tag: 'SCIM',
      summary: 'Suspend a user, make them active again, or change their role',
      description:
        'Takes `replace` of `active` or `roles`. Whoever is suspended cannot sign in, and their sessions end at once. With the setting `scimCompatibility: "extended"` it also takes a `replace` without path, and skips what it does not support where `active` is replaced too; `active: true` then puts nobody back into a role group that they were removed from.',
      params: UserParams,
      query: UserQuery,
      body: PatchBody,
      status: 200,
      result: ScimUser,
      errors: ['invalidPath', 'invalidSyntax', 'invalidValue', 'mutability'],
      async change(call, work) {
        const view = createView(call);
        const { settings } = await readTenant(work.transaction, call);
        return view(await patchUser(work, callSource(call, hasher), settings, call.params.id, call.body));
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'PUT',
      path: '/scim/v2/Users/{id}',
      operationId: 'replaceScimUser',
      tag: 'SCIM',
      summary: 'Not supported, unless the tenant allows it',
      description:
        'With the setting `scimCompatibility: "extended"` it sets active, roles, name and externalId; what is left out stays. `active: true` takes back an `active: false`, but does not put anybody back into a role group that they were removed from.',
      params: UserParams,
      query: UserQuery,
      body: UserBody,
      status: 200,
      result: ScimUser,
      errors: ['invalidSyntax', 'invalidValue', 'mutability', 'not_implemented'],
      async change(call, work) {
        const view = createView(call);
        const { settings } = await readTenant(work.transaction, call);
        return view(await replaceUser(work, callSource(call, hasher), settings, call.params.id, call.body));
      },
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'DELETE',
      path: '/scim/v2/Users/{id}',
      operationId: 'deleteScimUser',
      tag: 'SCIM',
      summary: 'Remove a user from the tenant',
      description: 'The person and the history stay.',
      params: UserParams,
      query: UserQuery,
      status: 204,
      result: z.null(),
      async change(call, work) {
        await deleteUser(work, callSource(call, hasher), call.params.id);
        return null;
      },
    }),
  ];
}

async function findPage(
  queries: Queries,
  { query, principal: { tenantId } }: PrincipalCall<unknown, { readonly filter?: string | undefined }>,
  page: Page,
): Promise<MemberPage> {
  if (query.filter === undefined) return readMemberPage(queries, tenantId, page);
  const { attribute, value } = readFilter(query.filter, userUrn, ['userName', 'externalId']);
  if (attribute === 'externalid') return readMemberPageByExternalId(queries, tenantId, value, page);
  // What is no e-mail address is nobody's: a provider that tests the connection asks for such a one.
  const email = normalizeEmail(value);
  const member = email === undefined ? undefined : await findMemberByEmail(queries, tenantId, email);
  const found = member === undefined ? [] : [member];
  return { members: slicePage(found, page), total: found.length };
}
