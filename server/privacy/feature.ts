import type { Feature, Services } from '../installation/feature.ts';
import { completeErasures } from '../ledger/erasure-store.ts';
import { inTransaction } from '../storage/database.ts';
import { emptyErasedLog, stepRemoval } from '../storage/erased-remains.ts';
import { breachRoutes } from './breach.ts';
import { dsrRoutes } from './dsr-routes.ts';
import { continueErasure } from './erasure/erase.ts';
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
  const { database, box, erasures, log } = services;
  // At the start too: the process before this one may have ended in between.
  let isInLog = true;
  // The file of SQLite says so itself.
  let isInFile = database.dialect === 'sqlite';
  database.signals.on('erased', () => {
    isInLog = isInFile = true;
  });
  let isRemoving = false;
  let began = 0;
  let nextPass = 0;
  /** Tries again until the log is empty. A pass over the file reads the log, and empties it itself. */
  const emptyLog = async () => {
    if (isInLog && !isRemoving) isInLog = !(await emptyErasedLog(database));
  };
  /** One pass for all erasures of a minute, because it reads the whole file. @returns true if there is more to remove. */
  const removeRemains = async () => {
    if (!isRemoving) {
      if (!isInFile || performance.now() < nextPass) return false;
      began = performance.now();
      nextPass = began + 60_000;
      isInFile = database.dialect === 'sqlite';
    }
    const result = await stepRemoval(database).catch((error: unknown) => {
      isInFile = true;
      throw error;
    });
    isRemoving = result === 'more' || result === 'busy';
    if (result === 'done' || result === 'again') {
      const milliseconds = Math.round(performance.now() - began);
      // However many erasures there are, a pass does not follow upon another.
      nextPass = Math.max(nextPass, performance.now() + milliseconds);
      if (result === 'done') log.info({ milliseconds }, 'removed what was left of erased values');
    }
    return result === 'more';
  };
  return {
    name: 'privacy',
    routes: [...dsrRoutes(services), ...breachRoutes(services), ...erasureRoutes(services)],
    pages: [serveRequestForm(services, findContact)],
    tasks: [
      { every: 1000, run: (now, count) => continueErasure(database, now, count) },
      { every: 1000, run: (now, count) => continueUserErasure(database, box, now, count) },
      { every: 1000, run: emptyLog },
      { every: 1000, run: removeRemains },
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
