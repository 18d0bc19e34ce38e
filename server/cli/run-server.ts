import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createSetupToken } from '../accounts/members/setup.ts';
import { createStartToken } from '../accounts/members/start-link.ts';
import { findDemo, listChangedTenants, requireIntactTenants } from '../accounts/tenants/store.ts';
import { type Installation, openInstallation } from '../installation/installation.ts';
import { explainUnreachable, mayStart } from '../installation/unreachable.ts';
import manifest from '../package.json' with { type: 'json' };
import { nameAddress, type Settings, SettingsError } from '../settings.ts';
import { adminEmail, credentialsFile, type DemoCredentials, seedDemo } from '../site/demo/seed.ts';
import { documentationPath, hasDocumentation } from '../site/documentation/serve.ts';
import { dashboardPath, hasDashboard } from '../site/serve-dashboard.ts';
import { trustPath } from '../site/trust/trust-center.ts';
import { schemas } from '../storage/schema.ts';
import type { CommandContext } from './command.ts';
import { openLogOutput } from './server/log-output.ts';
import { createLog, type RunningServer, startServer } from './server/start-server.ts';
import { keepAddress, loopback } from './server-address.ts';
import { keepSetupLink, removeSetupLink } from './setup-link.ts';

/**
 * Serves until the process gets SIGINT or SIGTERM.
 * @param demo `created` adds the demo tenant to an empty database first; `kept` serves a database that has it,
 *   `refused` does not.
 * @throws {SettingsError} for a database that has the demo tenant and should not.
 * @throws {BrokenSeal} for a demo beside a tenant that something else changed, which may be the demo.
 */
export async function runServer(context: CommandContext, demo: Demo): Promise<undefined> {
  // With --json, standard output has one JSON value only.
  const output = context.options.json === true ? process.stderr : process.stdout;
  const log = createLog(context.settings, context.logOutput ?? openLogOutput(output));
  const stoppingSince = await serveUntilStopped(context, demo, log);
  log.info({ milliseconds: Math.round(performance.now() - stoppingSince) }, 'stopped');
}

/** @returns when the stop was requested, by `performance.now()`. */
async function serveUntilStopped(context: CommandContext, demo: Demo, log: Logger): Promise<number> {
  const { settings, isTerminal = false } = context;
  const isDemo = demo === 'created';
  if (settings.backup !== null)
    await (await import('./backups/check-settings.ts')).checkBackupSettings(settings.backup);
  await using installation = await openWhenReachable(settings, log);
  const { migrations } = installation;
  if (migrations.length > 0) log.info({ migrations }, 'schema migrated');
  const { kysely } = installation.database;
  if (isDemo) await requireIntactTenants(kysely);
  if (demo === 'refused' && (await findDemo(kysely)) !== undefined)
    throw new SettingsError(
      `This database has the demo tenant, whose administrator and keys are in ${credentialsFile}. Remove it with "svc demo remove", or keep it with "svc serve --keep-demo".`,
    );
  for (const { id } of await listChangedTenants(kysely))
    log.error(
      { tenantId: id },
      'something other than Svc changed this tenant: none of its credentials work: run svc verify',
    );
  // Disposed on every path: a server whose demo tenant cannot be created must not keep running.
  await using server = await startServer(installation, { log });
  using _ = keepAddress(settings.dataDir, server.baseUrl);
  const credentials = isDemo ? await seedDemo(installation, server.baseUrl) : null;
  const isLocal = loopback.includes(settings.host) && loopback.includes(new URL(server.baseUrl).hostname);
  const pages = `${server.baseUrl}${dashboardPath}`;
  const canStart = hasDashboard() && isDemo && isLocal && isTerminal;
  const startToken = canStart ? await createStartToken(installation, { tenant: 'demo', email: adminEmail }) : null;
  const setupToken = hasDashboard() && !isDemo ? await createSetupToken(installation) : null;
  const links = {
    startUrl: startToken && `${pages}/start#${startToken}`,
    setupUrl: setupToken && `${pages}/setup#${setupToken}`,
  };
  removeSetupLink(settings.dataDir);
  await using setup =
    links.setupUrl === null || isTerminal ? null : keepSetupLink(installation, server.app.faults, links.setupUrl);
  // Before the server is announced.
  const stopped = (context.untilStopped ?? untilSignal)();
  const listensOn = nameAddress({ ...settings, baseUrl: null }, server.port);
  if (isTerminal) announce(context, server, isDemo, credentials, links);
  else
    log.info(
      {
        version: manifest.version,
        schema: Object.keys(schemas).at(-1),
        database: settings.databaseUrl === null ? 'SQLite' : 'PostgreSQL',
        listensOn,
        baseUrl: server.baseUrl,
        metricsUrl: server.metricsUrl ?? undefined,
      },
      'started',
    );
  if (setup !== null) log.info({ file: setup.file, expiresAt: setup.expiresAt }, 'created a setup link');
  const file = join(settings.dataDir, credentialsFile);
  if (credentials !== null && !isTerminal) log.info({ file }, 'created the demo tenant');
  context.result({
    baseUrl: server.baseUrl,
    ...(listensOn !== server.baseUrl && { listensOn }),
    ...(server.metricsUrl !== null && { metricsUrl: server.metricsUrl }),
    ...(setup !== null && { setupFile: setup.file }),
    ...(credentials !== null && { credentialsFile: file }),
  });
  const signal = await stopped;
  const stoppingSince = performance.now();
  log.info({ signal }, 'stopping');
  // Everything acknowledged is on disk, so exiting is safe; a client or a database must not keep the process alive.
  const exit = () => {
    log.error({ seconds: settings.stopWithin / 1000 }, 'did not stop in time: exiting');
    process.exit(1);
  };
  // Only in a process of its own, and until its end: something that stays open must not keep it alive.
  if (context.untilStopped === undefined) setTimeout(exit, settings.stopWithin).unref();
  return stoppingSince;
}

