import { z } from 'zod';
import { Problem, requireFound } from '../http/problem.ts';
import { type Call, defineRoute, type Route } from '../http/route.ts';
import { namedObject, schemasOf } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { describeAttributes, SchemaAttribute } from './attribute.ts';
import { groups } from './groups.ts';
import { largestPage, listOf, presentPage, queryOf } from './list.ts';
import { createLocate, type Locate, resourceRoutes, scim } from './resource.ts';
import { users } from './users.ts';

const configUrn = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const resourceTypeUrn = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const schemaUrn = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

/** The `meta` of a resource that describes this provider. */
function metaOf<Type extends string>(resourceType: Type) {
  return z
    .strictObject({ resourceType: z.literal(resourceType), location: z.url() })
    .meta({ id: `Scim${resourceType}Meta` });
}

const Feature = namedObject('ScimFeature', { supported: z.boolean() });

/** RFC 7643 section 5. */
const ServiceProviderConfig = z
  .strictObject({
    schemas: schemasOf(configUrn),
    patch: Feature,
    bulk: namedObject('ScimBulkFeature', { supported: z.boolean(), maxOperations: z.int(), maxPayloadSize: z.int() }),
    filter: namedObject('ScimFilterFeature', { supported: z.boolean(), maxResults: z.int() }),
    changePassword: Feature,
    sort: Feature,
    etag: Feature,
    authenticationSchemes: z.array(
      namedObject('ScimAuthenticationScheme', {
        type: z.literal('oauthbearertoken'),
        name: z.string(),
        description: z.string(),
        specUri: z.url(),
        primary: z.boolean(),
      }),
    ),
    meta: metaOf('ServiceProviderConfig'),
  })
  .meta({ id: 'ScimServiceProviderConfig' });

/** The features of this provider (spec.md "SCIM 2.0" rule 6). */
function presentConfig(locate: Locate): z.output<typeof ServiceProviderConfig> {
  return {
    schemas: [configUrn],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: largestPage },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'OAuth Bearer Token',
        description: 'The SCIM token of the tenant: Authorization: Bearer scim_…',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: locate('/ServiceProviderConfig') },
  };
}

/** RFC 7643 section 6. */
const ResourceType = namedObject('ScimResourceType', {
  schemas: schemasOf(resourceTypeUrn),
  id: z.string(),
  name: z.string(),
  description: z.string(),
  endpoint: z.string(),
  schema: z.string(),
  schemaExtensions: z.array(z.string()).max(0).meta({ description: 'None.' }),
  meta: metaOf('ResourceType'),
});

const types = [users, groups];

function presentResourceTypes(locate: Locate): z.output<typeof ResourceType>[] {
  return types.map(({ name, plural, urn }) => ({
    schemas: [resourceTypeUrn],
    name,
    id: name,
    description: plural,
    endpoint: `/${name}s`,
    schema: urn,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: locate(`/ResourceTypes/${name}`) },
  }));
}

/** A schema of resources (RFC 7643 section 7). */
const ScimSchema = namedObject('ScimSchema', {
  schemas: schemasOf(schemaUrn),
  id: z.string(),
  name: z.string(),
  description: z.string(),
  attributes: z.array(SchemaAttribute),
  meta: metaOf('Schema'),
});
type ScimSchema = z.output<typeof ScimSchema>;

/** The schemas of users and groups with the attributes that this server supports. */
function presentSchemas(locate: Locate): ScimSchema[] {
  return types.map(({ name, description, urn, attributes }) => ({
    schemas: [schemaUrn],
    id: urn,
    name,
    description,
    attributes: describeAttributes(attributes),
    meta: { resourceType: 'Schema', location: locate(`/Schemas/${urn}`) },
  }));
}

// Paging and projection parameters are ignored (RFC 7644 section 4).
const DiscoveryQuery = queryOf({
  filter: z.string().optional().meta({ description: 'Rejected with 403: these resources cannot be filtered.' }),
});

/** Every operation of SCIM 2.0 (RFC 7644) in spec.md "SCIM 2.0": those that describe this provider first (section 4). */
export function scimRoutes(installation: Installation): readonly Route[] {
  /** @throws {Problem} `forbidden` for a filter, as RFC 7644 section 4 requires. */
  const open = ({ query, client }: Call<unknown, z.output<typeof DiscoveryQuery>>) => {
    if (query.filter !== undefined)
      throw new Problem('forbidden', 'The resources that describe this provider cannot be filtered.');
    return createLocate(installation.settings.baseUrl, client);
  };
  const common = { auth: 'scim', surface: scim, tag: 'SCIM', query: DiscoveryQuery, errors: ['forbidden'] } as const;
  const one = { ...common, params: z.strictObject({ id: z.string() }) } as const;
  return [
    defineRoute('GET /scim/v2/ServiceProviderConfig', {
      ...common,
      auth: 'anonymous',
      operationId: 'getScimServiceProviderConfig',
      sdkMethod: 'scim.serviceProviderConfig',
      summary: 'Get the service provider configuration',
      description: 'Needs no token.',
      result: ServiceProviderConfig,
      handle: async (call) => presentConfig(open(call)),
    }),
    defineRoute('GET /scim/v2/Schemas', {
      ...common,
      operationId: 'listScimSchemas',
      sdkMethod: 'scim.listSchemas',
      summary: 'List the schemas',
      description:
        'The schemas of users and groups with the attributes that this server supports (RFC 7643 section 7).',
      result: listOf(ScimSchema),
      handle: async (call) => presentAll(presentSchemas(open(call))),
    }),
    defineRoute('GET /scim/v2/Schemas/{id}', {
      ...one,
      operationId: 'getScimSchema',
      sdkMethod: 'scim.retrieveSchema',
      summary: 'Get a schema by its URN',
      description: 'RFC 7643 section 7.',
      result: ScimSchema,
      handle: async (call) => requireOne(presentSchemas(open(call)), call.params.id, 'schema'),
    }),
    defineRoute('GET /scim/v2/ResourceTypes', {
      ...common,
      operationId: 'listScimResourceTypes',
      sdkMethod: 'scim.listResourceTypes',
      summary: 'List the resource types',
      description: 'Users and groups, with their endpoints and schemas (RFC 7643 section 6).',
      result: listOf(ResourceType),
      handle: async (call) => presentAll(presentResourceTypes(open(call))),
    }),
    defineRoute('GET /scim/v2/ResourceTypes/{id}', {
      ...one,
      operationId: 'getScimResourceType',
      sdkMethod: 'scim.retrieveResourceType',
      summary: 'Get a resource type',
      description: 'RFC 7643 section 6.',
      result: ResourceType,
      handle: async (call) => requireOne(presentResourceTypes(open(call)), call.params.id, 'resource type'),
    }),
    ...resourceRoutes(installation, users),
    ...resourceRoutes(installation, groups),
  ];
}

function presentAll<Resource>(resources: readonly Resource[]) {
  return presentPage(resources, resources.length, 1);
}

/** URNs and type names compare without case (RFC 8141 section 3.1, RFC 7643 section 2.1). */
function requireOne<Resource extends { readonly id: string }>(all: readonly Resource[], id: string, what: string) {
  const found = all.find((resource) => resource.id.toLowerCase() === id.toLowerCase());
  return requireFound(found, what);
}
