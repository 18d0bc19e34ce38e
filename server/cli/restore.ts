import { z } from 'zod';
import { anchorFile } from '../ledger/anchor-log.ts';
import { erasureFile } from '../ledger/erasure-log.ts';
import { defineCommand, flag, time } from './command.ts';

export const restore = defineCommand({
  description: `Never replaces a database: first stop its server and move it away, with its -wal and -shm files. While a server runs in
the data folder, nothing is restored. The next start brings the schema up to date. A signed statement in ${anchorFile}
records the restore, so that svc verify does not report it as a roll-back.

--latest and --before fetch a backup from the target in the settings (SVC_BACKUP_TO), with the newest copy of ${erasureFile}
there. Of PostgreSQL, they put in place what is outside of the database.

What was erased since the backup is erased again, as ${erasureFile} of the data folder names it; if the folder is new, that of
the backup. Without a file that is whole and unchanged, nothing is restored: put a copy in its place, from another server or
a newer backup. If there is none, --without-erasures goes on without what is missing.

With --in-place nothing is copied: the database in the settings was restored by other means (pg_restore, a snapshot of
the machine), and the command only records that in ${anchorFile}. With several servers on one PostgreSQL, run it on each.
It prints the entries of each ledger in ${anchorFile} and in the database, and stops there without --yes: earlier records
of ${anchorFile} no longer count after a restore. svc verify prints the time of the restore. Erases again, too.`,
  options: {
    from: { schema: z.string().optional(), meaning: 'the folder that `svc backup --to` made', value: 'folder' },
    latest: { schema: flag, meaning: 'the newest backup at the target in the settings' },
    before: {
      schema: time.optional(),
      meaning: 'the newest one there that was made at this time or before',
      value: 'time',
    },
    'age-identity': {
      schema: z.string().optional(),
      meaning: 'the file with the private key of age; default: SVC_BACKUP_AGE_IDENTITY_FILE',
      value: 'file',
    },
    'former-secret': {
      schema: flag,
      meaning: 'accept a backup that was made with a secret that was rotated since; then rotate the secret again',
    },
    unencrypted: { schema: flag, meaning: 'accept a backup in the clear, although keys of age are set or given' },
    'in-place': { schema: flag, meaning: 'accept the current database as restored by other means' },
    'without-erasures': {
      schema: flag,
      meaning: 'go on without erasures.log, or with what is unchanged of it: erased values may return',
    },
    yes: { schema: flag, meaning: 'with --in-place: yes, I know of this restore' },
  },
  // Loaded when it runs: the help needs none of it.
  run: async (context) => (await import('./backups/run-restore.ts')).runRestore(context),
});
