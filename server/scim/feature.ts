import type { Feature, Services } from '../installation/feature.ts';
import { scimRoutes } from './routes.ts';

/** SCIM 2.0 (RFC 7643, RFC 7644). */
export const openScim = (services: Services): Feature => ({ name: 'scim', routes: scimRoutes(services) });
