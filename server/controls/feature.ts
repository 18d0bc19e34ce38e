import type { Feature, Services } from '../installation/feature.ts';
import { inTransaction } from '../storage/database.ts';
import { deleteAbandonedFile } from './file-store.ts';
import { controlRoutes } from './routes.ts';

/** Frameworks, controls, evidence and tests. */
export function openControls(services: Services): Feature {
  return {
    name: 'controls',
    routes: controlRoutes(services),
    tasks: [
      {
        every: 60_000,
        run: async (now, count) => {
          const isDeleted = await inTransaction(services.database, (queries) => deleteAbandonedFile(queries, now));
          count({ abandonedFiles: Number(isDeleted) });
          return isDeleted;
        },
      },
    ],
  };
}
