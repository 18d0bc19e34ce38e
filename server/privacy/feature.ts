import type { Feature, Services } from '../installation/feature.ts';
import { completeErasures } from '../ledger/erasure-store.ts';
import { inTransaction } from '../storage/database.ts';
import { breachRoutes } from './breach.ts';
import { dsrRoutes } from './dsr-routes.ts';
import { continueErasure } from './erasure/erase.ts';
import { remainsTasks } from './erasure/remains.ts';
import { eraseExpired } from './erasure/retention.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { continueUserErasure } from './erasure/user-store.ts';
import { serveRequestForm } from './form-page.ts';
import { deleteUnconfirmed, forgetFormUses } from './form-store.ts';

/**
 * Data-subject requests, breaches, erasure and retention.
 * @param findContact returns the contact address that a tenant publishes, by its slug, for the request form.
 */
export function openPrivacy(services: Services, findContact: (slug: string) => Promise<string | null>): Feature {
  const { database, box, erasures } = services;
  return {
    name: 'privacy',
    routes: [...dsrRoutes(services), ...breachRoutes(services), ...erasureRoutes(services)],
    pages: [serveRequestForm(services, findContact)],
    tasks: [
      { every: 1000, run: (now, count) => continueErasure(database, now, count) },
      { every: 1000, run: (now, count) => continueUserErasure(database, box, now, count) },
      ...remainsTasks(services),
      {
        every: 60_000,
        run: async (now, count) =>
          count({ formUses: await inTransaction(database, (queries) => forgetFormUses(queries, now)) }),
      },
      { every: 60_000, run: (now, count) => deleteUnconfirmed(database, now, count) },
      { every: 60_000, run: (now, count) => eraseExpired(database, now, count) },
      {
        every: 60_000,
        run: async (_now, count) => count({ erasureLogLines: await completeErasures(database.kysely, erasures) }),
      },
    ],
    async start() {
      await completeErasures(database.kysely, erasures);
    },
  };
}
