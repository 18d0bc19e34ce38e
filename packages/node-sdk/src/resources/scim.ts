import type { ApiPromise, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { get, Resource, scim } from './resource.ts';
import { ScimGroups } from './scim-groups.ts';
import { ScimUsers } from './scim-users.ts';

/**
 * SCIM 2.0 (RFC 7643, RFC 7644) with the SCIM token of the tenant: what an identity provider does. Errors are those of
 * SCIM: their `code` is the `scimType`, where there is one.
 */
export class Scim extends Resource {
  /** The members of the tenant as an identity provider sees them. */
  readonly users = new ScimUsers(this.api);
  /** The role groups: one for each role. */
  readonly groups = new ScimGroups(this.api);

  /** Gets the features of this provider. Needs no token. */
  serviceProviderConfig(options?: RequestOptions): ApiPromise<Api.ScimServiceProviderConfig> {
    const operation = get('getScimServiceProviderConfig', '/scim/v2/ServiceProviderConfig');
    return this.api.request({ ...operation, ...scim, credential: 'none' }, options);
  }

  /** Lists the schemas. */
  listSchemas(options?: RequestOptions): PagePromise<Api.ScimSchema> {
    return this.api.list({ ...get('listScimSchemas', '/scim/v2/Schemas'), ...scim, page: 'scim' }, options);
  }

  /** Gets one schema, such as `urn:ietf:params:scim:schemas:core:2.0:User`. */
  retrieveSchema(urn: string, options?: RequestOptions): ApiPromise<Api.ScimSchema> {
    return this.api.request({ ...get('getScimSchema', '/scim/v2/Schemas/{id}', { id: urn }), ...scim }, options);
  }

  /** Lists the kinds of resources. */
  listResourceTypes(options?: RequestOptions): PagePromise<Api.ScimResourceType> {
    return this.api.list({ ...get('listScimResourceTypes', '/scim/v2/ResourceTypes'), ...scim, page: 'scim' }, options);
  }

  /** Gets one kind of resources: `User` or `Group`. */
  retrieveResourceType(name: string, options?: RequestOptions): ApiPromise<Api.ScimResourceType> {
    const operation = get('getScimResourceType', '/scim/v2/ResourceTypes/{id}', { id: name });
    return this.api.request({ ...operation, ...scim }, options);
  }
}
