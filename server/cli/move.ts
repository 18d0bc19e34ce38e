import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import {
  databaseFile,
  deriveSecrets,
  describeIncomplete,
  describeMoved,
  findInstallation,
  findSecret,
  type InstallationRow,
  isSecretOf,
  secretFile,
} from '../installation/installation.ts';
import { completeCopy, isCopyOf, markMoved, nameDatabase, openPlace, openTarget } from '../installation/move.ts';
import { explainUnreachable, explainUnwritable } from '../installation/unreachable.ts';
import { AnchorLog, anchorFile } from '../ledger/anchor-log.ts';
import { completeAnchors } from '../ledger/checkpoint-store.ts';
import { ErasureLog, erasureFile } from '../ledger/erasure-log.ts';
import { completeErasures } from '../ledger/erasure-store.ts';
import { readRotations } from '../ledger/rotation-store.ts';
import { exitCodes, Findings } from '../proofs/findings.ts';
import { verifyInstallation } from '../proofs/verify-database.ts';
import type { Settings } from '../settings.ts';
import { compareTable, copyTable, UnmovableData } from '../storage/copy-rows.ts';
import { openDatabase } from '../storage/database.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { isMigrated } from '../storage/migrate.ts';
import { excludeOthers } from '../storage/postgres.ts';
import { findAddressIssue } from '../storage/postgres-address.ts';
import type { Queries } from '../storage/queries.ts';
import { readLayout, type TableLayout } from '../storage/table-layout.ts';
import { placeCopy, placeSecret } from './backups/restore-folder.ts';
import { type CommandContext, defineCommand, UsageError } from './command.ts';
import { requireDatabase } from './require.ts';

const Address = z.string().superRefine((text, context) => {
  if (/^sqlite:./.test(text)) return;
  const isPostgres = /^postgres(ql)?:/.test(text);
  const issue = isPostgres ? findAddressIssue(text) : ': must be postgres://… or sqlite:<folder>';
  if (issue !== null) context.addIssue(issue);
});

export const move = defineCommand({
  description: `Stop every server first: while one uses the database, nothing is moved. Copies each row as it is into an empty database,
compares both, and verifies the copy as svc verify does. Then the old database is marked: no server starts on it again, and
the message says where the data went. It is not deleted.

Ledgers, checkpoints, proofs, keys and passwords remain valid. To PostgreSQL, the data folder stays in use: start the server
with the same SVC_DATA_DIR and with DATABASE_URL. To SQLite, the folder gets secret.key, ${anchorFile}
and ${erasureFile} too; it becomes SVC_DATA_DIR.

If it is interrupted, run it again: it starts over, or completes the last step. No server starts on an incomplete copy.`,
  options: {
    to: { schema: Address, meaning: 'postgres://… or sqlite:<folder>, an empty database', value: 'address' },
  },
  async run(context) {
    const { settings, options, say, result } = context;
    requireDatabase(settings);
    const target = readTarget(options.to, settings);
    const names = { from: nameDatabase(settings), to: nameDatabase(target) };
    try {
      const copied = await moveData(context, target, names.from, names.to);
      say(`Everything is in ${names.to}. ${adviseOn(target, settings)}`);
      result({ ...names, dataDir: target.dataDir, ...copied });
    } catch (error) {
      // One of both is PostgreSQL.
      throw explainUnwritable(explainUnreachable(error, target.databaseUrl), target.dataDir);
    }
    return undefined;
  },
});

/** @returns the counts of the copy; null if only the last step of an interrupted move was left. */
async function moveData(context: CommandContext, target: Settings, from: string, to: string) {
  const { settings, clock } = context;
  const { databaseUrl: url, dataDir } = settings;
  using held = new DisposableStack();
  held.use(lockFolder(dataDir, 'exclusive'));
  await using source = openDatabase({ url, file: databaseFile(dataDir), holds: false });
  if (!(await isMigrated(source))) throw new UsageError('The schema is not up to date; first run: svc migrate');
  const tables = await readLayout();
  // No other process writes to the source until the commit, which marks it as moved.
  const copied = await source.kysely.transaction().execute(async (transaction) => {
    const names = tables.map(({ name }) => name);
    if (source.dialect === 'postgres' && !(await excludeOthers(transaction, names)))
      throw new UsageError(`A server or another command uses ${from}. Stop it first. Nothing was moved.`);
    const installation = await requireSource(transaction, settings);
    const { moved_to, moved_at } = installation;
    if (moved_to === to && (await isCopyOf(target, from, installation))) return null;
    if (moved_to !== null) throw new UsageError(describeMoved(moved_to, moved_at));
    if (target.dataDir !== dataDir) held.use(lockFolder(target.dataDir, 'exclusive'));
    const counts = await copyAll(context, target, transaction, installation, tables);
    await markMoved(transaction, source, to, clock());
    return counts;
  });
  await using copy = openPlace(target);
  await completeCopy(copy, from, clock(), copied?.rows ?? null);
  return copied;
}

