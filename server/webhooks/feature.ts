import type { Feature, Services } from '../installation/feature.ts';
import { forgetOldEvents } from './deliveries/retention-store.ts';
import { webhookRoutes } from './routes.ts';
import { runSender } from './sender/run-sender.ts';
import { WebhookSender } from './sender/sender.ts';
import { Receivers } from './transport/receivers.ts';

/** Endpoints and their deliveries, and the sender. */
export function openWebhooks(services: Services): Feature {
  return {
    name: 'webhooks',
    routes: webhookRoutes(services),
    background: () =>
      runSender({
        ...services,
        sender: new WebhookSender({ ...services, receivers: new Receivers({ policy: services.settings.webhooks }) }),
      }),
    tasks: [{ every: 60_000, run: (now, count) => forgetOldEvents(services.database, now, count) }],
  };
}