/**
 * The signal that ends a server. It can come twice: systemd signals each process, as a terminal does for Ctrl-C, and npm and
 * `svc` under an older Node forward signals.
 */
async function untilSignal(): Promise<string> {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
  const [signal] = await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  return signal;
}

/** @see runServer */
type Demo = 'created' | 'kept' | 'refused';

/** Opens the installation, and waits for a PostgreSQL that starts at the same time, or fails over. */
async function openWhenReachable(settings: Settings, log: Logger): Promise<Installation> {
  const end = performance.now() + settings.databaseWait;
  let isAnnounced = false;
  for (;;) {
    try {
      return await openInstallation(settings);
    } catch (error) {
      if (!mayStart(error) || performance.now() >= end) throw error;
      const { message } = explainUnreachable(error, settings.databaseUrl) as Error;
      if (!isAnnounced)
        log.warn({ reason: message, seconds: settings.databaseWait / 1000 }, 'waiting for the database');
      isAnnounced = true;
      await wait(250);
    }
  }
}

/** Prints the links and one-time secrets for the person at the terminal. */
function announce(
  { settings, say }: CommandContext,
  { baseUrl, port, metricsUrl }: RunningServer,
  isDemo: boolean,
  credentials: DemoCredentials | null,
  { startUrl, setupUrl }: { readonly startUrl: string | null; readonly setupUrl: string | null },
): void {
  const store = settings.databaseUrl === null ? `SQLite in ${settings.dataDir}` : 'PostgreSQL';
  const local = nameAddress({ ...settings, baseUrl: null }, port);
  const others = ['0.0.0.0', '::'].includes(settings.host) ? ', and on every address of this machine' : '';
  say(`Svc listens on ${local}${others} (${store}). Ctrl-C stops it.`);
  if (settings.baseUrl !== null) say(`Its public address is ${baseUrl} (SVC_BASE_URL).`);
  if (startUrl !== null) say(`\nOpen this link to sign in, once, within 15 minutes:\n  ${startUrl}\n`);
  if (setupUrl !== null)
    say(`\nThis server has no tenant. Open this link to set it up, once, within a day:\n  ${setupUrl}\n`);
  if (hasDashboard()) say(`  Dashboard      ${baseUrl}${dashboardPath}/`);
  say(`  API document   ${baseUrl}/v1/openapi.json`);
  if (hasDocumentation()) say(`  Documentation  ${baseUrl}${documentationPath}/`);
  if (metricsUrl !== null) say(`  Metrics        ${metricsUrl}`);
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
}
