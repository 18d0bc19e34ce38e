import type { ApiPromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, post, Resource, remove } from './resource.ts';

/**
 * The token that the identity provider of the tenant comes with. Reading needs the scope `keys:read`, the other methods
 * `keys:write`.
 */
export class ScimTokens extends Resource {
  /**
   * Gets the description of the tenant's token, without the token itself.
   * @throws {NotFoundError} `not_found` when the tenant has none.
   */
  retrieve(options?: RequestOptions): ApiPromise<Api.ScimToken> {
    return this.api.request(get('getScimToken', '/v1/scim-token'), options);
  }

  /**
   * Creates the token of the tenant; the previous one ends at once. A holder of the token can give any role, so the
   * caller needs every scope of an administrator.
   * @returns the token itself in `token`, which is shown only once.
   * @throws {PermissionError} `forbidden` when the caller lacks a scope of an administrator.
   */
  create(options?: RequestOptions): ApiPromise<Api.CreatedScimToken> {
    return this.api.request(post('createScimToken', '/v1/scim-token'), options);
  }

  /**
   * Revokes the token of the tenant.
   * @throws {NotFoundError} `not_found` when the tenant has none, also on a retry if an attempt whose response was lost
   *   revoked it.
   */
  revoke(options?: RequestOptions): ApiPromise<Api.ScimToken> {
    return this.api.request(remove('revokeScimToken', '/v1/scim-token'), options);
  }
}
