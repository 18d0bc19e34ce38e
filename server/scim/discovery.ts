import { z } from 'zod';
import { schemasOf } from '../http/schemas.ts';
import { groupUrn } from './group.ts';
import { largestPage } from './query.ts';
import { metaOf } from './schemas.ts';
import type { Locate } from './surface.ts';
import { userUrn } from './user.ts';

export { presentSchemas } from './schemas.ts';

const configUrn = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const resourceTypeUrn = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';

const Feature = z.strictObject({ supported: z.boolean() }).meta({ id: 'ScimFeature' });

/** RFC 7643 section 5. */
export const ServiceProviderConfig = z
  .strictObject({
    schemas: schemasOf(configUrn),
    patch: Feature,
    bulk: z
      .strictObject({ supported: z.boolean(), maxOperations: z.int(), maxPayloadSize: z.int() })
      .meta({ id: 'ScimBulkFeature' }),
    filter: z.strictObject({ supported: z.boolean(), maxResults: z.int() }).meta({ id: 'ScimFilterFeature' }),
    changePassword: Feature,
    sort: Feature,
    etag: Feature,
    authenticationSchemes: z.array(
      z
        .strictObject({
          type: z.literal('oauthbearertoken'),
          name: z.string(),
          description: z.string(),
          specUri: z.url(),
          primary: z.boolean(),
        })
        .meta({ id: 'ScimAuthenticationScheme' }),
    ),
    meta: metaOf('ServiceProviderConfig'),
  })
  .meta({ id: 'ScimServiceProviderConfig' });

/** The features of this provider (spec.md "SCIM 2.0" rule 6). */
export function presentConfig(locate: Locate): z.output<typeof ServiceProviderConfig> {
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
export const ResourceType = z
  .strictObject({
    schemas: schemasOf(resourceTypeUrn),
    id: z.string(),
    name: z.string(),
    description: z.string(),
    endpoint: z.string(),
    schema: z.string(),
    schemaExtensions: z.array(z.string()).max(0).meta({ description: 'None.' }),
    meta: metaOf('ResourceType'),
  })
  .meta({ id: 'ScimResourceType' });

/** The types of resources and their endpoints. */
export function presentResourceTypes(locate: Locate): z.output<typeof ResourceType>[] {
  const types = [
    { id: 'User', description: 'Members of the tenant', endpoint: '/Users', schema: userUrn },
    { id: 'Group', description: 'Role groups, which are fixed', endpoint: '/Groups', schema: groupUrn },
  ];
  return types.map((type) => ({
    schemas: [resourceTypeUrn],
    name: type.id,
    ...type,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: locate(`/ResourceTypes/${type.id}`) },
  }));
}
