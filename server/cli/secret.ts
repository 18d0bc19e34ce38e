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
  isSecretOf,
  openErasures,
  requireInPlace,
  secretFile,
  writeSecrets,
} from '../installation/installation.ts';
import { nameDatabase } from '../installation/move.ts';
import { AnchorLog, anchorFile } from '../ledger/anchor-log.ts';
import { readRotations, recordRotation } from '../ledger/rotation-store.ts';
import { attachSeal, type Database, openDatabase, runTransaction } from '../storage/database.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { isMigrated } from '../storage/migrate.ts';
import { excludeOthers } from '../storage/postgres.ts';
import { readLayout } from '../storage/table-layout.ts';
import { type CommandContext, defineCommand, requireDatabase, UsageError } from './command.ts';
import { sealAnew } from './seal-anew.ts';

export const secretRotate = defineCommand({
  name: 'secret rotate',
  summary: 'replace the secret of the installation',
  description: `Stop every server first: the secret changes in one transaction, which takes seconds. Sessions, keys, passwords, second
factors, webhook secrets and proofs keep working. Each checkpoint from now on is signed with another key, and a note that
both keys sign says so. A former secret grants nothing any more; it stays behind the new one in ${secretFile}, because
backups of before need it.

Where the secret is the setting SVC_SECRET, write the new one into a file, and name it with --new-secret. Afterwards put it
first in SVC_SECRET of every server, and the former one behind it, with a comma between.

If it is interrupted, run it again: it starts over, or completes the last step.`,
  options: {
    'new-secret': {
      schema: z.string().optional(),
      meaning: 'a file with the new secret, 32 characters or more without commas; default: a random one',
      value: 'file',
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
    completeRotation(settings, installation);
    const given = options['new-secret'] === undefined ? null : readNewSecret(options['new-secret']);
    // The last step of one that was interrupted.
    const isDone = given !== null && installation !== undefined && isSecretOf(installation, given);
    const present = findSecret(settings);
    if (isDone && present === given)
      throw new UsageError(`${options['new-secret']} has the present secret: it must be another.`);
    if (!isDone && (present === null || installation === undefined || !isSecretOf(installation, present)))
      throw new UsageError(
        `The secret of this database is not here. Put its ${secretFile} into ${dataDir}, or set SVC_SECRET.`,
      );
    if (settings.secret !== null && given === null)
      throw new UsageError(
        'The secret is the setting SVC_SECRET: write a new one into a file, and name it with --new-secret.',
      );
    const next = given ?? generateSecret();
    const changed = isDone ? null : await rotate(context, opened, present as string, next);
    // The setting still has the former secret alone.
    openErasures({ dataDir, secret: [next, ...findSecrets(settings)].join(',') }).sealAnew();
    if (settings.secret === null)
      say(`The new secret is in ${join(dataDir, secretFile)}, and the former one behind it.`);
    else say('Set SVC_SECRET of every server to the new secret, a comma, and the former one. Then start them.');
    const verifierKey = deriveSecrets(next, await readRotations(opened.kysely)).signer.verifierKey;
    say(`Checkpoints are now signed with ${verifierKey}`);
    say(
      'Make a backup: those of before need the former secret. Give witnesses the new key of the log, which the system page shows.',
    );
    result({ changed, verifierKey });
    return undefined;
  },
});

/** @returns how many rows were sealed anew. */
async function rotate(
  { settings, clock, say, showProgress }: CommandContext,
  opened: Database,
  present: string,
  next: string,
): Promise<number> {
  const { dataDir, secret } = settings;
  const former = findSecrets(settings);
  const rotations = await readRotations(opened.kysely);
  const [from, to] = [deriveSecrets(present, rotations), deriveSecrets(next)];
  const database = { ...attachSeal(opened, from.seal), clock };
  const anchors = new AnchorLog(join(dataDir, anchorFile), from.signer.verifier);
  const names = (await readLayout()).map(({ name }) => name);
  // Before the commit, so that the new secret cannot be lost.
  if (secret === null) writeSecrets(dataDir, former, next);
  say('Sealing everything anew …');
  let notes: readonly string[] = [];
  const changed = await runTransaction(database, clock(), async (tx) => {
    if (database.dialect === 'postgres' && !(await excludeOthers(tx.queries, names)))
      throw new UsageError(
        `A server or another command uses ${nameDatabase(settings)}. Stop it first. Nothing was changed.`,
      );
    notes = await recordRotation(tx, { signer: from.signer, anchors }, to.signer);
    const rows = await sealAnew(tx.queries, { from, to }, (table, count) => showProgress(`${table}: ${count} rows …`));
    await tx.queries.updateTable('installation').set({ secret_hash: to.hasher.fingerprint }).execute();
    return rows;
  });
  showProgress('');
  // The first is that of the log of the installation: from here on, the former key counts no more.
  anchors.append(notes.slice(0, 1));
  if (secret === null) writeSecrets(dataDir, [next, ...former]);
  say(`${changed} rows were sealed anew.`);
  return changed;
}

/** @throws {UsageError} */
function readNewSecret(file: string): string {
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--new-secret: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (/^[^,\n]{32,1000}$/.test(secret)) return secret;
  throw new UsageError(
    `--new-secret: the secret in ${file} must have 32 characters or more on one line, without commas.`,
  );
}
