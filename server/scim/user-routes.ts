import { z } from 'zod';
import { type Call, defineRoute, type Route } from '../http/route.ts';
import { ReadyAnswer } from '../http/surface.ts';
import { normalizeEmail } from '../identity/email.ts';
import type { Membership } from '../identity/membership.ts';
import { findMember, findMemberByEmail } from '../identity/membership-store.ts';
import type { Installation } from '../installation/installation.ts';
import type { Queries } from '../storage/database.ts';
import { createUser, deleteUser, patchUser, replaceUser, requireUser } from './changes.ts';
import { PatchBody } from './patch.ts';
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

const UserParams = z.strictObject({ id: z.string() });
const UserQuery = queryOf(projectionQuery);

/** The operations on the users of a tenant (spec.md "SCIM 2.0"). */
export function scimUserRoutes({ database, baseUrl }: ScimServices): readonly Route[] {
  /** Checks the query and the Host of a call, before any change, and returns what presents its users. */
  const createView = ({ query, client }: Call<unknown, ProjectionQuery>) => {
    const projection = readProjection(query, userUrn);
    const locate = createLocate(baseUrl, client);
    return (member: Membership): ScimUser => projection.apply(presentUser(member, locate));
  };

  const common = { auth: 'scim', surface: scim, tag: 'SCIM' } as const;
  const one = { ...common, params: UserParams, query: UserQuery, result: ScimUser } as const;

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
        const { tenantId } = call.principal;
        const { members, total } = await findPage(database.kysely, tenantId, call.query.filter, page);
        return presentPage(members.map(view), total, page.startIndex);
      },
    }),
    defineRoute('POST /scim/v2/Users', {
      ...common,
      operationId: 'createScimUser',
      summary: 'Provision a user',
      description: 'A former member keeps the same id. The user can sign in after accepting an invitation.',
      query: UserQuery,
      body: UserBody,
      status: 201,
      result: ScimUser,
      errors: ['invalidSyntax', 'invalidValue', 'uniqueness'],
      async change(call, work) {
        const view = createView(call);
        const member = await createUser(work, call.source(), call.body);
        const location = createLocate(baseUrl, call.client)(`/Users/${member.userId}`);
        return new ReadyAnswer(201, scim.present(view(member)), { Location: location });
      },
    }),
    defineRoute('GET /scim/v2/Users/{id}', {
      ...one,
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
      ...one,
      operationId: 'patchScimUser',
      summary: 'Suspend or reactivate a user, or change the role',
      description:
        'Accepts `replace` of `active` or `roles`. A suspended user cannot sign in, and their sessions end immediately. With the setting `scimCompatibility: "extended"` it also accepts a `replace` without path, and skips unsupported operations if `active` is replaced too; `active: true` then does not revert a removal from a role group.',
      body: PatchBody,
      errors: ['invalidPath', 'invalidSyntax', 'invalidValue', 'mutability'],
      async change(call, work) {
        const view = createView(call);
        return view(await patchUser(work, call.source(), call.params.id, call.body));
      },
    }),
    defineRoute('PUT /scim/v2/Users/{id}', {
      ...one,
      operationId: 'replaceScimUser',
      summary: 'Replace a user, if the tenant allows it',
      description:
        'Needs the setting `scimCompatibility: "extended"`; else it returns 501. Sets active, roles, name and externalId; omitted attributes keep their values. `active: true` reverts `active: false`, but not a removal from a role group.',
      body: UserBody,
      errors: ['invalidSyntax', 'invalidValue', 'mutability', 'not_implemented'],
      async change(call, work) {
        const view = createView(call);
        return view(await replaceUser(work, call.source(), call.params.id, call.body));
      },
    }),
    defineRoute('DELETE /scim/v2/Users/{id}', {
      ...one,
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
