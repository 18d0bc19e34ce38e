import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { credentialsFile, type DemoCredentials, seedDemo } from '../demo/seed.ts';
import { documentationPath, hasDocumentation } from '../documentation/serve.ts';
import { databaseFile, openInstallation } from '../installation/installation.ts';
import { createLog, type RunningServer, startServer } from '../process/serve.ts';
import { describeSettings, type Settings, SettingsError } from '../settings.ts';
import { openDatabase } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';
import { trustPath } from '../trust/trust-center.ts';
import { type CommandContext, defineCommand } from './command.ts';

const settings = describeSettings().map(({ name, meaning }) => `  ${name.padEnd(26)} ${meaning}`);

export const serve = defineCommand({
  name: 'serve',
  summary: 'start the server',
  description: `Settings are environment variables:\n${settings.join('\n')}`,
  options: {},
  run: (context) => runServer(context, false),
});

const loopback = ['127.0.0.1', '::1', '[::1]', 'localhost'];

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
  run: (context) => runServer(context, true),
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

/** Serves until the process gets SIGINT or SIGTERM. @param isDemo whether an empty database gets the demo tenant first. */
async function runServer(context: CommandContext, isDemo: boolean): Promise<undefined> {
  const { settings } = context;
  await using installation = await openInstallation(settings);
  const log = createLog(settings);
  // Disposed on every path: a server whose demo tenant cannot be created must not keep running.
  await using server = await startServer(installation, { log }).catch((error: unknown) => {
    throw explainListenError(error, settings);
  });
  const credentials = isDemo ? await seedDemo(installation, server.baseUrl) : null;
  // Registered before the server is announced. A signal can come twice: systemd signals each process, and `svc` under an
  // older Node forwards signals.
  process.on('SIGTERM', () => {});
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  announce(context, server, isDemo, credentials);
  await stopped;
  // Everything acknowledged is on disk, so exiting is safe; a client or a database must not keep the process alive.
  const exit = () => {
    log.error(`the server did not stop within ${settings.stopWithin / 1000} s: exiting`);
    process.exit(1);
  };
  setTimeout(exit, settings.stopWithin).unref();
}

function announce(
  { settings, say, result }: CommandContext,
  { baseUrl }: RunningServer,
  isDemo: boolean,
  credentials: DemoCredentials | null,
): void {
  const store = settings.databaseUrl === null ? `SQLite in ${settings.dataDir}` : 'PostgreSQL';
  say(`Svc listens on ${baseUrl} (${store}). Ctrl-C stops it.`);
  say(`  API document   ${baseUrl}/v1/openapi.json`);
  if (hasDocumentation()) say(`  Documentation  ${baseUrl}${documentationPath}/`);
  if (isDemo) {
    say(`  Demo page      ${baseUrl}/demo`);
    say(`  Trust page     ${baseUrl}${trustPath('demo')}`);
  }
  if (credentials !== null) {
    say('\nCreated the demo tenant. These values are shown once:');
    say(`  Tenant         ${credentials.tenantSlug} (${credentials.tenantId})`);
    say(`  Administrator  ${credentials.adminEmail}`);
    say(`  Password       ${credentials.adminPassword}`);
    say(`  API key        ${credentials.apiKey}`);
    say(`  SCIM token     ${credentials.scimToken}`);
    say(`  Notice         ${credentials.noticeId}`);
    if (credentials.webhookSecret !== undefined)
      say(`  Webhook secret ${credentials.webhookSecret} (npm run receiver)`);
    say(`They are also in ${join(settings.dataDir, credentialsFile)}.`);
  } else if (isDemo) say(`  Credentials    ${join(settings.dataDir, credentialsFile)} (created on the first start)`);
  result({ baseUrl, ...(credentials && { credentials }) });
}

function explainListenError(error: unknown, { host, port }: Settings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return new SettingsError(`Port ${port} is taken. Choose another: PORT=8788 npm start`);
  if (['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(String(code)))
    return new SettingsError(`Cannot listen on ${host}:${port} (${code}).`);
  return error;
}