function adviseOn({ databaseUrl, dataDir }: Settings, { secret }: Settings): string {
  const kept = 'The old database was kept, and no server starts on it.';
  if (databaseUrl === null)
    return `Start the server with SVC_DATA_DIR=${dataDir}${secret === null ? '' : ', the same SVC_SECRET'} and without DATABASE_URL. ${kept}`;
  return `Start the server with DATABASE_URL and the same SVC_DATA_DIR${secret === null ? '; give further servers the secret in secret.key as SVC_SECRET' : ' and SVC_SECRET'}. ${kept}`;
}

/** The settings with which a server uses the target. @throws {UsageError} */
function readTarget(to: string, settings: Settings): Settings {
  const isFile = to.startsWith('sqlite:');
  if (isFile === (settings.databaseUrl === null))
    throw new UsageError(
      isFile
        ? 'The data is in SQLite. To copy it to another folder: svc backup and svc restore'
        : 'The data is in PostgreSQL. To copy it to another one: pg_dump and pg_restore',
    );
  if (!isFile) return { ...settings, databaseUrl: to };
  return { ...settings, databaseUrl: null, dataDir: resolve(to.slice('sqlite:'.length)) };
}

/** @throws {UsageError} if the database cannot be moved. */
async function requireSource(queries: Queries, settings: Settings): Promise<InstallationRow> {
  const installation = await findInstallation(queries);
  if (installation === undefined) throw new UsageError('There is nothing to move: no server has used this database.');
  if (installation.moving_from !== null) throw new UsageError(describeIncomplete(installation.moving_from));
  const secret = findSecret(settings);
  if (secret === null || !isSecretOf(installation, secret))
    throw new UsageError(
      `The secret of this database is not here. Put its ${secretFile} into ${settings.dataDir}, or set SVC_SECRET.`,
    );
  return installation;
}

/**
 * Copies everything, compares and verifies the copy, which remains marked as incomplete.
 * @param transaction of the source.
 */
async function copyAll(
  { settings, clock, say, showProgress }: CommandContext,
  target: Settings,
  transaction: Queries,
  installation: InstallationRow,
  all: readonly TableLayout[],
) {
  const { dataDir } = target;
  const from = nameDatabase(settings);
  const log = join(dataDir, anchorFile);
  const isElsewhere = dataDir !== settings.dataDir;
  const left = [log, join(dataDir, erasureFile)].find((file) => isElsewhere && existsSync(file));
  if (left !== undefined && !(await isCopyOf(target, from, installation)))
    throw new UsageError(`${left} belongs to another database. Name an empty folder. Nothing was moved.`);
  // The row of the installation is the mark of the move.
  const tables = all.filter(({ name }) => name !== 'installation');
  let copied = 0;
  {
    await using database = await openTarget(target, from, installation, all);
    if (isElsewhere && settings.secret === null) placeSecret(settings.dataDir, target, findSecret(settings) as string);
    for (const table of tables) {
      const onProgress = (rows: number) => showProgress(`${table.name}: ${rows} rows …`);
      const rows = await copyTable(transaction, database, table, onProgress);
      showProgress('');
      if (rows > 0) say(`${table.name}: ${rows} rows`);
      copied += rows;
    }
    say(`Comparing ${copied} rows …`);
    for (const table of tables) {
      const onProgress = (rows: number) => showProgress(`${table.name}: ${rows} rows compared …`);
      await compareTable(transaction, database.kysely, table, onProgress);
      showProgress('');
    }
    for (const name of [anchorFile, erasureFile])
      if (isElsewhere && existsSync(join(settings.dataDir, name)))
        placeCopy(join(settings.dataDir, name), join(dataDir, name));
    // Of another server, which this log would get within a minute. A missing log stays missing, and is reported.
    const { signer, seal } = deriveSecrets(findSecret(target) as string, await readRotations(transaction));
    if (existsSync(log))
      await completeAnchors(database.kysely, { signer, anchors: new AnchorLog(log, signer.verifier) });
    const erasures = new ErasureLog(join(dataDir, erasureFile), seal);
    await completeErasures(database.kysely, erasures, erasures.readNames());
  }
  say('Verifying the copy …');
  const findings = new Findings(say);
  const progress = { say: () => undefined, showProgress };
  await verifyInstallation({ settings: target, now: clock(), notes: new Map(), progress, isMoving: true }, findings);
  const { exitCode } = findings;
  if (exitCode !== exitCodes.holds && exitCode !== exitCodes.unchecked)
    throw new UnmovableData('The copy is as the source is, but svc verify found the above. Nothing was moved.');
  return { tables: tables.length, rows: copied, verified: findings.report() };
}
