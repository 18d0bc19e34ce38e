import { mkdirSync } from 'node:fs';
import { openDatabase } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';
import type { Command } from './command.ts';
import { databaseFile } from './options.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the database schema up to date',
  description: 'The server does this itself when it starts. Run it beforehand if servers start under load.',
  options: {},
  async run({ settings, say, result }) {
    if (settings.databaseUrl === null) mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
    await using database = openDatabase({ url: settings.databaseUrl, file: databaseFile(settings.dataDir) });
    const migrations = await migrate(database);
    say(migrations.length === 0 ? 'The schema is up to date.' : `Done: ${migrations.join(', ')}`);
    result({ migrations });
    return 0;
  },
};
