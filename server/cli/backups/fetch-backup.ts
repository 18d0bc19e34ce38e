import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, deriveSecrets, findSecret, secretFile } from '../../installation/installation.ts';
import { erasureFile } from '../../ledger/erasure-log.ts';
import type { BackupSettings, Settings } from '../../settings.ts';
import { unpackArchive, unpackFile } from './archive.ts';
import { nameInstallation } from './backup-name.ts';
import { listBackups } from './make-backup.ts';
import { openTarget } from './open-target.ts';
import { fingerprintFile } from './snapshot.ts';
import { BackupFailed } from './target.ts';

/** A backup that was unpacked into a folder. */
export interface Fetched {
  readonly name: string;
  readonly bytes: number;
  /** When it was made. */
  readonly at: string;
  /** When the newest copy of erasures.log, which is beside it in the folder, was made; null if there is none. */
  readonly erasuresAt: string | null;
}

/**
 * Unpacks the newest backup of this installation into an empty folder, with the newest copy of erasures.log.
 * @param before only one that was made at this time or before; null for the newest.
 * @param identityFile the file with the private keys of age; null for none.
 * @throws {BackupFailed} also if it is of another installation than the secret, where there is one.
 */
export async function fetchBackup(
  settings: Settings,
  backup: BackupSettings,
  {
    before,
    identityFile,
    to,
  }: { readonly before: string | null; readonly identityFile: string | null; readonly to: string },
): Promise<Fetched> {
  const target = await openTarget(backup);
  const all = await listBackups(target);
  const installation = chooseInstallation(settings, target.label, [...new Set(all.map((one) => one.installation))]);
  const own = all.filter((one) => one.installation === installation);
  const archive = own.find(({ kind, at }) => kind === 'archive' && (before === null || at <= before));
  if (archive === undefined)
    throw new BackupFailed(
      `${target.label} has no backup of this installation${before === null ? '' : ` from ${before} or before`}: see svc backup list.`,
    );
  await unpackArchive(await target.read(archive.name), { ...archive, identityFile }, to);
  requireSecretOf(settings, to, archive.name);
  const { name, bytes, at } = archive;
  const erasures = own.find(({ kind }) => kind === 'erasures');
  if (erasures === undefined || erasures.at < at) return { name, bytes, at, erasuresAt: null };
  await unpackFile(await target.read(erasures.name), { ...erasures, identityFile }, join(to, erasureFile));
  return { name, bytes, at, erasuresAt: erasures.at };
}

/** The installation of the secret that is here; without one, the only one at the target. */
function chooseInstallation(settings: Settings, label: string, found: readonly string[]): string {
  const secret = findSecret(settings);
  const [first, ...others] = found;
  if (first === undefined) throw new BackupFailed(`${label} has no backups.`);
  if (secret !== null) {
    const own = nameInstallation(secret);
    if (found.includes(own)) return own;
    throw new BackupFailed(
      `${label} has only backups of another installation (${found.join(', ')}): the secret here is that of ${own}.`,
    );
  }
  if (others.length === 0) return first;
  throw new BackupFailed(
    `${label} has backups of several installations (${found.join(', ')}): put the secret.key of the one to restore into ${settings.dataDir}, or set SVC_SECRET.`,
  );
}

/** @throws {BackupFailed} if the secret that belongs to the backup is neither in it nor here. */
function requireSecretOf(settings: Settings, folder: string, name: string): void {
  const secret = findSecret({ secret: settings.secret, dataDir: folder }) ?? findSecret(settings);
  if (secret === null)
    throw new BackupFailed(`There is no ${secretFile} in ${name}: put it into ${settings.dataDir}, or set SVC_SECRET.`);
  if (existsSync(databaseFile(folder)) === (settings.databaseUrl !== null))
    throw new BackupFailed(
      settings.databaseUrl === null
        ? `${name} is of an installation on PostgreSQL: set DATABASE_URL.`
        : `${name} has a SQLite database: restore it without DATABASE_URL, and move it with svc move.`,
    );
  const file = join(folder, fingerprintFile);
  if (!existsSync(file) || readFileSync(file, 'utf8').trim() === deriveSecrets(secret).hasher.fingerprint) return;
  throw new BackupFailed(`This secret is not the one that ${name} was made with.`);
}
