import { mkdirSync } from 'node:fs';
import { databaseFile } from '../installation/installation.ts';
import { describeSettings } from '../settings.ts';
import { openDatabase } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';
import { defineCommand } from './command.ts';

const settings = describeSettings().map(({ name, meaning }) => `  ${name.padEnd(26)} ${meaning}`);

// The server is loaded when it is started: the other commands start twice as fast without it.
export const serve = defineCommand({
  name: 'serve',
  summary: 'start the server',
  description: `Settings are environment variables:\n${settings.join('\n')}`,
  options: {},
  run: async (context) => (await import('./run-server.ts')).runServer(context, false),
});

/** Hosts that only this machine can reach. */
export const loopback: readonly string[] = ['127.0.0.1', '::1', '[::1]', 'localhost'];

export const demo = defineCommand({
  name: 'demo',
  summary: 'start the server, with a demo tenant if the database is empty',
  description: 'This is what npm start runs. The settings are those of svc serve.',
  options: {},
  // The webhook receiver of the demo is on this machine. A server that is reachable from outside must not send requests to
  // its own network.
  defaults: ({ HOST = '', SVC_BASE_URL = '' }): Readonly<Record<string, string>> => {
    const isLocal = ['', ...loopback].includes(HOST);
    // An invalid address has no host name; the settings reject it.
    const isLocalUrl = SVC_BASE_URL === '' || loopback.includes(URL.parse(SVC_BASE_URL)?.hostname ?? '');
    return isLocal && isLocalUrl ? { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' } : {};
  },
  run: async (context) => (await import('./run-server.ts')).runServer(context, true),
});

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'bring the database schema up to date',
  description: 'The server does this itself when it starts. Run it beforehand if servers start under load.',
  options: {},
  async run({ settings: { databaseUrl, dataDir }, say, result }) {
    if (databaseUrl === null) mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    await using database = openDatabase({ url: databaseUrl, file: databaseFile(dataDir) });
    const migrations = await migrate(database);
    say(migrations.length === 0 ? 'The schema is up to date.' : `Done: ${migrations.join(', ')}`);
    result({ migrations });
  },
});
