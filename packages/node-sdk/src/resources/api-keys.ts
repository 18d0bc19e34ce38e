import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, page, post, Resource, remove } from './resource.ts';

/** The API keys of the tenant. Reading needs the scope `keys:read`, the other methods `keys:write`. */
export class ApiKeys extends Resource {
  /**
   * Lists the keys, newest first: those of the tenant, and those of other tenants that may act for it.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: Api.ListApiKeysParams = {}, options?: ListOptions): PagePromise<Api.ApiKey> {
    return this.api.list(page('listApiKeys', '/v1/api-keys', {}, params), options);
  }

  /**
   * Creates a key. It has no more rights than its creator.
   * @returns the key itself in `key`, which is shown only once.
   * @throws {PermissionError} `forbidden` for a scope that the caller lacks, or a tenant where it cannot create keys.
   */
  create(key: Api.ApiKeyInput, options?: RequestOptions): ApiPromise<Api.CreatedApiKey> {
    return this.api.request(post('createApiKey', '/v1/api-keys', {}, key), options);
  }

  /** Gets a key, without the key itself. */
  retrieve(keyId: string, options?: RequestOptions): ApiPromise<Api.ApiKey> {
    return this.api.request(get('getApiKey', '/v1/api-keys/{id}', { id: keyId }), options);
  }

  /**
   * Creates a key in place of another, with the same name, scopes, environment and tenants. The old one ends after the
   * overlap, never later than it would have ended anyway.
   * @returns the new key itself in `key`, which is shown only once.
   * @throws {ConflictError} `conflict` for a key that has ended or was rotated before.
   * @throws {PermissionError} `forbidden` for a key with scopes that the caller lacks.
   */
  rotate(keyId: string, rotation: Api.ApiKeyRotation = {}, options?: RequestOptions): ApiPromise<Api.CreatedApiKey> {
    return this.api.request(post('rotateApiKey', '/v1/api-keys/{id}/rotate', { id: keyId }, rotation), options);
  }

  /**
   * Revokes a key: its next request fails, and so does that of each of its access tokens. A key of another tenant goes
   * on working there; it no longer acts for this one. Nothing happens when it was revoked before.
   */
  revoke(keyId: string, options?: RequestOptions): ApiPromise<Api.ApiKey> {
    return this.api.request(remove('revokeApiKey', '/v1/api-keys/{id}', { id: keyId }), options);
  }
}
