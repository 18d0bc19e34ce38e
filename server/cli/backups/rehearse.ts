import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deriveSecrets, findSecret } from '../../installation/installation.ts';
import { ErasureLog, erasureFile } from '../../ledger/erasure-log.ts';
import { Findings } from '../../proofs/findings.ts';
import { verifyInstallation } from '../../proofs/verify-database.ts';
import type { Settings } from '../../settings.ts';
import { makeDraft } from './draft-folder.ts';
import { type Fetched, fetchBackup } from './fetch-backup.ts';
import { requireBackupSettings, requireSpace } from './make-backup.ts';
import { restoreFolder } from './restore-folder.ts';
import { BackupFailed } from './target.ts';

/** Restores the newest backup into a temporary folder below the data folder, and verifies every hash. */
export async function rehearseRestore(settings: Settings, now: string) {
  const backup = requireBackupSettings(settings);
  const { dataDir, databaseUrl } = settings;
  using draft = makeDraft(dataDir, 'rehearsal');
  // The unpacked copy, the restored one, and what SQLite writes while it restores.
  if (databaseUrl === null) requireSpace(dataDir, 3);
  const to = join(draft.folder, 'backup');
  mkdirSync(to);
  const { name, bytes, copies } = await fetchBackup(settings, backup, {
    before: null,
    identityFile: backup.identityFile,
    allowsClear: false,
    allowsFormer: false,
    to,
  });
  if (databaseUrl === null)
    await verifyRestored({ ...settings, dataDir: join(draft.folder, 'restored') }, to, { name, copies }, now);
  else for (const file of [join(to, erasureFile), ...copies]) readErasures(settings, file, name);
  return { name, bytes };
}

async function verifyRestored(
  settings: Settings,
  from: string,
  { name, copies }: Pick<Fetched, 'name' | 'copies'>,
  now: string,
): Promise<void> {
  const silent = { say: () => undefined, showProgress: () => undefined, result: () => undefined };
  await restoreFolder({ settings, ...silent }, from, { mayLack: false, copies });
  const findings = new Findings(silent.say);
  await verifyInstallation({ settings, now, notes: new Map(), progress: silent }, findings);
  const [first] = findings.list;
  if (first === undefined) return;
  throw new BackupFailed(
    `${name} was restored, and its verification found ${findings.list.length} faults, the first of them: ${first.message}`,
  );
}

/** Of PostgreSQL there are only the files outside of the database. */
function readErasures(settings: Settings, file: string, name: string): void {
  const secret = findSecret(settings) ?? findSecret({ secret: null, dataDir: dirname(file) }) ?? '';
  const log = new ErasureLog(file, deriveSecrets(secret).seal);
  const refuse = (issue: string) => {
    throw new BackupFailed(`${erasureFile} of ${name}: ${issue}.`);
  };
  for (const _ of log.read(refuse));
}
