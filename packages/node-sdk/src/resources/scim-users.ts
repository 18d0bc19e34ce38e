import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { PageParams, ScimProjection } from '../types/values.ts';
import { get, patch, post, put, Resource, remove, scim } from './resource.ts';

/** The schemas that SCIM bodies name (RFC 7643 section 8.7, RFC 7644 section 3.5.2). */
const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The members of the tenant as an identity provider sees them. `projection` chooses what of them comes back. */
export class ScimUsers extends Resource {
  /**
   * Lists users, in the order of their ids.
   * @param params `filter` is one `userName eq "…"` or `externalId eq "…"`; `count` is 0 to 100, default 100.
   * @throws {BadRequestError} `invalidFilter` for any other filter, `invalidValue`.
   */
  list(
    params: Api.ListScimUsersParams & Pick<PageParams, 'cursor'> = {},
    options?: ListOptions,
  ): PagePromise<Api.ScimUser> {
    return this.api.list({ ...get('listScimUsers', '/scim/v2/Users', {}, params), ...scim, page: 'scim' }, options);
  }

  /**
   * Makes a person a member. A former member comes back under the same id.
   * @throws {ConflictError} `uniqueness` when the person is a member already.
   * @throws {BadRequestError} `invalidValue`, `invalidSyntax`.
   */
  create(
    user: Omit<Api.ScimUserInput, 'schemas'>,
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimUser> {
    const operation = post('createScimUser', '/scim/v2/Users', {}, { schemas: [userUrn], ...user });
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /** Gets one user. */
  retrieve(userId: string, projection: ScimProjection = {}, options?: RequestOptions): ApiPromise<Api.ScimUser> {
    const operation = get('getScimUser', '/scim/v2/Users/{id}', { id: userId }, projection);
    return this.api.request({ ...operation, ...scim }, options);
  }

  /**
   * Suspends a user, makes them active again, or changes their role.
   * @param operations at least one `replace` of `active` (a boolean) or `roles` (a list of `{ value }`), such as
   *   `{ op: 'replace', path: 'active', value: false }`. A tenant with `scimCompatibility: 'extended'` takes more.
   * @throws {BadRequestError} `invalidPath` for any other operation or path, `invalidValue`, `invalidSyntax`, `mutability`.
   */
  patch(
    userId: string,
    operations: readonly Api.ScimPatchOperation[],
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimUser> {
    const body = { schemas: [patchUrn], Operations: operations };
    const operation = patch('patchScimUser', '/scim/v2/Users/{id}', { id: userId }, body);
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /**
   * Sets active, roles, name and externalId; what is left out stays. Only where the tenant has
   * `scimCompatibility: 'extended'`.
   * @throws {ServerError} 501 where it does not.
   * @throws {BadRequestError} `mutability` for another userName, `invalidValue`, `invalidSyntax`.
   */
  replace(
    userId: string,
    user: Omit<Api.ScimUserInput, 'schemas'>,
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimUser> {
    const operation = put('replaceScimUser', '/scim/v2/Users/{id}', { id: userId }, { schemas: [userUrn], ...user });
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /** Takes a user out of the tenant. The person and the history stay. */
  delete(userId: string, options?: RequestOptions): ApiPromise<void> {
    const operation = remove('deleteScimUser', '/scim/v2/Users/{id}', { id: userId });
    return this.api.request({ ...operation, ...scim, answer: 'none' }, options);
  }
}
