import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { databaseFile } from '../installation/installation.ts';
import { findSecret, secretFile } from '../installation/secrets.ts';
import { AnchorLog, anchorFile } from '../ledger/anchor-log.ts';
import { completeAnchors } from '../ledger/checkpoint-anchors.ts';
import { NoteSigner } from '../ledger/signed-note.ts';
import type { Settings } from '../settings.ts';
import { openDatabase } from '../storage/database.ts';
import { copySqlite } from '../storage/sqlite.ts';
import { defineCommand, explainUncreated, flag, requireDatabase, UsageError } from './command.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'copy the SQLite database, its secret and its checkpoints, even while the server runs',
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
      const { bytes } = await copyWithAnchors(settings, to);
      const secret = join(settings.dataDir, secretFile);
      const takesSecret = options['without-secret'] !== true && settings.secret === null && existsSync(secret);
      if (takesSecret) copyFileSync(secret, join(to, secretFile));
      say(
        `${bytes} bytes are in ${to}${takesSecret ? ', with the secret: keep it as safe as the server itself.' : '.'}`,
      );
      if (!takesSecret) say(adviseOnSecret(settings.secret !== null, findSecret(settings) !== null));
      result({ folder: to, bytes, hasSecret: takesSecret });
    } catch (error) {
      // An incomplete copy must not be mistaken for a backup.
      rmSync(to, { recursive: true, force: true });
      throw error;
    }
  },
});

/** Copies the database, and the log of checkpoints as far as it describes the copy. */
async function copyWithAnchors(settings: Settings, to: string): Promise<{ readonly bytes: number }> {
  const { dataDir: from } = settings;
  const [log, copy] = [join(from, anchorFile), join(to, anchorFile)];
  // Copied before the database: a record of the log describes entries committed before it.
  if (existsSync(log)) copyFileSync(log, copy);
  const copied = copySqlite(databaseFile(from), databaseFile(to));
  await using database = openDatabase({ url: null, file: databaseFile(to), reads: true });
  const secret = findSecret(settings);
  // Without the secret, checkpoints cannot be verified: the next start with the copy appends them.
  if (secret === null) return copied;
  const signer = new NoteSigner(secret);
  await completeAnchors(database.kysely, { signer, anchors: new AnchorLog(copy, signer.verifier) });
  return copied;
}

function adviseOnSecret(isSetting: boolean, isKnown: boolean): string {
  if (isSetting) return 'The secret is the setting SVC_SECRET: keep it, too; nothing can be restored without it.';
  return isKnown
    ? 'It does not contain the secret: keep secret.key elsewhere; nothing can be restored without it.'
    : 'No secret was found: nothing can be restored without it.';
}
