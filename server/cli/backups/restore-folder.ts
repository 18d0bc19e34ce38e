import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  databaseFile,
  deriveSecrets,
  findInstallation,
  findSecret,
  findSecrets,
  type Installation,
  isSecretOf,
  type Keyring,
  openErasures,
  type SecretPlace,
  type Secrets,
  secretFile,
  writeSecrets,
} from '../../installation/installation.ts';
import { AnchorLog, anchorFile } from '../../ledger/anchor-log.ts';
import { stateRestore } from '../../ledger/checkpoint-store.ts';
import { type ErasureLog, erasureFile } from '../../ledger/erasure-log.ts';
import { completeErasures, listLastErasures } from '../../ledger/erasure-store.ts';
import { readRotations } from '../../ledger/rotation-store.ts';
import { hasErased } from '../../privacy/erasure/erasure.ts';
import { type ReplayCounts, replayErasures } from '../../privacy/erasure/replay.ts';
import { systemClock } from '../../storage/clock.ts';
import { attachSeal, type Database, openDatabase } from '../../storage/database.ts';
import { removeRemains } from '../../storage/erased-remains.ts';
import { lockFolder } from '../../storage/folder-lock.ts';
import { flushToDisk } from '../../storage/log-file.ts';
import { isMigrated, migrate } from '../../storage/migrate.ts';
import { copySqlite } from '../../storage/sqlite.ts';
import { type CommandContext, UsageError } from '../command.ts';

/** How the log of erasures is used in a restore. */
interface ErasingAgain {
  /** Goes on without the erasures that are missing. */
  readonly mayLack: boolean;
  /** Copies of the log from the target, whose lines are used, too. */
  readonly copies?: readonly string[];
  /** Accepts what was made with a former secret of the installation. */
  readonly allowsFormer?: boolean;
}

/**
 * Restores a folder that `svc backup` made into the data folder, which must have no database.
 */
