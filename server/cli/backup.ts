import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import {
  databaseFile,
  deriveSecrets,
  findSecret,
  type Installation,
  isSecretOf,
  openInstallation,
  type Secrets,
  secretFile,
} from '../installation/installation.ts';
import { AnchorLog, anchorFile } from '../ledger/anchor-log.ts';
import { nameTree, readTreeName } from '../ledger/checkpoint.ts';
import { completeAnchors, stateRestore } from '../ledger/checkpoint-store.ts';
import { ErasureLog, erasureFile } from '../ledger/erasure-log.ts';
import { completeErasures, listLastErasures } from '../ledger/erasure-store.ts';
import { listStates } from '../ledger/tree-store.ts';
import { hasErased } from '../privacy/erasure/erasure.ts';
import { type ReplayCounts, replayErasures } from '../privacy/erasure/replay.ts';
import { forgetErased } from '../privacy/erasure/store.ts';
import type { Settings } from '../settings.ts';
import { attachSeal, type Database, openDatabase, systemClock } from '../storage/database.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { flushToDisk } from '../storage/log-file.ts';
import { migrate } from '../storage/migrate.ts';
import { copySqlite } from '../storage/sqlite.ts';
import { type CommandContext, defineCommand, explainUncreated, flag, requireDatabase, UsageError } from './command.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'copy the SQLite database, its secret, checkpoints and erasures, even while the server runs',
  description:
    'The copy is a consistent snapshot, and is checked before the command succeeds. It can be verified in place, even on read-only storage: SVC_DATA_DIR=<folder> svc verify. For PostgreSQL use its own tools: pg_dump, or a backup of the whole cluster.',
  options: {
    to: { schema: z.string(), meaning: 'the folder to create; it must not exist', value: 'folder' },
    'without-secret': {
      schema: flag,
      meaning: 'leave out secret.key; keep it elsewhere: nothing can be restored without it',
    },
  },
  async run({ settings, options, say, result }) {
    if (settings.databaseUrl !== null)
      throw new UsageError('The data is in PostgreSQL. Back it up with pg_dump, and keep the secret with it.');
    requireDatabase(settings);
    const to = resolve(options.to);
    try {
      mkdirSync(to, { mode: 0o700 });
    } catch (error) {
      explainUncreated(error as NodeJS.ErrnoException);
    }
    try {
      say(`Copying ${databaseFile(settings.dataDir)} …`);
      const bytes = await copyWithAnchors(settings, to);
      const secret = join(settings.dataDir, secretFile);
      const hasSecret = options['without-secret'] !== true && settings.secret === null && existsSync(secret);
      if (hasSecret) copyFileSync(secret, join(to, secretFile));
      say(`${bytes} bytes are in ${to}${hasSecret ? ', with the secret: keep it as safe as the server itself.' : '.'}`);
      if (!hasSecret) say(adviseOnSecret(settings));
      result({ folder: to, bytes, hasSecret });
    } catch (error) {
      // An incomplete copy must not be mistaken for a backup.
      rmSync(to, { recursive: true, force: true });
      throw error;
    }
  },
});

/** Copies the database, the log of checkpoints as far as it describes the copy, and the log of erasures. @returns the size of the database. */
async function copyWithAnchors(settings: Settings, to: string): Promise<number> {
  const { dataDir: from } = settings;
  const [log, copy] = [join(from, anchorFile), join(to, anchorFile)];
  // Copied before the database: a record of the log describes entries committed before it.
  if (existsSync(log)) copyFileSync(log, copy);
  if (existsSync(join(from, erasureFile))) copyFileSync(join(from, erasureFile), join(to, erasureFile));
  const { bytes } = copySqlite(databaseFile(from), databaseFile(to));
  await using database = openDatabase({ url: null, file: databaseFile(to), reads: true });
  const secret = findSecret(settings);
  // Without the secret, checkpoints cannot be verified: the next start with the copy appends them.
  if (secret === null) return bytes;
  const { signer, seal } = deriveSecrets(secret);
  await completeAnchors(database.kysely, { signer, anchors: new AnchorLog(copy, signer.verifier) });
  const erasures = new ErasureLog(join(to, erasureFile), seal);
  await completeErasures(database.kysely, erasures, erasures.readNames());
  return bytes;
}

