import type { Feature, Services } from '../../installation/feature.ts';
import { platformRoutes } from './routes.ts';

/** The tenants and the state of this server, for its operator. */
export const openOperator = (services: Services): Feature => ({ name: 'operator', routes: platformRoutes(services) });
