import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { databaseFile, findSecret, findSecrets } from '../../installation/installation.ts';
import type { Settings } from '../../settings.ts';
import { openDatabase } from '../../storage/database.ts';
import { isMigrated } from '../../storage/migrate.ts';
import { type CommandContext, explainUncreated, UsageError } from '../command.ts';
import { requireDatabase } from '../require.ts';
import { nameInstallation } from './backup-name.ts';
import { checkBackupSettings } from './check-settings.ts';
import { listBackups, requireBackupSettings } from './make-backup.ts';
import { openTarget } from './open-target.ts';
import { runTask } from './run-task.ts';
import { takeSnapshot } from './snapshot.ts';
import { BackupFailed, nameTarget } from './target.ts';

/** Makes a backup at the target in the settings, or copies into a new folder. */
export async function runBackup(context: CommandContext): Promise<undefined> {
  const { settings, options, say } = context;
  requireDatabase(settings);
  const { to, 'without-secret': withoutSecret = false } = options as {
    readonly to?: string;
    readonly 'without-secret'?: boolean;
  };
  if (to !== undefined) return backUpTo(context, resolve(to), !withoutSecret);
  if (withoutSecret) throw new UsageError('--without-secret needs --to.');
  const target = requireBackupSettings(settings);
  await checkBackupSettings(target);
  await using database = openDatabase({ url: settings.databaseUrl, file: databaseFile(settings.dataDir) });
  if (!(await isMigrated(database)))
    throw new UsageError('The schema of the database is older than this version: use --to, or run svc migrate before.');
  say(`Making a backup in ${nameTarget(target)} …`);
  const made = await runTask({ ...context, database }, 'backup', null);
  if (made === null) throw new BackupFailed('Another backup is being made: try again when it is done.');
  if ('failure' in made) throw new BackupFailed(made.failure);
  const { name, bytes, deleted = 0, fault = null } = made;
  const isEncrypted = target.recipients.length > 0;
  say(`${name} has ${bytes} bytes${isEncrypted ? ', encrypted' : ': keep it as safe as the server itself'}.`);
  if (settings.secret !== null) say(adviseOnSecret(settings));
  if (deleted > 0) say(`Deleted ${deleted} older backups.`);
  if (fault !== null) say(`Old backups remain: ${fault}`);
  context.result({ name, bytes, deleted, fault });
  return undefined;
}

/** Lists the backups at the target in the settings. */
export async function listStored({ settings, say, result }: CommandContext): Promise<undefined> {
  const target = await openTarget(requireBackupSettings(settings));
  // Of former secrets, too.
  const names = findSecrets(settings).map(nameInstallation);
  const found = (await listBackups(target)).filter(
    ({ installation }) => names.length === 0 || names.includes(installation),
  );
  const backups = found.filter(({ kind }) => kind === 'archive');
  const erasures = found.find(({ kind }) => kind === 'erasures');
  for (const { at, bytes, name } of backups) say(`${at}  ${String(bytes).padStart(12)}  ${name}`);
  if (backups.length === 0)
    say(`${target.label} has no backups${names.length === 0 ? '' : ` of ${names.join(', ')}`}.`);
  if (erasures !== undefined) say(`${erasures.at}  ${String(erasures.bytes).padStart(12)}  ${erasures.name}`);
  result({
    target: target.label,
    backups: backups.map(({ name, at, bytes, isEncrypted }) => ({ name, at, bytes, isEncrypted })),
    erasuresAt: erasures?.at ?? null,
  });
  return undefined;
}

async function backUpTo(
  { settings, say, result }: CommandContext,
  to: string,
  withSecret: boolean,
): Promise<undefined> {
  try {
    mkdirSync(to, { mode: 0o700 });
  } catch (error) {
    explainUncreated(error as NodeJS.ErrnoException);
  }
  try {
    if (settings.databaseUrl === null) say(`Copying ${databaseFile(settings.dataDir)} …`);
    const { bytes, hasSecret } = await takeSnapshot(settings, to, withSecret);
    const content = settings.databaseUrl === null ? `${bytes} bytes are` : 'What is outside of PostgreSQL is';
    say(`${content} in ${to}${hasSecret ? ', with the secret: keep it as safe as the server itself.' : '.'}`);
    if (!hasSecret) say(adviseOnSecret(settings));
    if (settings.databaseUrl !== null) say('Copy the database itself with pg_dump.');
    result({ folder: to, bytes, hasSecret });
  } catch (error) {
    // An incomplete copy must not be mistaken for a backup.
    rmSync(to, { recursive: true, force: true });
    throw error;
  }
}

function adviseOnSecret(settings: Settings): string {
  const loss = 'nothing can be restored without it.';
  if (settings.secret !== null) return `The secret is the setting SVC_SECRET: keep it, too; ${loss}`;
  if (findSecret(settings) === null) return `No secret was found: ${loss}`;
  return `It does not contain the secret: keep secret.key elsewhere; ${loss}`;
}
