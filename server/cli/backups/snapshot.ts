import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  databaseFile,
  deriveSecrets,
  findInstallation,
  findKeyring,
  findSecret,
  isRotationIncomplete,
  openErasures,
  secretFile,
} from '../../installation/installation.ts';
import { AnchorLog, anchorFile } from '../../ledger/anchor-log.ts';
import { completeAnchors } from '../../ledger/checkpoint-store.ts';
import { erasureFile } from '../../ledger/erasure-log.ts';
import { completeErasures } from '../../ledger/erasure-store.ts';
import { readRotations } from '../../ledger/rotation-store.ts';
import type { Settings } from '../../settings.ts';
import { openDatabase } from '../../storage/database.ts';
import { lockFolder } from '../../storage/folder-lock.ts';
import { copySqlite } from '../../storage/sqlite.ts';
import { BackupFailed } from './target.ts';

/** In the backup of a server on PostgreSQL: the fingerprint of the secret, as the table `installation` has it. */
export const fingerprintFile = 'secret-fingerprint.txt';

/** A snapshot in a folder. */
export interface Snapshot {
  /** Of the database; of PostgreSQL, which is not part of it, 0. */
  readonly bytes: number;
  /** False if the secret is a setting, was left out or is missing. */
  readonly hasSecret: boolean;
}

/**
 * Copies what a restore needs into an empty folder: a consistent copy of the SQLite database, the log of checkpoints as far
 * as it describes the copy, the log of erasures, and the file of the secret. Of an installation on PostgreSQL, it copies
 * what is outside of the database.
 */
export async function takeSnapshot(settings: Settings, to: string, withSecret = true): Promise<Snapshot> {
  const { dataDir: from, databaseUrl } = settings;
  // So that the secret is that of the database.
  using _ = lockFolder(from, 'shared');
  // Copied before the database: a record of the log describes entries committed before it.
  for (const name of [anchorFile, erasureFile])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  const file = databaseFile(to);
  const { bytes } = databaseUrl === null ? copySqlite(databaseFile(from), file) : { bytes: 0 };
  const secret = findSecret(settings);
  if (secret !== null) {
    await using database = openDatabase({ url: databaseUrl, file, reads: true });
    if (isRotationIncomplete(settings, await findInstallation(database.kysely)))
      throw new BackupFailed(
        'The rotation of the secret has not reached this data folder: start the server, or run svc secret rotate, which completes it.',
      );
    const { signer, hasher } = deriveSecrets(secret, await readRotations(database.kysely));
    await completeAnchors(database.kysely, { signer, anchors: new AnchorLog(join(to, anchorFile), signer.verifier) });
    const erasures = openErasures({ ...findKeyring(settings), dataDir: to });
    await completeErasures(database.kysely, erasures, erasures.readNames());
    if (databaseUrl !== null) writeFileSync(join(to, fingerprintFile), `${hasher.fingerprint}\n`, { mode: 0o600 });
  }
  // Without the secret, checkpoints cannot be verified: the next start with the copy appends them.
  const own = join(from, secretFile);
  const hasSecret = withSecret && settings.secret === null && existsSync(own);
  if (hasSecret) copyFileSync(own, join(to, secretFile));
  return { bytes, hasSecret };
}
