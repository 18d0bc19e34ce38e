import type { ApiPromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, patch, Resource } from './resource.ts';

/** The tenant that the credentials belong to, or that `Svc-Tenant` names. */
export class TenantSettings extends Resource {
  /** Gets the tenant and its settings. Needs the scope `users:read`. */
  retrieve(options?: RequestOptions): ApiPromise<Api.Tenant> {
    return this.api.request(get('getTenant', '/v1/tenant'), options);
  }

  /**
   * Gets what waits for the caller: what is open, overdue or failing, and the first steps of a new tenant. Needs the
   * scope `members:read`, which every role has; a part whose own scope the caller lacks is null.
   */
  overview(options?: RequestOptions): ApiPromise<Api.Overview> {
    return this.api.request(get('getOverview', '/v1/overview'), options);
  }

  /**
   * Changes the settings. Needs the scope `tenant:write`.
   * @param change what is left out stays as it is; `sso` is replaced whole.
   * @throws {PermissionError} `forbidden` for a role, as the default or for a group, with scopes that the caller lacks.
   */
  update(change: Api.TenantChange, options?: RequestOptions): ApiPromise<Api.Tenant> {
    return this.api.request(patch('editTenant', '/v1/tenant', {}, change), options);
  }
}
