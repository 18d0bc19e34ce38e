import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  completeRotation,
  databaseFile,
  deriveSecrets,
  findInstallation,
  findSecret,
  findSecrets,
  generateSecret,
  type InstallationRow,
  isSecretOf,
  openErasures,
  requireInPlace,
  type SecretPlace,
  secretFile,
  writeSecrets,
} from '../installation/installation.ts';
import { nameDatabase } from '../installation/move.ts';
import { AnchorLog, anchorFile } from '../ledger/anchor-log.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import { nameLogKey } from '../ledger/installation-log.ts';
import { readRotations, recordRotation } from '../ledger/rotation-store.ts';
import type { NoteVerifier } from '../ledger/signed-note.ts';
import { attachSeal, type Database, openDatabase, runTransaction } from '../storage/database.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { isMigrated } from '../storage/migrate.ts';
import { excludeOthers } from '../storage/postgres.ts';
import type { Queries } from '../storage/queries.ts';
import { readLayout } from '../storage/table-layout.ts';
import { type CommandContext, defineCommand, flag, UsageError } from './command.ts';
import { type Rekeyed, rekeyDatabase } from './rekey.ts';
import { requireDatabase } from './require.ts';

export const secretRotate = defineCommand({
  description: `Stop every server first: the secret changes in one transaction, which takes some seconds for each 10,000 members.
Sessions, keys, passwords, second factors, webhook secrets and proofs keep working. Each checkpoint from now on is signed
with another key, and a note that both keys sign says so. A former secret grants nothing any more; it stays behind the new
one in ${secretFile}, because backups of before need it.

Where the secret is the setting SVC_SECRET, write the new one into a file, and name it with --new-secret. Afterwards put it
first in SVC_SECRET of every server, and the former one behind it, with a comma between.

If it is interrupted, nothing has changed, or the next command completes it.`,
  options: {
    'new-secret': {
      schema: z.string().optional(),
      meaning: 'a file with the new secret, 32 characters or more without commas and spaces; default: a random one',
      value: 'file',
    },
    'end-sessions': {
      schema: flag,
      meaning: 'end all sessions, sign-ins in progress, access tokens and links that work once, as after a leak',
    },
  },
  async run(context) {
    const { settings, options, say, result } = context;
    requireDatabase(settings);
    using _ = lockFolder(settings.dataDir, 'exclusive');
    const { databaseUrl: url, dataDir } = settings;
    await using opened = openDatabase({ url, file: databaseFile(dataDir), holds: false });
    if (!(await isMigrated(opened))) throw new UsageError('The schema is not up to date; first run: svc migrate');
    const installation = await findInstallation(opened.kysely);
    requireInPlace(installation);
    const given = options['new-secret'] === undefined ? null : readNewSecret(options['new-secret']);
    if (given !== null && findSecrets(settings).includes(given))
      throw new UsageError('--new-secret: this installation has or had this secret: write another one into the file.');
    let rekeyed: Rekeyed | null = null;
    if (completeRotation(settings, installation)) say('The rotation that was interrupted is complete.');
    // The last step of one that was interrupted, if the secret is a setting.
    else if (given === null || installation === undefined || !isSecretOf(installation, given))
      rekeyed = await rotate(context, opened, requirePresent(settings, installation), given);
    const secrets = [...new Set([...(given === null ? [] : [given]), ...findSecrets(settings)])];
    openErasures({ dataDir, secrets }).reseal();
    const { signer } = deriveSecrets(secrets[0] as string, await readRotations(opened.kysely));
    const { verifierKey } = signer;
    const logKey = nameLogKey(signer.verifier);
    if (settings.secret === null)
      say(`The present secret is in ${join(dataDir, secretFile)}, and the former one behind it.`);
    else say('Set SVC_SECRET of every server to the new secret, a comma, and the former one. Then start them.');
    say(`Checkpoints are now signed with ${verifierKey}`);
    say(`The log of the installation has the key ${logKey} – give it to the operators of witnesses.`);
    say('Now make a backup: a restore of those of before needs the former secret.');
    if (rekeyed !== null && rekeyed.broken > 0)
      say(`${rekeyed.broken} rows were not written by Svc, and stay without effect: find them with svc verify.`);
    result({ ...rekeyed, verifierKey, logKey });
    return undefined;
  },
});

/** The secret that a database is used with. @throws {UsageError} */
function requirePresent(settings: SecretPlace, installation: InstallationRow | undefined): string {
  const present = findSecret(settings);
  if (present !== null && installation !== undefined && isSecretOf(installation, present)) return present;
  throw new UsageError(
    `The secret of this database is not here. Put its ${secretFile} into ${settings.dataDir}, or set SVC_SECRET.`,
  );
}

/** @param given the new secret; null for a random one. */
async function rotate(
  { settings, options, clock, say, showProgress }: CommandContext,
  opened: Database,
  present: string,
  given: string | null,
): Promise<Rekeyed> {
  const { dataDir, secret } = settings;
  const former = findSecrets(settings);
  if (secret !== null && given === null)
    throw new UsageError(
      'The secret is the setting SVC_SECRET: write a new one into a file, and name it with --new-secret.',
    );
  const next = given ?? generateSecret();
  const [from, to] = [deriveSecrets(present, await readRotations(opened.kysely)), deriveSecrets(next)];
  await requireOwnKey(opened.kysely, from.signer.verifier);
  const database = { ...attachSeal(opened, from.seal), clock };
  const anchors = new AnchorLog(join(dataDir, anchorFile), from.signer.verifier);
  const names = (await readLayout()).map(({ name }) => name);
  // Before the commit, so that the new secret cannot be lost.
  if (secret === null) writeSecrets(dataDir, former, next);
  say('Replacing what the former secret sealed …');
  const rekeyed = await runTransaction(database, clock(), async (tx) => {
    if (database.dialect === 'postgres' && !(await excludeOthers(tx.queries, names)))
      throw new UsageError(
        `A server or another command uses ${nameDatabase(settings)}. Stop it first. Nothing was changed.`,
      );
    if (options['end-sessions'] === true)
      for (const table of ['one_time_tokens', 'access_tokens', 'sessions', 'sign_in_challenges'] as const)
        await tx.queries.deleteFrom(table).execute();
    await recordRotation(tx, { signer: from.signer, anchors }, to.signer);
    const onProgress = (table: string, rows: number) => showProgress(`${table}: ${rows} rows …`);
    const counts = await rekeyDatabase(tx.queries, { from, to }, onProgress);
    await tx.queries.updateTable('installation').set({ secret_hash: to.hasher.fingerprint }).execute();
    return counts;
  });
  showProgress('');
  if (secret === null) writeSecrets(dataDir, [next, ...former]);
  say(`${rekeyed.changed} rows have new seals.`);
  return rekeyed;
}

/** @throws {UsageError} if the key that signs cannot open the newest checkpoints: rotations of it are missing. */
async function requireOwnKey(queries: Queries, verifier: NoteVerifier): Promise<void> {
  const notes = await queries.selectFrom('checkpoints').select('note').orderBy('at', 'desc').limit(100).execute();
  if (notes.length === 0 || notes.some(({ note }) => openCheckpoint(String(note), verifier) !== null)) return;
  throw new UsageError(
    'The key of this secret signed none of the newest checkpoints, so that the rotation would start another installation. Run svc verify.',
  );
}

/** @throws {UsageError} */
function readNewSecret(file: string): string {
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--new-secret: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (/^[^,\s]{32,1000}$/.test(secret)) return secret;
  throw new UsageError(
    `--new-secret: the secret in ${file} must have 32 characters or more, without commas and spaces.`,
  );
}
