import type { Feature, Services } from '../installation/feature.ts';
import { completeErasures } from '../ledger/erasure-store.ts';
import { inTransaction } from '../storage/database.ts';
import { breachRoutes } from './breach.ts';
import { dsrRoutes } from './dsr-routes.ts';
import { continueErasure } from './erasure/erase.ts';
import { eraseExpired } from './erasure/retention.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { countUnforgotten, emptyErasedLog, forgetErased } from './erasure/store.ts';
import { continueUserErasure } from './erasure/user-store.ts';
import { serveRequestForm } from './form-page.ts';
import { deleteUnconfirmed, forgetFormUses } from './form-store.ts';

/**
 * Data-subject requests, breaches, erasure and retention.
 * @param findContact returns the contact address that a tenant publishes, by its slug, for the request form.
 */
export function openPrivacy(services: Services, findContact: (slug: string) => Promise<string | null>): Feature {
  const { database, box, erasures, log } = services;
  // At the start too: the process before this one may have ended in between.
  const erased = { isInLog: true, isInFile: false };
  database.signals.on('erased', () => {
    erased.isInLog = erased.isInFile = true;
  });
  /** Tries again, also after a failure, until there is nothing left. */
  const remove = async (place: keyof typeof erased, step: () => Promise<boolean>) => {
    if (!erased[place]) return;
    erased[place] = false;
    let isGone = false;
    try {
      isGone = await step();
    } finally {
      erased[place] ||= !isGone;
    }
  };
  return {
    name: 'privacy',
    routes: [...dsrRoutes(services), ...breachRoutes(services), ...erasureRoutes(services)],
    pages: [serveRequestForm(services, findContact)],
    tasks: [
      { every: 1000, run: (now, count) => continueErasure(database, now, count) },
      { every: 1000, run: (now, count) => continueUserErasure(database, box, now, count) },
      { every: 1000, run: () => remove('isInLog', () => emptyErasedLog(database)) },
      // Writing the file again holds everything up for a moment: once for all erasures of a minute.
      { every: 60_000, run: () => remove('isInFile', () => forgetErased(database, { hasErased: true })) },
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
      const bytes = await countUnforgotten(database);
      if (bytes > 0) log.info({ bytes }, 'writing the database file again after erasures');
      // Without the space for a copy, for example, the server starts nevertheless, and tries again at the next start.
      await forgetErased(database, { mayWait: true }).catch((err: unknown) =>
        log.warn({ err, bytes }, 'the database file could not be written again after erasures'),
      );
    },
  };
}
