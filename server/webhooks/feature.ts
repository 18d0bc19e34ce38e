import type { Feature, Services } from '../installation/feature.ts';
import { forgetOldEvents } from './deliveries/retention-store.ts';
import { webhookRoutes } from './routes.ts';

/** Endpoints and their deliveries; `sender/` sends. */
export function openWebhooks(services: Services): Feature {
  return {
    name: 'webhooks',
    routes: webhookRoutes(services),
    tasks: [{ every: 60_000, run: (now) => forgetOldEvents(services.database, now) }],
  };
}