export async function restoreFolder(
  { settings, say, result }: Pick<CommandContext, 'settings' | 'say' | 'result'>,
  from: string,
  erasing: ErasingAgain,
): Promise<undefined> {
  const { dataDir } = settings;
  const target = databaseFile(dataDir);
  if (!existsSync(databaseFile(from))) throw new UsageError(`There is no backup in ${from}.`);
  requireNoDatabase(dataDir);
  if (findSecret({ secret: settings.secret, dataDir: from }) === null && findSecret(settings) === null)
    throw new UsageError(`There is no ${secretFile} in ${from}. Put it there, or set SVC_SECRET.`);
  using _ = lockFolder(dataDir, 'exclusive');
  const draft = `${target}.restoring-${process.pid}`;
  try {
    say(`Restoring ${from} …`);
    const { bytes } = copySqlite(databaseFile(from), draft);
    const { secret, rotations } = await findSecretOf(draft, settings, from);
    const ring = placeSecret(from, settings, secret, erasing.allowsFormer);
    requireNoDatabase(dataDir);
    const secrets = deriveSecrets(secret, rotations);
    const erasures = openErasures(ring, erasing.allowsFormer);
    const lines = takeErasures(erasures, from, say, erasing);
    placeMissing(anchorFile, from, dataDir);
    const anchors = new AnchorLog(join(dataDir, anchorFile), secrets.signer.verifier);
    const erased = await completeDraft(draft, { ...secrets, anchors, erasures }, lines);
    erasures.reseal();
    // Atomic, and unlike a rename it replaces nothing.
    linkSync(draft, target);
    flushToDisk(dataDir);
    say(describeErased(erased));
    sayIfFormer(settings, secret, say);
    say(`${bytes} bytes are in ${dataDir}. Check every hash with: svc verify`);
    result({ dataDir, bytes, erased });
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${draft}${end}`, { force: true });
  }
}

/** Copies a file of the backup that the data folder does not have. */
export function placeMissing(name: string, from: string, dataDir: string): void {
  const [saved, own] = [join(from, name), join(dataDir, name)];
  if (!existsSync(own) && existsSync(saved)) placeCopy(saved, own);
}

/**
 * Goes through the log of erasures once before anything is changed. A new data folder gets that of the backup first.
 * @returns its lines.
 * @throws {UsageError} if a used data folder has lost it, or it is not whole and unchanged.
 */
export function takeErasures(
  erasures: ErasureLog,
  from: string,
  say: (line: string) => void,
  { mayLack, copies = [] }: ErasingAgain,
): ReturnType<ErasureLog['read']> {
  const dataDir = dirname(erasures.file);
  if (!existsSync(erasures.file)) {
    if (existsSync(join(dataDir, anchorFile)) && !mayLack && copies.length === 0)
      throw lacksErasures(erasures.file, 'it is missing');
    placeMissing(erasureFile, from, dataDir);
    if (copies.length === 0) say(`${dataDir} had no ${erasureFile}: what was erased after the backup is not known.`);
  }
  const check = (one: ErasureLog, name: string) => {
    const refuse = (issue: string) => {
      if (!mayLack) throw lacksErasures(name, issue);
      say(`${name}: ${issue}`);
    };
    try {
      for (const _ of one.read(refuse));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      throw lacksErasures(name, `it cannot be read (${error.code})`);
    }
  };
  for (const copy of copies.map((file) => erasures.openCopy(file))) {
    check(copy, `The copy of ${erasureFile} at the target`);
    erasures.merge(copy, systemClock());
  }
  check(erasures, erasures.file);
  return erasures.read(() => undefined);
}

function lacksErasures(file: string, issue: string): UsageError {
  return new UsageError(
    `${file}: ${issue}. What was erased could return, so nothing was restored. Put an unchanged copy in its place: each server and each backup has one. If there is none, --without-erasures erases only what the unchanged lines name.`,
  );
}

type Restoring = Secrets & Pick<Installation, 'anchors' | 'erasures'>;

/** Erases again, and appends to the logs of the data folder. @returns the counts of erased values. */
async function completeDraft(draft: string, restoring: Restoring, lines: ReturnType<ErasureLog['read']>) {
  await using opened = openDatabase({ url: null, file: draft });
  // A backup of an older version lacks tables that the statement is computed from.
  await migrate(opened);
  return await completeRestore(attachSeal(opened, restoring.seal), restoring, lines, systemClock());
}

export async function completeRestore(
  database: Database,
  { erasures, box, ...anchoring }: Restoring,
  lines: ReturnType<ErasureLog['read']>,
  now: string,
): Promise<ReplayCounts> {
  const erased = await replayErasures(database, box, lines, now);
  // No other process uses the database; a backup that was made during an erasure needs it, too.
  await removeRemains(database);
  await stateRestore(database, anchoring, now);
  await completeErasures(database.kysely, erasures, erasures.readNames());
  erasures.appendRestored(now, await listLastErasures(database.kysely));
  return erased;
}

export function describeErased(erased: ReplayCounts): string {
  const { subjects, users, records, requests, breaches, evidence, auditEvents } = erased;
  if (!hasErased(erased)) return `Nothing in ${erasureFile} had to be erased again.`;
  return `Erased again from ${erasureFile}: ${subjects} data subjects with ${records} records, ${requests} requests, ${breaches} breaches, ${evidence} items of evidence, ${users} members, ${auditEvents} audit events.`;
}

/**
 * A leftover write-ahead log counts as a database, too: SQLite would apply it to the restored one.
 * @throws {UsageError}
 */
export function requireNoDatabase(dataDir: string): void {
  const files = ['', '-wal', '-shm', '-journal'].map((end) => `${databaseFile(dataDir)}${end}`);
  const left = files.filter((file) => existsSync(file));
  if (left.length === 0) return;
  throw new UsageError(
    `Files of a database exist: ${left.join(', ')}. They were not replaced. Stop the server and move ${left.length === 1 ? 'it' : 'them all'} away first.`,
  );
}

/** Finds the secret of a database among those of the backup and those that are here. @throws {UsageError} */
async function findSecretOf(file: string, settings: SecretPlace, from: string) {
  await using database = openDatabase({ url: null, file, reads: true });
  const row = await findInstallation(database.kysely);
  const known = [...findSecrets({ secret: settings.secret, dataDir: from }), ...findSecrets(settings)];
  // Every installation has this row: a database without it was not made by a server.
  const secret = row && known.find((one) => isSecretOf(row, one));
  if (secret === undefined) throw new UsageError('This secret is not the one that the backup was made with.');
  // A backup of a version before has no such table.
  const rotations = (await isMigrated(database)) ? await readRotations(database.kysely) : [];
  return { secret, rotations };
}

/**
 * Puts the secret of a backup into the data folder, before those that are there.
 * @returns the secrets, that of the backup first.
 * @throws {UsageError} if the folder has that of another installation, or one that was rotated since.
 */
export function placeSecret(from: string, settings: SecretPlace, secret: string, allowsFormer = false): Keyring {
  const { dataDir } = settings;
  const own = findSecrets(settings);
  const saved = findSecrets({ secret: null, dataDir: from });
  const known = own.length > 0 ? own : saved;
  const where = settings.secret === null ? join(dataDir, secretFile) : 'SVC_SECRET';
  if (known.length > 0 && !known.includes(secret))
    throw new UsageError(`The backup in ${from} is of another installation: ${where} has another secret.`);
  if (known.length > 0 && known[0] !== secret && !allowsFormer)
    throw new UsageError(
      `The backup in ${from} was made with a secret that was rotated since, so that others may have made it who know it: svc restore takes it only with --former-secret.`,
    );
  const secrets = [secret, ...known.filter((one) => one !== secret)];
  if (settings.secret === null && known.length > 0 && own[0] !== secret) writeSecrets(dataDir, secrets);
  return { secrets, dataDir };
}

/** Says what is left to do after a backup of a former secret was restored. */
export function sayIfFormer({ secret: setting }: SecretPlace, secret: string, say: (line: string) => void): void {
  if (setting !== null && findSecrets({ secret: setting, dataDir: '' })[0] !== secret)
    say('The backup was made with a former secret: put this one first in SVC_SECRET, and run: svc secret rotate');
}

/** Copies a file, which appears whole and on disk or not at all. It replaces another. */
export function placeCopy(from: string, to: string): void {
  const draft = `${to}.${process.pid}`;
  try {
    copyFileSync(from, draft);
    flushToDisk(draft);
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  flushToDisk(dirname(to));
}
