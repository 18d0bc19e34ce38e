import { z } from 'zod';
import { notFound, Problem } from '../http/problem.ts';
import { type Call, defineRoute, type Route } from '../http/route.ts';
import {
  presentConfig,
  presentResourceTypes,
  presentSchemas,
  ResourceType,
  ScimSchema,
  ServiceProviderConfig,
} from './discovery.ts';
import { listOf, presentPage, queryOf } from './query.ts';
import { type ScimServices, scimGroupRoutes, scimUserRoutes } from './resource-routes.ts';
import { createLocate, scim } from './surface.ts';

const IdParams = z.strictObject({ id: z.string() });
// Paging and projection parameters are ignored (RFC 7644 section 4).
const DiscoveryQuery = queryOf({
  filter: z.string().optional().meta({ description: 'Rejected with 403: these resources cannot be filtered.' }),
});

/** Every operation of SCIM 2.0 (RFC 7644) in spec.md "SCIM 2.0", and discovery. */
export function scimRoutes(services: ScimServices): readonly Route[] {
  return [...discoveryRoutes(services), ...scimUserRoutes(services), ...scimGroupRoutes(services)];
}

/** RFC 7644 section 4. */
function discoveryRoutes({ baseUrl }: ScimServices): readonly Route[] {
  /** @throws {Problem} `forbidden` for a filter, as RFC 7644 section 4 requires. */
  const open = ({ query, client }: Call<unknown, z.output<typeof DiscoveryQuery>>) => {
    if (query.filter !== undefined)
      throw new Problem('forbidden', 'The resources that describe this provider cannot be filtered.');
    return createLocate(baseUrl, client);
  };
  const common = {
    surface: scim,
    tag: 'SCIM',
    query: DiscoveryQuery,
    errors: ['forbidden'],
  } as const;

  return [
    defineRoute('GET /scim/v2/ServiceProviderConfig', {
      ...common,
      auth: 'anonymous',
      operationId: 'getScimServiceProviderConfig',
      summary: 'Get the service provider configuration',
      description: 'Needs no token.',
      result: ServiceProviderConfig,
      handle: async (call) => presentConfig(open(call)),
    }),
    defineRoute('GET /scim/v2/Schemas', {
      ...common,
      auth: 'scim',
      operationId: 'listScimSchemas',
      summary: 'List the schemas',
      description:
        'The schemas of users and groups with the attributes that this server supports (RFC 7643 section 7).',
      result: listOf(ScimSchema),
      handle: async (call) => presentAll(presentSchemas(open(call))),
    }),
    defineRoute('GET /scim/v2/Schemas/{id}', {
      ...common,
      auth: 'scim',
      operationId: 'getScimSchema',
      summary: 'Get a schema by its URN',
      description: 'RFC 7643 section 7.',
      params: IdParams,
      result: ScimSchema,
      handle: async (call) => requireOne(presentSchemas(open(call)), call.params.id, 'schema'),
    }),
    defineRoute('GET /scim/v2/ResourceTypes', {
      ...common,
      auth: 'scim',
      operationId: 'listScimResourceTypes',
      summary: 'List the resource types',
      description: 'Users and groups, with their endpoints and schemas (RFC 7643 section 6).',
      result: listOf(ResourceType),
      handle: async (call) => presentAll(presentResourceTypes(open(call))),
    }),
    defineRoute('GET /scim/v2/ResourceTypes/{id}', {
      ...common,
      auth: 'scim',
      operationId: 'getScimResourceType',
      summary: 'Get a resource type',
      description: 'RFC 7643 section 6.',
      params: IdParams,
      result: ResourceType,
      handle: async (call) => requireOne(presentResourceTypes(open(call)), call.params.id, 'resource type'),
    }),
  ];
}

function presentAll<Resource>(resources: readonly Resource[]) {
  return presentPage(resources, resources.length, 1);
}

/** URNs and type names compare without case (RFC 8141 section 3.1, RFC 7643 section 2.1). */
function requireOne<Resource extends { readonly id: string }>(
  resources: readonly Resource[],
  id: string,
  what: string,
): Resource {
  const found = resources.find((resource) => resource.id.toLowerCase() === id.toLowerCase());
  if (found === undefined) throw notFound(what);
  return found;
}
