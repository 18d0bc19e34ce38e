import type { Feature, Services } from '../installation/feature.ts';
import { auditRoutes } from '../ledger/audit/routes.ts';
import { inTransaction } from '../storage/database.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import { LogKeeper } from './log-keeper.ts';
import { proofRoutes } from './routes.ts';
import { verificationRoutes } from './verification-routes.ts';
import { forgetRuns } from './verification-store.ts';
import { Verifier } from './verifier.ts';

/** The audit log, checkpoints, exports, outside time and verification. */
export function openProofs(services: Services) {
  const { database, settings } = services;
  const verifier = new Verifier(services);
  const keeper = new CheckpointKeeper({ ...services, interval: settings.checkpointInterval });
  const logKeeper = new LogKeeper(services);
  return {
    name: 'proofs',
    verifier,
    routes: [...auditRoutes(database), ...proofRoutes(services), ...verificationRoutes(services, verifier)],
    tasks: [
      {
        every: 60_000,
        run: async (now, count) =>
          count({ verificationRuns: await inTransaction(database, (queries) => forgetRuns(queries, now)) }),
      },
      { every: 60_000, run: (now, count) => keeper.step(now, count) },
      { every: 60_000, run: (now, count) => logKeeper.step(now, count) },
      { every: 60_000, run: (now, count) => verifier.step(now, count) },
    ],
    // A crash between a commit and its line in the log loses no anchor.
    start: () => keeper.start(services.clock()),
    interrupt: () => logKeeper.stop(),
    drain: () => verifier.stop(),
  } satisfies Feature & { readonly verifier: Verifier };
}
