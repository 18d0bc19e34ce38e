import { databaseFile, openInstallation } from '../installation/installation.ts';
import { describeSettings, type Settings } from '../settings.ts';
import { openDatabase } from '../storage/database.ts';
import { distribute, requireDistributable } from '../storage/distribution.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { listWaitingMigrations, migrate } from '../storage/migrate.ts';
import { requireUsable } from '../storage/requirements.ts';
import { type CommandContext, defineCommand, flag } from './command.ts';
import { requireDatabase } from './require.ts';
import { loopback } from './server-address.ts';

const settings = describeSettings().map(({ name, meaning }) => `  ${name.padEnd(26)} ${meaning}`);

// The server is loaded when it is started: the other commands of this file need little of it.
export const serve = defineCommand({
  description: `Settings are environment variables:\n${settings.join('\n')}`,
  options: { 'keep-demo': { schema: flag, meaning: 'serve although the database has the demo tenant' } },
  run: async (context) => {
    const demo = context.options['keep-demo'] === true ? 'kept' : 'refused';
    return (await import('./run-server.ts')).runServer(context, demo);
  },
});

export const demo = defineCommand({
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
  run: async (context) => (await import('./run-server.ts')).runServer(context, 'created'),
});

export const demoRemove = defineCommand({
  description: `Removes its members with their accounts, its API keys, SCIM token, invitations and webhooks, archives its notices, takes its
public pages offline, and deletes demo-credentials.json. Its ledgers stay, because they are append-only: svc verify checks
them as before. Cannot be undone.`,
  options: {},
  async run({ settings, say, result }) {
    requireDatabase(settings);
    const { removeDemo } = await import('../site/demo/remove.ts');
    await using installation = await openInstallation(settings);
    const tenantId = await removeDemo(installation);
    say(tenantId === null ? 'There is no demo tenant.' : `Removed the demo tenant (${tenantId}).`);
    result({ tenantId });
  },
});

export const migrateCommand = defineCommand({
  description: 'The server does this itself when it starts. Run it beforehand if servers start under load.',
  options: {
    check: { schema: flag, meaning: 'only report what would run, and exit with 1 if anything would' },
    distribute: { schema: flag, meaning: 'spread the tenants over the workers of Citus; stop every server first' },
  },
  async run({ settings, options, say, result }) {
    const { databaseUrl, dataDir } = settings;
    if (options.check === true) return checkMigrations(settings, say, result);
    if (options.distribute === true) await requireDistributable(databaseUrl);
    if (databaseUrl === null) makeFolder(dataDir);
    await using database = openDatabase({ url: databaseUrl, file: databaseFile(dataDir) });
    await requireUsable(database);
    const migrations = await migrate(database);
    say(migrations.length === 0 ? 'The schema is up to date.' : `Done: ${migrations.join(', ')}`);
    if (options.distribute === true) {
      await database.close();
      const distributed = await distribute(databaseUrl as string);
      say(distributed.length === 0 ? 'Every table is distributed.' : `Distributed: ${distributed.join(', ')}`);
      result({ migrations, distributed });
    } else result({ migrations });
    return undefined;
  },
});

async function checkMigrations(settings: Settings, say: CommandContext['say'], result: CommandContext['result']) {
  requireDatabase(settings);
  const location = { url: settings.databaseUrl, file: databaseFile(settings.dataDir) };
  await using database = openDatabase({ ...location, reads: true });
  const waiting = await listWaitingMigrations(database);
  say(
    waiting.length === 0
      ? 'The schema is up to date.'
      : `Migrations that have not run: ${waiting.join(', ')}. To run them: svc migrate`,
  );
  result({ waiting });
  return waiting.length === 0 ? 0 : 1;
}
