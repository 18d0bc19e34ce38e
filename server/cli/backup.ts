import { z } from 'zod';
import { defineCommand, flag } from './command.ts';

// The rest is loaded when it runs: the help needs none of it.
export const backup = defineCommand({
  description: `Without --to, makes a backup at the target in the settings (SVC_BACKUP_TO) at once, as the server does by its schedule, and
deletes those that need not be kept.

With --to, copies them into a new folder. The copy is a consistent snapshot, and is checked before the command succeeds. It
can be verified in place, even on read-only storage: SVC_DATA_DIR=<folder> svc verify.

For an installation on PostgreSQL, a backup has what is outside of the database: copy the database with pg_dump, or with a
backup of the whole cluster.`,
  options: {
    to: { schema: z.string().optional(), meaning: 'the folder to create; it must not exist', value: 'folder' },
    'without-secret': {
      schema: flag,
      meaning: 'with --to: leave out secret.key; keep it elsewhere: nothing can be restored without it',
    },
  },
  run: async (context) => (await import('./backups/run-backup.ts')).runBackup(context),
});

export const backupList = defineCommand({
  description: 'With a secret, those of its installation; without, those of every installation there.',
  options: {},
  run: async (context) => (await import('./backups/run-backup.ts')).listStored(context),
});
