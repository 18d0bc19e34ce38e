import { resolve } from 'node:path';
import { z } from 'zod';
import { type Installation, openInstallation } from '../installation/installation.ts';
import { anchorFile } from '../ledger/anchor-log.ts';
import { nameTree, readTreeName } from '../ledger/checkpoint.ts';
import { erasureFile } from '../ledger/erasure-log.ts';
import { listStates } from '../ledger/tree-store.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { fetchBackup } from './backups/fetch-backup.ts';
import { makeDraft, requireBackupSettings } from './backups/make-backup.ts';
import {
  completeRestore,
  describeErased,
  placeMissing,
  placeSecret,
  requireNoDatabase,
  restoreFolder,
  takeErasures,
} from './backups/restore-folder.ts';
import { nameTarget } from './backups/target.ts';
import { type CommandContext, defineCommand, flag, requireDatabase, time, UsageError } from './command.ts';

export const restore = defineCommand({
  name: 'restore',
  summary: 'put a backup into an empty data folder',
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
    'in-place': { schema: flag, meaning: 'accept the current database as restored by other means' },
    'without-erasures': {
      schema: flag,
      meaning: 'go on without erasures.log, or with what is unchanged of it: erased values may return',
    },
    yes: { schema: flag, meaning: 'with --in-place: yes, I know of this restore' },
  },
  async run(context) {
    const { settings, options } = context;
    const { from, latest = false, before, 'in-place': isInPlace = false, yes = false } = options;
    const mayLack = options['without-erasures'] === true;
    const ways = [from !== undefined, latest, before !== undefined, isInPlace];
    if (ways.filter(Boolean).length !== 1)
      throw new UsageError('Give one of --from, --latest, --before and --in-place.');
    if (isInPlace) return acceptRestored(context, yes, mayLack);
    if (from === undefined) {
      const identity = options['age-identity'];
      return restoreFromTarget(context, before ?? null, identity === undefined ? null : resolve(identity), mayLack);
    }
    if (settings.databaseUrl !== null)
      throw new UsageError(
        'The data is in PostgreSQL. Restore it with pg_restore, give the server its secret, and run: svc restore --in-place',
      );
    return restoreFolder(context, resolve(from), { mayLack });
  },
});

async function restoreFromTarget(
  context: CommandContext,
  before: string | null,
  identity: string | null,
  mayLack: boolean,
): Promise<undefined> {
  const { settings, say, result } = context;
  const backup = requireBackupSettings(settings);
  const { dataDir } = settings;
  if (settings.databaseUrl === null) requireNoDatabase(dataDir);
  // A server must not use the folder; restoreFolder locks it itself.
  lockFolder(dataDir, 'exclusive')[Symbol.dispose]();
  using draft = makeDraft(dataDir, 'restore-draft');
  say(`Fetching a backup from ${nameTarget(backup)} …`);
  const identityFile = identity ?? backup.identityFile;
  const fetched = await fetchBackup(settings, backup, { before, identityFile, to: draft.folder });
  say(`${fetched.name} was made at ${fetched.at}.`);
  const hasNewest = fetched.erasuresAt !== null;
  if (hasNewest) say(`${erasureFile} at the target is of ${fetched.erasuresAt}.`);
  // Awaited, because the folder is removed on return.
  if (settings.databaseUrl === null) return await restoreFolder(context, draft.folder, { mayLack, hasNewest });
  placeSecret(draft.folder, dataDir);
  for (const name of [anchorFile, erasureFile]) placeMissing(name, draft.folder, dataDir);
  say(`What is outside of the database is in ${dataDir}. Restore the database, and run: svc restore --in-place --yes`);
  result({ dataDir, name: fetched.name });
  return undefined;
}

async function acceptRestored(
  { settings, say, result }: CommandContext,
  isKnown: boolean,
  mayLack: boolean,
): Promise<undefined> {
  requireDatabase(settings);
  using _ = lockFolder(settings.dataDir, 'exclusive');
  await using installation = await openInstallation(settings);
  const { database, erasures, clock } = installation;
  const { file } = installation.anchors;
  const lines = takeErasures(erasures, settings.dataDir, say, { mayLack });
  for (const line of await compareWithLog(installation)) say(line);
  if (!isKnown)
    throw new UsageError(
      `Nothing was changed. If ${anchorFile} has more entries than the database, accepting silences the alarm about the missing ones. If you know of this restore, add --yes.`,
    );
  const erased = await completeRestore(database, installation, lines, clock());
  say(describeErased(erased));
  say(`${file} now records that this database was restored. Check every hash with: svc verify`);
  result({ file, erased });
}

/** One line for each ledger: its entries in the log and in the database. */
async function compareWithLog({ database, anchors }: Installation): Promise<readonly string[]> {
  anchors.open();
  const states = await listStates(database.kysely);
  const entries = new Map(states.map((state) => [nameTree(state), state.entries]));
  const names = new Set([...anchors.ledgers(), ...entries.keys()]);
  return [...names].sort().map((name) => {
    const of = readTreeName(name);
    const anchor = of === null ? undefined : anchors.latest(of);
    return `${name}: ${anchorFile} has ${anchor?.size ?? 'no'} entries, the database has ${entries.get(name) ?? 'no'}`;
  });
}
