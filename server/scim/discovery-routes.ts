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
import { listOf, presentPage } from './list.ts';
import { createLocate } from './location.ts';
import { queryOf } from './query.ts';
import type { ScimServices } from './services.ts';
import { scim } from './surface.ts';

const IdParams = z.strictObject({ id: z.string() });
// Paging and projection are passed over (RFC 7644 section 4).
const DiscoveryQuery = queryOf({
  filter: z.string().optional().meta({ description: 'Refused with 403: what is described here is not filtered.' }),
});

/** The operations that tell what this provider can do (RFC 7644 section 4). */
export function scimDiscoveryRoutes({ baseUrl }: Pick<ScimServices, 'baseUrl'>): readonly Route[] {
  /** Where the resources of a call stand. @throws {Problem} `forbidden` for a filter, as RFC 7644 section 4 wants it. */
  const open = ({ query, client }: Call<unknown, z.output<typeof DiscoveryQuery>>) => {
    if (query.filter !== undefined) throw new Problem('forbidden', 'What describes this provider cannot be filtered.');
    return createLocate(baseUrl, client);
  };

  return [
    defineRoute({
      surface: scim,
      auth: 'anonymous',
      method: 'GET',
      path: '/scim/v2/ServiceProviderConfig',
      operationId: 'getScimServiceProviderConfig',
      tag: 'SCIM',
      summary: 'Get the service provider configuration',
      description: 'Needs no token.',
      query: DiscoveryQuery,
      status: 200,
      result: ServiceProviderConfig,
      errors: ['forbidden'],
      handle: async (call) => presentConfig(open(call)),
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'GET',
      path: '/scim/v2/Schemas',
      operationId: 'listScimSchemas',
      tag: 'SCIM',
      summary: 'List the schemas',
      description:
        'The schemas of users and groups with the attributes that this server supports (RFC 7643 section 7).',
      query: DiscoveryQuery,
      status: 200,
      result: listOf(ScimSchema),
      errors: ['forbidden'],
      handle: async (call) => presentAll(presentSchemas(open(call))),
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'GET',
      path: '/scim/v2/Schemas/{id}',
      operationId: 'getScimSchema',
      tag: 'SCIM',
      summary: 'Get one schema by its URN',
      description: 'RFC 7643 section 7.',
      params: IdParams,
      query: DiscoveryQuery,
      status: 200,
      result: ScimSchema,
      errors: ['forbidden'],
      handle: async (call) => requireOne(presentSchemas(open(call)), call.params.id, 'schema'),
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'GET',
      path: '/scim/v2/ResourceTypes',
      operationId: 'listScimResourceTypes',
      tag: 'SCIM',
      summary: 'List the types of resources',
      description: 'Users and groups, with their endpoints and schemas (RFC 7643 section 6).',
      query: DiscoveryQuery,
      status: 200,
      result: listOf(ResourceType),
      errors: ['forbidden'],
      handle: async (call) => presentAll(presentResourceTypes(open(call))),
    }),
    defineRoute({
      auth: 'scim',
      surface: scim,
      method: 'GET',
      path: '/scim/v2/ResourceTypes/{id}',
      operationId: 'getScimResourceType',
      tag: 'SCIM',
      summary: 'Get one type of resources',
      description: 'RFC 7643 section 6.',
      params: IdParams,
      query: DiscoveryQuery,
      status: 200,
      result: ResourceType,
      errors: ['forbidden'],
      handle: async (call) => requireOne(presentResourceTypes(open(call)), call.params.id, 'resource type'),
    }),
  ];
}

function presentAll<Resource>(resources: readonly Resource[]) {
  return presentPage(resources, resources.length, { startIndex: 1, count: resources.length });
}

/** URNs and names of types compare without case (RFC 8141 section 3.1, RFC 7643 section 2.1). */
function requireOne<Resource extends { readonly id: string }>(
  resources: readonly Resource[],
  id: string,
  what: string,
): Resource {
  const found = resources.find((resource) => resource.id.toLowerCase() === id.toLowerCase());
  if (found === undefined) throw notFound(what);
  return found;
}
