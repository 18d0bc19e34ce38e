import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { databaseFile, findSecret } from '../installation/installation.ts';
import type { Settings } from '../settings.ts';
import { takeSnapshot } from './backups/snapshot.ts';
import { defineCommand, explainUncreated, flag, requireDatabase, UsageError } from './command.ts';

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
      const { bytes, hasSecret } = await takeSnapshot(settings, to, options['without-secret'] !== true);
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

function adviseOnSecret(settings: Settings): string {
  const loss = 'nothing can be restored without it.';
  if (settings.secret !== null) return `The secret is the setting SVC_SECRET: keep it, too; ${loss}`;
  if (findSecret(settings) === null) return `No secret was found: ${loss}`;
  return `It does not contain the secret: keep secret.key elsewhere; ${loss}`;
}
