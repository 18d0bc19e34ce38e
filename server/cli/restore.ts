import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findSecret, isSecretOf, secretFile } from '../access/secret.ts';
import { copySqlite, flushToDisk } from '../storage/copy-sqlite.ts';
import { openDatabase } from '../storage/database.ts';
import { type Command, UsageError } from './command.ts';
import { databaseFile } from './require-database.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'put a backup into an empty data folder',
  description:
    'Replaces nothing: move an old database away first, with its -wal and -shm files, and stop its server. The next start brings the schema up to date.',
  options: {
    from: { type: 'string', meaning: 'the folder that `svc backup` made', value: 'folder', required: true },
  },
  async run({ settings, options, say, result }) {
    if (settings.databaseUrl !== null)
      throw new UsageError('The data is in PostgreSQL. Restore it with pg_restore, and give the server its secret.');
    const from = resolve(String(options.from));
    const { dataDir } = settings;
    const target = databaseFile(dataDir);
    if (!existsSync(databaseFile(from))) throw new UsageError(`There is no backup in ${from}.`);
    requireNoDatabase(dataDir);
    const secret = findSecret({ secret: settings.secret, dataDir: from }) ?? findSecret(settings);
    if (secret === null) throw new UsageError(`There is no ${secretFile} in ${from}. Put it there, or set SVC_SECRET.`);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const draft = `${target}.restoring-${process.pid}`;
    try {
      say(`Restoring ${from} …`);
      const { bytes } = copySqlite(databaseFile(from), draft);
      if (!(await belongsTogether(draft, secret)))
        throw new UsageError('This secret is not the one that the backup was made with.');
      placeSecret(from, dataDir);
      requireNoDatabase(dataDir);
      // Appears whole or not at all, and unlike a rename replaces nothing.
      linkSync(draft, target);
      flushToDisk(dataDir);
      say(`${bytes} bytes are in ${dataDir}. Look at every hash with: svc verify`);
      result({ dataDir, bytes });
      return 0;
    } finally {
      for (const end of ['', '-wal', '-shm']) rmSync(`${draft}${end}`, { force: true });
    }
  },
};

/**
 * A log that was left behind is part of a database as well: SQLite would play it back over the restored one.
 * @throws {UsageError}
 */
function requireNoDatabase(dataDir: string): void {
  const left = ['', '-wal', '-shm', '-journal']
    .map((end) => `${databaseFile(dataDir)}${end}`)
    .filter((file) => existsSync(file));
  if (left.length === 0) return;
  const files = left.join(', ');
  throw new UsageError(
    `There already: ${files}. Nothing is replaced. Stop the server, and move ${left.length === 1 ? 'it' : 'them together'} away first.`,
  );
}

async function belongsTogether(file: string, secret: string): Promise<boolean> {
  await using database = openDatabase({ url: null, file });
  return await isSecretOf(database.kysely, secret);
}

/** The secret of the backup, where it has one. @throws {UsageError} when the data folder has another. */
function placeSecret(from: string, dataDir: string): void {
  const [saved, own] = [join(from, secretFile), join(dataDir, secretFile)];
  if (!existsSync(saved)) return;
  if (!existsSync(own)) copyFileSync(saved, own);
  else if (findSecret({ secret: null, dataDir }) !== findSecret({ secret: null, dataDir: from }))
    throw new UsageError(`${own} is another secret than that of the backup; it is left as it is. Move it away first.`);
}
