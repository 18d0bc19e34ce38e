import type { Feature, Services } from '../../installation/feature.ts';
import { platformRoutes } from './routes.ts';

/** The tenants and the state of this server, the portfolio of its staff, and the overview of a tenant. */
export const openOperator = (services: Services): Feature => ({ name: 'operator', routes: platformRoutes(services) });
