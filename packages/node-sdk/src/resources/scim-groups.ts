import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { PageParams, ScimProjection } from '../types/values.ts';
import { get, patch, post, put, Resource, remove, scim } from './resource.ts';
import { patchUrn } from './scim-users.ts';

/** The schema that the bodies of groups name (RFC 7643 section 8.7). */
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/**
 * The role groups: one for each role, a closed set. `role` is a role, or the name of a group that the tenant mapped to
 * one. `projection` chooses what of a group comes back.
 */
export class ScimGroups extends Resource {
  /**
   * Lists the groups.
   * @param params `filter` is one `displayName eq "…"` or `id eq "…"`; `count` is 0 to 100, default 100.
   * @throws {BadRequestError} `invalidFilter` for any other filter, `invalidValue`.
   */
  list(
    params: Api.ListScimGroupsParams & Pick<PageParams, 'cursor'> = {},
    options?: ListOptions,
  ): PagePromise<Api.ScimGroup> {
    return this.api.list({ ...get('listScimGroups', '/scim/v2/Groups', {}, params), ...scim, page: 'scim' }, options);
  }

  /**
   * Finds the group with a name, and lets members join it. It creates nothing: roles are a closed set.
   * @throws {BadRequestError} `invalidValue` for an unknown name, and for an unknown member: nothing is changed then;
   *   `invalidSyntax`, `mutability`.
   */
  create(
    group: Omit<Api.ScimGroupInput, 'schemas'>,
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimGroup> {
    const operation = post('createScimGroup', '/scim/v2/Groups', {}, { schemas: [groupUrn], ...group });
    return this.api.request({ ...operation, ...scim, query: projection, idempotent: true }, options);
  }

  /**
   * Gets one group.
   * @throws {NotFoundError} `not_found`, also for a role that cannot be given here.
   */
  retrieve(role: string, projection: ScimProjection = {}, options?: RequestOptions): ApiPromise<Api.ScimGroup> {
    const operation = get('getScimGroup', '/scim/v2/Groups/{role}', { role }, projection);
    return this.api.request({ ...operation, ...scim }, options);
  }

  /**
   * Replaces the members of a group. The named users get the role; members of the group who are not named are suspended.
   * @throws {BadRequestError} `invalidValue` for an unknown member, `mutability` for another name, `invalidSyntax`.
   */
  replace(
    role: string,
    group: Omit<Api.ScimGroupReplacement, 'schemas'>,
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimGroup> {
    const operation = put('replaceScimGroup', '/scim/v2/Groups/{role}', { role }, { schemas: [groupUrn], ...group });
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /**
   * Adds, removes or replaces members of a group. Added users get the role; users who are removed from their group are
   * suspended. To move a user, add them to the other group.
   * @param operations at least one: `add` or `replace` of `members` with a list of `{ value: userId }`, or `remove` of
   *   `members[value eq "…"]`.
   * @throws {BadRequestError} `invalidPath`, `invalidFilter`, `invalidValue`, `invalidSyntax`, `noTarget`, `mutability`.
   */
  patch(
    role: string,
    operations: readonly Api.ScimPatchOperation[],
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimGroup> {
    const body = { schemas: [patchUrn], Operations: operations };
    const operation = patch('patchScimGroup', '/scim/v2/Groups/{role}', { role }, body);
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /** Removes all members from a group: they are suspended. The role and the users are kept. */
  clear(role: string, options?: RequestOptions): ApiPromise<void> {
    const operation = remove('deleteScimGroup', '/scim/v2/Groups/{role}', { role });
    return this.api.request({ ...operation, ...scim, answer: 'none' }, options);
  }
}
