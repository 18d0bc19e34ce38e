import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { databaseFile, findSecret } from '../../installation/installation.ts';
import { erasureFile } from '../../ledger/erasure-log.ts';
import { type BackupSettings, type Settings, SettingsError } from '../../settings.ts';
import { addTime } from '../../storage/database.ts';
import { packArchive, packFile } from './archive.ts';
import { type BackupName, nameBackup, nameInstallation, readBackupName } from './backup-name.ts';
import { makeDraft } from './draft-folder.ts';
import { openTarget } from './open-target.ts';
import { takeSnapshot } from './snapshot.ts';
import { BackupFailed, type BackupTarget } from './target.ts';

/** A file that was written to the target. */
export interface Written {
  readonly name: string;
  readonly bytes: number;
  /** How many older ones were deleted. */
  readonly deleted: number;
  /** Why older ones could not be deleted; null if they were. */
  readonly fault: string | null;
}

/** The settings of backups. @throws {SettingsError} if there are none. */
export function requireBackupSettings({ backup }: Settings): BackupSettings {
  if (backup !== null) return backup;
  throw new SettingsError('No target of backups is set: set SVC_BACKUP_TO to a folder or to s3://bucket/prefix.');
}

/**
 * Makes a backup at the target, and deletes those that need not be kept. The snapshot is temporarily in the data folder;
 * from there it is packed, encrypted and sent as a stream.
 * @param at the time in its name.
 */
export async function makeBackup(settings: Settings, at: string): Promise<Written> {
  const backup = requireBackupSettings(settings);
  const installation = requireInstallation(settings);
  const target = await openTarget(backup);
  const cleaned = await tryStep(() => target.clean(installation));
  using draft = makeDraft(settings.dataDir, 'backup');
  if (settings.databaseUrl === null) requireSpace(settings.dataDir, 1);
  await takeSnapshot(settings, draft.folder);
  const isEncrypted = backup.recipients.length > 0;
  const name = nameBackup({ installation, at, isEncrypted, state: null });
  const bytes = await target.write(name, await packArchive(draft.folder, backup.recipients));
  const isOld = ({ at: made }: BackupName, rank: number) =>
    rank >= backup.keep || (backup.keepFor > 0 && made < addTime(at, -backup.keepFor));
  const { deleted, fault } = await deleteOld(target, name, isOld);
  return { name, bytes, deleted, fault: fault ?? cleaned };
}

/** Copies erasures.log to the target, in place of the copies that are earlier states of it. */
export async function copyErasures(settings: Settings, at: string): Promise<Written> {
  const backup = requireBackupSettings(settings);
  const installation = requireInstallation(settings);
  const target = await openTarget(backup);
  const isEncrypted = backup.recipients.length > 0;
  const file = join(settings.dataDir, erasureFile);
  const { size } = statSync(file);
  const name = nameBackup({ installation, at, isEncrypted, state: await nameState(file, size) });
  const log = size === 0 ? Readable.from([]) : createReadStream(file, { end: size - 1 });
  const bytes = await target.write(name, await packFile(log, backup.recipients));
  const { deleted, fault } = await deleteOld(
    target,
    name,
    async ({ state }) => state !== null && state === (await nameState(file, Number.parseInt(state, 10))),
  );
  return { name, bytes, deleted, fault };
}

/** The state of a log when it had so many bytes: it is only appended to. */
async function nameState(file: string, bytes: number): Promise<string> {
  const digest = createHash('sha256');
  if (bytes > 0) for await (const chunk of createReadStream(file, { end: bytes - 1 })) digest.update(chunk);
  return `${bytes}-${digest.digest('hex').slice(0, 32)}`;
}

function requireInstallation(settings: Settings): string {
  const secret = findSecret(settings);
  if (secret === null) throw new BackupFailed('No secret was found, and nothing can be restored without it.');
  return nameInstallation(secret);
}

/** The files at a target with the name of a backup, newest first. */
export async function listBackups(target: BackupTarget): Promise<readonly (BackupName & { readonly bytes: number })[]> {
  const found = (await target.list()).flatMap(({ name, bytes }) => {
    const read = readBackupName(name);
    return read === null ? [] : [{ ...read, bytes }];
  });
  return found.sort((one, other) => (one.at < other.at ? 1 : -1));
}

/**
 * Deletes old files of the kind and the installation of a new one, which stays even if the clock was set back.
 * @param isOld is given the rank, too, from 1 for the newest of the others. A failure does not undo the new one.
 */
async function deleteOld(
  target: BackupTarget,
  written: string,
  isOld: (file: BackupName, rank: number) => boolean | Promise<boolean>,
): Promise<{ readonly deleted: number; readonly fault: string | null }> {
  let deleted = 0;
  const fault = await tryStep(async () => {
    const { installation, kind } = readBackupName(written) as BackupName;
    const own = (await listBackups(target)).filter((file) => file.installation === installation && file.kind === kind);
    const others = own.filter(({ name }) => name !== written);
    for (const [index, file] of others.entries()) {
      if (!(await isOld(file, index + 1))) continue;
      await target.remove(file.name);
      deleted += 1;
    }
  });
  return { deleted, fault };
}

/** @returns why a step failed; null if it succeeded. */
async function tryStep(step: () => Promise<void>): Promise<string | null> {
  try {
    await step();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @param copies of the database that are to be in the data folder. @throws {BackupFailed} if there is too little space. */
export function requireSpace(dataDir: string, copies: number): void {
  const sizes = ['', '-wal'].map((end) => `${databaseFile(dataDir)}${end}`);
  const needed = copies * sizes.reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  if (free >= needed) return;
  const mib = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  throw new BackupFailed(
    `The disk of ${dataDir} has ${mib(free)} free, and the temporary copy of the database needs ${mib(needed)}: free some space.`,
  );
}
