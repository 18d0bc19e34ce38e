import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, deriveSecrets, findSecret, findSecrets, secretFile } from '../../installation/installation.ts';
import { erasureFile } from '../../ledger/erasure-log.ts';
import { readRotations } from '../../ledger/rotation-store.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';
import type { BackupSettings, Settings } from '../../settings.ts';
import { openDatabase } from '../../storage/database.ts';
import { isMigrated } from '../../storage/migrate.ts';
import { unpackArchive, unpackFile } from './archive.ts';
import { type BackupName, nameInstallation } from './backup-name.ts';
import { listBackups } from './make-backup.ts';
import { openTarget } from './open-target.ts';
import { fingerprintFile } from './snapshot.ts';
import { BackupFailed, type BackupTarget } from './target.ts';

/** A backup that was unpacked into a folder. */
export interface Fetched {
  readonly name: string;
  readonly bytes: number;
  /** When it was made. */
  readonly at: string;
  /** When the newest copy of erasures.log at the target was made; null if there is none. */
  readonly erasuresAt: string | null;
  /** The copies of erasures.log, beside it in the folder. */
  readonly copies: readonly string[];
  /** The secret that it was made with. */
  readonly secret: string;
  /** The public key of its checkpoints, as `/.well-known/svc-ledger-key` has it. */
  readonly ledgerKey: string;
}

/** Which backup is fetched, and how. */
export interface Fetching {
  /** Only one that was made at this time or before; null for the newest. */
  readonly before: string | null;
  /** The file with the private keys of age; null for none. */
  readonly identityFile: string | null;
  /** Takes backups of former secrets, too. */
  readonly allowsFormer: boolean;
  /** Accepts a backup in the clear even if a key of age is set. */
  readonly allowsClear: boolean;
  /** The empty folder to unpack into. */
  readonly to: string;
}

/**
 * Unpacks the newest backup of this installation into an empty folder, and the copies of erasures.log.
 * @throws {BackupFailed} also if it is not of the installation in its name, or of another than the secret that is here.
 */
export async function fetchBackup(
  settings: Settings,
  backup: BackupSettings,
  { before, identityFile, allowsClear, allowsFormer, to }: Fetching,
): Promise<Fetched> {
  const target = await openTarget(backup);
  const all = await listBackups(target);
  const found = [...new Set(all.map((one) => one.installation))];
  const names = chooseInstallation(settings, target.label, found, allowsFormer);
  const own = all.filter((one) => names.includes(one.installation));
  const archive = own.find(({ kind, at }) => kind === 'archive' && (before === null || at <= before));
  if (archive === undefined)
    throw new BackupFailed(
      `${target.label} has no backup of this installation${before === null ? '' : ` from ${before} or before`}: see svc backup list.`,
    );
  const { name, bytes, at, isEncrypted } = archive;
  if (!isEncrypted && !allowsClear && (identityFile !== null || backup.recipients.length > 0))
    throw new BackupFailed(
      `${name} is not encrypted, so anyone who can write to ${target.label} can have made it: svc restore takes it only with --unencrypted.`,
    );
  await unpackArchive(await target.read(name), { ...archive, identityFile }, to);
  requireContent(settings, to, name);
  const secret = requireSecretOf(settings, to, archive);
  const ledgerKey = new NoteSigner(secret, await readRotationsOf(settings, to)).verifierKey;
  const erasures = own.filter(({ kind }) => kind === 'erasures');
  const copies = await unpackCopies(target, erasures, identityFile, to);
  return { name, bytes, at, secret, ledgerKey, erasuresAt: erasures[0]?.at ?? null, copies };
}

/**
 * Unpacks the copies of erasures.log that an installation has at the target.
 * @param installations its names, one for each secret that counts.
 * @throws {BackupFailed}
 */