function adviseOnSecret(settings: Settings): string {
  const loss = 'nothing can be restored without it.';
  if (settings.secret !== null) return `The secret is the setting SVC_SECRET: keep it, too; ${loss}`;
  if (findSecret(settings) === null) return `No secret was found: ${loss}`;
  return `It does not contain the secret: keep secret.key elsewhere; ${loss}`;
}

export const restore = defineCommand({
  name: 'restore',
  summary: 'put a backup into an empty data folder',
  description: `Never replaces a database: first stop its server and move it away, with its -wal and -shm files. While a server runs in
the data folder, nothing is restored. The next start brings the schema up to date. A signed statement in ${anchorFile}
records the restore, so that svc verify does not report it as a roll-back.

What was erased since the backup is erased again, as ${erasureFile} of the data folder names it; if the folder is new, that of
the backup. Without a file that is whole and unchanged, nothing is restored: put a copy in its place, from another server or
a newer backup. If there is none, --without-erasures goes on without what is missing.

With --in-place nothing is copied: the database in the settings was restored by other means (pg_restore, a snapshot of
the machine), and the command only records that in ${anchorFile}. With several servers on one PostgreSQL, run it on each.
It prints the entries of each ledger in ${anchorFile} and in the database, and stops there without --yes: earlier records
of ${anchorFile} no longer count after a restore. svc verify prints the time of the restore. Erases again, too.`,
  options: {
    from: { schema: z.string().optional(), meaning: 'the folder that `svc backup` made', value: 'folder' },
    'in-place': { schema: flag, meaning: 'accept the current database as restored by other means' },
    'without-erasures': {
      schema: flag,
      meaning: 'go on without erasures.log, or with what is unchanged of it: erased values may return',
    },
    yes: { schema: flag, meaning: 'with --in-place: yes, I know of this restore' },
  },
  async run(context) {
    const { settings, options } = context;
    const { from, 'in-place': isInPlace = false, yes = false, 'without-erasures': mayLack = false } = options;
    if ((from === undefined) !== isInPlace) throw new UsageError('Give either --from or --in-place.');
    if (from === undefined) return acceptRestored(context, yes, mayLack);
    if (settings.databaseUrl !== null)
      throw new UsageError(
        'The data is in PostgreSQL. Restore it with pg_restore, give the server its secret, and run: svc restore --in-place',
      );
    return restoreFolder(context, resolve(from), mayLack);
  },
});

