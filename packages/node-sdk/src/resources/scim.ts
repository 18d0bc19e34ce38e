import type { ApiPromise, Operation, PagePromise, RequestOptions, Transport } from '../transport.ts';
import type { ScimResourceType, ScimSchema, ScimServiceProviderConfig } from '../types/api.ts';
import { ScimGroups } from './scim-groups.ts';
import { ScimUsers } from './scim-users.ts';

/**
 * SCIM 2.0 (RFC 7643, RFC 7644) with the SCIM token of the tenant: what an identity provider does. Errors are those of
 * SCIM: their `code` is the `scimType`, where there is one.
 */
export class Scim {
  readonly users: ScimUsers;
  readonly groups: ScimGroups;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.users = new ScimUsers(transport);
    this.groups = new ScimGroups(transport);
  }

  /** Gets the features of this provider. Needs no token. */
  serviceProviderConfig(options?: RequestOptions): ApiPromise<ScimServiceProviderConfig> {
    return this.#transport.request(
      { ...read('getScimServiceProviderConfig', '/scim/v2/ServiceProviderConfig'), credential: 'none' },
      options,
    );
  }

  /** Lists the schemas. */
  listSchemas(options?: RequestOptions): PagePromise<ScimSchema> {
    return this.#transport.list({ ...read('listScimSchemas', '/scim/v2/Schemas'), page: 'scim' }, options);
  }

  /**
   * Gets one schema.
   * @param urn such as `urn:ietf:params:scim:schemas:core:2.0:User`.
   * @throws {NotFoundError} `not_found`.
   */
  retrieveSchema(urn: string, options?: RequestOptions): ApiPromise<ScimSchema> {
    return this.#transport.request(
      { ...read('getScimSchema', '/scim/v2/Schemas/{id}'), parameters: { id: urn } },
      options,
    );
  }

  /** Lists the kinds of resources. */
  listResourceTypes(options?: RequestOptions): PagePromise<ScimResourceType> {
    return this.#transport.list({ ...read('listScimResourceTypes', '/scim/v2/ResourceTypes'), page: 'scim' }, options);
  }

  /**
   * Gets one kind of resources.
   * @param name `User` or `Group`.
   * @throws {NotFoundError} `not_found`.
   */
  retrieveResourceType(name: string, options?: RequestOptions): ApiPromise<ScimResourceType> {
    return this.#transport.request(
      { ...read('getScimResourceType', '/scim/v2/ResourceTypes/{id}'), parameters: { id: name } },
      options,
    );
  }
}

function read(id: string, path: string): Operation {
  return { id, method: 'GET', path, media: 'scim', credential: 'scim', answer: 'bare' };
}
