import type { Route } from '../http/route.ts';
import { scimDiscoveryRoutes } from './discovery-routes.ts';
import { scimGroupRoutes } from './group-routes.ts';
import type { ScimServices } from './services.ts';
import { scimUserRoutes } from './user-routes.ts';

/** Every operation of SCIM 2.0 (RFC 7644) that spec.md "SCIM 2.0" lists, and the discovery that belongs to them. */
export function scimRoutes(services: ScimServices): readonly Route[] {
  return [...scimDiscoveryRoutes(services), ...scimUserRoutes(services), ...scimGroupRoutes(services)];
}
