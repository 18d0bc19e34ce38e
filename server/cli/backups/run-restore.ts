import { resolve } from 'node:path';
import {
  findKeyring,
  findSecret,
  findSecrets,
  type Installation,
  openErasures,
  openInstallation,
  type SecretPlace,
} from '../../installation/installation.ts';
import { anchorFile } from '../../ledger/anchor-log.ts';
import { nameTree, readTreeName } from '../../ledger/checkpoint.ts';
import { erasureFile } from '../../ledger/erasure-log.ts';
import { listStates } from '../../ledger/tree-store.ts';
import { lockFolder } from '../../storage/folder-lock.ts';
import { type CommandContext, UsageError } from '../command.ts';
import { requireDatabase } from '../require.ts';
import { nameInstallation } from './backup-name.ts';
import { makeDraft } from './draft-folder.ts';
import { fetchBackup, fetchErasures } from './fetch-backup.ts';
import { requireBackupSettings } from './make-backup.ts';
import {
  completeRestore,
  describeErased,
  placeMissing,
  placeSecret,
  requireNoDatabase,
  restoreFolder,
  sayIfFormer,
  takeErasures,
} from './restore-folder.ts';
import { BackupFailed, nameTarget } from './target.ts';

/** The options of svc restore. */
interface RestoreOptions {
  readonly from?: string | undefined;
  readonly latest?: boolean | undefined;
  readonly before?: string | null | undefined;
  readonly 'age-identity'?: string | undefined;
  readonly 'former-secret'?: boolean | undefined;
  readonly unencrypted?: boolean | undefined;
  readonly 'in-place'?: boolean | undefined;
  readonly 'without-erasures'?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Restores a folder, a backup at the target in the settings, or accepts the database as it is. */
export async function runRestore(context: CommandContext): Promise<undefined> {
  const { settings } = context;
  const options = context.options as RestoreOptions;
  const { from, latest = false, before, 'in-place': isInPlace = false, yes = false } = options;
  const mayLack = options['without-erasures'] === true;
  const ways = [from !== undefined, latest, before !== undefined, isInPlace];
  if (ways.filter(Boolean).length !== 1) throw new UsageError('Give one of --from, --latest, --before and --in-place.');
  if (isInPlace) return acceptRestored(context, yes, mayLack);
  if (from === undefined) return restoreFromTarget(context, options, mayLack);
  if (settings.databaseUrl !== null)
    throw new UsageError(
      'The data is in PostgreSQL. Restore it with pg_restore, give the server its secret, and run: svc restore --in-place',
    );
  const { dataDir } = settings;
  const allowsFormer = options['former-secret'] === true;
  const place = findSecret(settings) === null ? { secret: null, dataDir: resolve(from) } : settings;
  if (settings.backup === null) return restoreFolder(context, resolve(from), { mayLack, allowsFormer });
  requireNoDatabase(dataDir);
  // A server must not use the folder; restoreFolder locks it itself.
  lockFolder(dataDir, 'exclusive')[Symbol.dispose]();
  using draft = makeDraft(dataDir, 'restore');
  const copies = await fetchCopies(context, place, draft.folder);
  return await restoreFolder(context, resolve(from), { mayLack, copies, allowsFormer });
}

/** The copies of erasures.log at the target in the settings; none without a target. */
async function fetchCopies(
  { settings: { backup }, options, say }: CommandContext,
  place: SecretPlace,
  to: string,
): Promise<readonly string[]> {
  if (backup === null) return [];
  const {
    'age-identity': identity,
    'without-erasures': mayLack,
    'former-secret': allowsFormer,
  } = options as RestoreOptions;
  const [present, ...former] = findSecrets(place).map(nameInstallation);
  const names = [...(present === undefined ? [] : [present]), ...(allowsFormer === true ? former : [])];
  try {
    say(`Fetching ${erasureFile} from ${nameTarget(backup)} …`);
    return await fetchErasures(backup, names, identity === undefined ? backup.identityFile : resolve(identity), to);
  } catch (error) {
    if (mayLack !== true || !(error instanceof BackupFailed)) throw error;
    say(error.message);
    return [];
  }
}

async function restoreFromTarget(
  context: CommandContext,
  options: RestoreOptions,
  mayLack: boolean,
): Promise<undefined> {
  const { settings, say, result } = context;
  const { before = null, unencrypted: allowsClear = false, 'age-identity': identity } = options;
  const allowsFormer = options['former-secret'] === true;
  const backup = requireBackupSettings(settings);
  const { dataDir } = settings;
  if (settings.databaseUrl === null) requireNoDatabase(dataDir);
  // A server must not use the folder; restoreFolder locks it itself.
  lockFolder(dataDir, 'exclusive')[Symbol.dispose]();
  using draft = makeDraft(dataDir, 'restore');
  say(`Fetching a backup from ${nameTarget(backup)} …`);
  const identityFile = identity === undefined ? backup.identityFile : resolve(identity);
  const isNew = findSecret(settings) === null;
  const fetched = await fetchBackup(settings, backup, {
    before,
    identityFile,
    allowsClear,
    allowsFormer,
    to: draft.folder,
  });
  say(`${fetched.name} was made at ${fetched.at}.`);
  if (isNew)
    say(`Its ledger key is ${fetched.ledgerKey} – compare it with the /.well-known/svc-ledger-key that you know.`);
  const { copies } = fetched;
  if (copies.length > 0) say(`${erasureFile} at the target is of ${fetched.erasuresAt}.`);
  // Awaited, because the folder is removed on return.
  if (settings.databaseUrl === null)
    return await restoreFolder(context, draft.folder, { mayLack, copies, allowsFormer });
  const place = placeSecret(draft.folder, settings, fetched.secret, allowsFormer);
  sayIfFormer(settings, fetched.secret, say);
  placeMissing(anchorFile, draft.folder, dataDir);
  const erasures = openErasures(place, allowsFormer);
  takeErasures(erasures, draft.folder, say, { mayLack: true, copies });
  erasures.reseal();
  say(`What is outside of the database is in ${dataDir}. Restore the database, and run: svc restore --in-place --yes`);
  result({ dataDir, name: fetched.name });
  return undefined;
}

async function acceptRestored(context: CommandContext, isKnown: boolean, mayLack: boolean): Promise<undefined> {
  const { settings, say, result } = context;
  requireDatabase(settings);
  using _ = lockFolder(settings.dataDir, 'exclusive');
  await using installation = await openInstallation(settings, undefined, undefined, true);
  const { database, erasures, clock } = installation;
  const { file } = installation.anchors;
  using draft = makeDraft(settings.dataDir, 'restore');
  const copies = isKnown ? await fetchCopies(context, settings, draft.folder) : [];
  const allowsFormer = (context.options as RestoreOptions)['former-secret'] === true;
  const log = allowsFormer ? openErasures(findKeyring(settings), true) : erasures;
  const lines = takeErasures(log, settings.dataDir, say, { mayLack, copies });
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
