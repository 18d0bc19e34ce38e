import type { Feature, Services } from '../../installation/feature.ts';
import { removeDraft } from './draft-folder.ts';
import { BackupKeeper } from './keeper.ts';
import { isRunning, listTasks } from './task-store.ts';

/** Backups by the server. Without SVC_BACKUP_TO, it only removes what a crash left. */
export function openBackups(services: Services): Feature & { readonly keeper: BackupKeeper | null } {
  const { backup } = services.settings;
  const clean = () => removeDrafts(services);
  if (backup === null) return { name: 'backups', routes: [], keeper: null, start: clean };
  const keeper = new BackupKeeper(services, backup);
  return {
    name: 'backups',
    keeper,
    routes: [],
    start: async () => {
      await clean();
      keeper.start();
    },
    tasks: [{ every: 60_000, run: () => keeper.step() }],
    interrupt: () => keeper.interrupt(),
    drain: () => keeper.idle(),
  };
}

/** Removes temporary copies of the database and its secret, except those of a command that still runs. */
async function removeDrafts({ database, settings, clock }: Services): Promise<void> {
  const now = clock();
  const tasks = await listTasks(database.kysely);
  const running = tasks.filter((row) => isRunning(row, now)).map(({ task }) => task);
  // A restore excludes servers from the folder.
  for (const task of ['backup', 'rehearsal', 'restore'] as const)
    if (!running.includes(task)) removeDraft(settings.dataDir, task);
}