async function restoreFolder(
  { settings, say, result }: CommandContext,
  from: string,
  mayLack: boolean,
): Promise<undefined> {
  const { dataDir } = settings;
  const target = databaseFile(dataDir);
  if (!existsSync(databaseFile(from))) throw new UsageError(`There is no backup in ${from}.`);
  requireNoDatabase(dataDir);
  const secret = findSecret({ secret: settings.secret, dataDir: from }) ?? findSecret(settings);
  if (secret === null) throw new UsageError(`There is no ${secretFile} in ${from}. Put it there, or set SVC_SECRET.`);
  using _ = lockFolder(dataDir, 'exclusive');
  const draft = `${target}.restoring-${process.pid}`;
  try {
    say(`Restoring ${from} …`);
    const { bytes } = copySqlite(databaseFile(from), draft);
    await requireSecretOf(draft, secret);
    placeSecret(from, dataDir);
    requireNoDatabase(dataDir);
    const secrets = deriveSecrets(secret);
    const erasures = new ErasureLog(join(dataDir, erasureFile), secrets.seal);
    const lines = takeErasures(erasures, from, { say, mayLack });
    placeMissing(anchorFile, from, dataDir);
    const anchors = new AnchorLog(join(dataDir, anchorFile), secrets.signer.verifier);
    const erased = await completeDraft(draft, { ...secrets, anchors, erasures }, lines);
    // Atomic, and unlike a rename it replaces nothing.
    linkSync(draft, target);
    flushToDisk(dataDir);
    say(describeErased(erased));
    say(`${bytes} bytes are in ${dataDir}. Check every hash with: svc verify`);
    result({ dataDir, bytes, erased });
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${draft}${end}`, { force: true });
  }
}

/** Copies a file of the backup that the data folder does not have. */
function placeMissing(name: string, from: string, dataDir: string): void {
  const [saved, own] = [join(from, name), join(dataDir, name)];
  if (!existsSync(own) && existsSync(saved)) placeCopy(saved, own);
}

/**
 * Goes through the log of erasures once before anything is changed. A new data folder gets that of the backup first.
 * @returns its lines.
 * @throws {UsageError} if a used data folder has lost it, or it is not whole and unchanged.
 */
function takeErasures(
  log: ErasureLog,
  from: string,
  { say, mayLack }: Pick<CommandContext, 'say'> & { readonly mayLack: boolean },
): ReturnType<ErasureLog['read']> {
  const dataDir = dirname(log.file);
  if (!existsSync(log.file)) {
    if (existsSync(join(dataDir, anchorFile)) && !mayLack) throw lacksErasures(log.file, 'it is missing');
    placeMissing(erasureFile, from, dataDir);
    say(`${dataDir} had no ${erasureFile}: what was erased after the backup is not known.`);
  }
  const refuse = (issue: string) => {
    if (!mayLack) throw lacksErasures(log.file, issue);
    say(`${log.file}: ${issue}`);
  };
  try {
    for (const _ of log.read(refuse));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw lacksErasures(log.file, `it cannot be read (${error.code})`);
  }
  return log.read(() => undefined);
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

async function completeRestore(
  database: Database,
  { erasures, box, ...anchoring }: Restoring,
  lines: ReturnType<ErasureLog['read']>,
  now: string,
): Promise<ReplayCounts> {
  const erased = await replayErasures(database, box, lines, now);
  // No other process uses the database; a backup that was made during an erasure needs it, too.
  const hasErased = Object.values(erased).some((count) => count > 0);
  await forgetErased(database, { hasErased, mayWait: true });
  await stateRestore(database, anchoring, now);
  await completeErasures(database.kysely, erasures, erasures.readNames());
  erasures.appendRestored(now, await listLastErasures(database.kysely));
  return erased;
}

function describeErased(erased: ReplayCounts): string {
  const { subjects, users, records, requests, breaches, evidence, auditEvents } = erased;
  if (!hasErased(erased)) return `Nothing in ${erasureFile} had to be erased again.`;
  return `Erased again from ${erasureFile}: ${subjects} data subjects with ${records} records, ${requests} requests, ${breaches} breaches, ${evidence} items of evidence, ${users} members, ${auditEvents} audit events.`;
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
  const lines = takeErasures(erasures, settings.dataDir, { say, mayLack });
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

/**
 * A leftover write-ahead log counts as a database, too: SQLite would apply it to the restored one.
 * @throws {UsageError}
 */
function requireNoDatabase(dataDir: string): void {
  const files = ['', '-wal', '-shm', '-journal'].map((end) => `${databaseFile(dataDir)}${end}`);
  const left = files.filter((file) => existsSync(file));
  if (left.length === 0) return;
  throw new UsageError(
    `Files of a database exist: ${left.join(', ')}. They were not replaced. Stop the server and move ${left.length === 1 ? 'it' : 'them all'} away first.`,
  );
}

/** @throws {UsageError} */
async function requireSecretOf(file: string, secret: string): Promise<void> {
  await using database = openDatabase({ url: null, file, reads: true });
  if (await isSecretOf(database.kysely, secret)) return;
  throw new UsageError('This secret is not the one that the backup was made with.');
}

/** Copies the secret of a folder, if it has one. @throws {UsageError} if the data folder has another. */
export function placeSecret(from: string, dataDir: string): void {
  const [saved, own] = [join(from, secretFile), join(dataDir, secretFile)];
  if (!existsSync(saved)) return;
  if (!existsSync(own)) placeCopy(saved, own);
  else if (findSecret({ secret: null, dataDir }) !== findSecret({ secret: null, dataDir: from }))
    throw new UsageError(`${own} is not the secret in ${from}; it was not changed. Move it away first.`);
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