export async function fetchErasures(
  backup: BackupSettings,
  installations: readonly string[],
  identityFile: string | null,
  to: string,
): Promise<readonly string[]> {
  const target = await openTarget(backup);
  const all = await listBackups(target);
  const own = all.filter((one) => installations.includes(one.installation) && one.kind === 'erasures');
  return unpackCopies(target, own, identityFile, to);
}

/** Usually there is one; several if another server, or a restored copy of it, has the same target. */
async function unpackCopies(
  target: BackupTarget,
  erasures: readonly BackupName[],
  identityFile: string | null,
  to: string,
): Promise<readonly string[]> {
  const copies: string[] = [];
  for (const copy of erasures) {
    const file = join(to, `${copies.length + 1}-${erasureFile}`);
    await unpackFile(await target.read(copy.name), { ...copy, identityFile }, file);
    copies.push(file);
  }
  return copies;
}

/** The names of the installation whose secret is here; without one, the only one at the target. */
function chooseInstallation(
  settings: Settings,
  label: string,
  found: readonly string[],
  allowsFormer: boolean,
): readonly string[] {
  const [own, ...former] = findSecrets(settings).map(nameInstallation);
  const [first, ...others] = found;
  if (first === undefined) throw new BackupFailed(`${label} has no backups.`);
  if (own !== undefined) {
    const names = [own, ...(allowsFormer ? former : [])];
    if (names.some((name) => found.includes(name))) return names;
    throw new BackupFailed(
      former.some((name) => found.includes(name))
        ? `${label} has only backups that were made with a secret that was rotated since, so that others may have made them who know it: svc restore takes them only with --former-secret.`
        : `${label} has only backups of another installation (${found.join(', ')}): the secret here is that of ${own}.`,
    );
  }
  if (others.length === 0) return [first];
  throw new BackupFailed(
    `${label} has backups of several installations (${found.join(', ')}): put the secret.key of the one to restore into ${settings.dataDir}, or set SVC_SECRET.`,
  );
}

/** Of PostgreSQL, the rotations are in the database, which is not part of the backup. */
async function readRotationsOf({ databaseUrl }: Settings, folder: string) {
  if (databaseUrl !== null) return [];
  await using database = openDatabase({ url: null, file: databaseFile(folder), reads: true });
  return (await isMigrated(database)) ? await readRotations(database.kysely) : [];
}

/** @throws {BackupFailed} if the backup is of an installation on the other kind of database. */
function requireContent({ databaseUrl }: Settings, folder: string, name: string): void {
  if (existsSync(databaseFile(folder)) !== (databaseUrl !== null)) return;
  throw new BackupFailed(
    databaseUrl === null
      ? `${name} is of an installation on PostgreSQL: set DATABASE_URL.`
      : `${name} has a SQLite database: restore it without DATABASE_URL, and move it with svc move.`,
  );
}

/**
 * Age authenticates nothing, and public keys are known to others: only the secret shows whose backup it is.
 * @returns the secret that belongs to the backup.
 * @throws {BackupFailed} if it is neither in it nor here, or is not that of the installation in its name.
 */
function requireSecretOf(settings: Settings, folder: string, { name, installation }: BackupName): string {
  const saved = findSecret({ secret: null, dataDir: folder });
  const own = findSecrets(settings);
  const secret = own.find((one) => nameInstallation(one) === installation) ?? own[0] ?? saved;
  if (secret === null)
    throw new BackupFailed(`There is no ${secretFile} in ${name}: put it into ${settings.dataDir}, or set SVC_SECRET.`);
  if ((saved !== null && saved !== secret) || nameInstallation(secret) !== installation)
    throw new BackupFailed(`${name} has the secret of another installation than ${installation}: take another backup.`);
  const file = join(folder, fingerprintFile);
  if (!existsSync(file) || readFileSync(file, 'utf8').trim() === deriveSecrets(secret).hasher.fingerprint)
    return secret;
  throw new BackupFailed(`This secret is not the one that ${name} was made with.`);
}
