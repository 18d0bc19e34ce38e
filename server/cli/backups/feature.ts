import type { Feature, Services } from '../../installation/feature.ts';
import { BackupKeeper } from './keeper.ts';

/** Backups by the server. Nothing of it runs without SVC_BACKUP_TO. */
export function openBackups(services: Services): Feature & { readonly keeper: BackupKeeper | null } {
  const { backup } = services.settings;
  if (backup === null) return { name: 'backups', routes: [], keeper: null };
  const keeper = new BackupKeeper(services, backup);
  return {
    name: 'backups',
    keeper,
    routes: [],
    start: async () => keeper.start(),
    tasks: [{ every: 60_000, run: () => keeper.step() }],
    interrupt: () => keeper.interrupt(),
    drain: () => keeper.idle(),
  };
}
