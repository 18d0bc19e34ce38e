import { once } from 'node:events';
import { join } from 'node:path';
import { credentialsFile, type DemoCredentials, seedDemo } from '../demo/seed.ts';
import { documentationPath, hasDocumentation } from '../documentation/serve.ts';
import { openInstallation } from '../installation/installation.ts';
import { createLog, type RunningServer, startServer } from '../process/serve.ts';
import type { Settings } from '../settings.ts';
import { SettingsError } from '../settings.ts';
import { trustPath } from '../trust/trust-center.ts';
import type { CommandContext } from './command.ts';
import { explainUnreachable } from './unreachable.ts';

/** Serves until the process is told to stop. With `demo`, an empty database gets the demo tenant first. */
export async function runServer(
  context: Pick<CommandContext, 'settings' | 'say' | 'result'>,
  demo: boolean,
): Promise<number> {
  const { settings } = context;
  await using installation = await openInstallation(settings).catch((error: unknown) => {
    throw explainUnreachable(error, settings.databaseUrl);
  });
  const log = createLog(settings);
  // Closed however this ends: a server whose demo could not be made must not stay behind.
  await using server = await startServer(installation, { log }).catch((error: unknown) => {
    throw explainListenError(error, settings);
  });
  const credentials = demo ? await seedDemo(installation, server.baseUrl) : null;
  // Before anyone can know that the server is there, and stop it. Twice is once: systemd signals each process, and `svc`
  // under an older Node passes on what it gets.
  process.on('SIGTERM', () => {});
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  announce(context, server, demo, credentials);
  await stopped;
  // What is acknowledged is on the disk: better to leave the rest than to hang with a client or a database.
  const exit = () => {
    log.error(`the server did not stop within ${settings.stopWithin / 1000} s: exiting`);
    process.exit(1);
  };
  setTimeout(exit, settings.stopWithin).unref();
  return 0;
}

function announce(
  { settings, say, result }: Pick<CommandContext, 'settings' | 'say' | 'result'>,
  { baseUrl }: RunningServer,
  demo: boolean,
  credentials: DemoCredentials | null,
): void {
  const store = settings.databaseUrl === null ? `SQLite in ${settings.dataDir}` : 'PostgreSQL';
  say(`Svc listens on ${baseUrl} (${store}). Ctrl-C stops it.`);
  say(`  API document   ${baseUrl}/v1/openapi.json`);
  if (hasDocumentation()) say(`  Documentation  ${baseUrl}${documentationPath}/`);
  if (demo) {
    say(`  Demo page      ${baseUrl}/demo`);
    say(`  Trust page     ${baseUrl}${trustPath('demo')}`);
  }
  if (credentials !== null) {
    say('\nThe demo tenant is new. These values are shown once:');
    say(`  Tenant         ${credentials.tenantSlug} (${credentials.tenantId})`);
    say(`  Administrator  ${credentials.adminEmail}`);
    say(`  Password       ${credentials.adminPassword}`);
    say(`  API key        ${credentials.apiKey}`);
    say(`  SCIM token     ${credentials.scimToken}`);
    say(`  Notice         ${credentials.noticeId}`);
    if (credentials.webhookSecret !== undefined)
      say(`  Webhook secret ${credentials.webhookSecret} (npm run receiver)`);
    say(`They also stand in ${join(settings.dataDir, credentialsFile)}.`);
  } else if (demo) say(`  Credentials    ${join(settings.dataDir, credentialsFile)} (made on the first start)`);
  result({ baseUrl, ...(credentials && { credentials }) });
}

function explainListenError(error: unknown, { host, port }: Settings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return new SettingsError(`Port ${port} is taken. Choose another: PORT=8788 npm start`);
  if (['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(String(code)))
    return new SettingsError(`Cannot listen on ${host}:${port} (${code}).`);
  return error;
}
