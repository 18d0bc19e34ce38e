import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DemoCredentials } from '../../server/site/demo/seed.ts';

const root = join(import.meta.dirname, '../..');

/** The server of `npm start` in a folder of its own, and what a reader's shell has there. */
export interface DemoServer extends AsyncDisposable {
  readonly folder: string;
  readonly credentials: DemoCredentials;
  /** The environment of a shell in which the pages' examples run. */
  readonly environment: NodeJS.ProcessEnv;
  /** Code as a page has it, for this server. */
  adapt(code: string): string;
}

let seeded: Promise<string> | undefined;

/** Starts it with a copy of a seeded folder, because seeding takes longer than everything else. */
export async function startDemoServer(): Promise<DemoServer> {
  seeded ??= seedFolder();
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'));
  cpSync(await seeded, folder, { recursive: true });
  const { child, baseUrl } = await startIn(folder);
  const file = join(folder, 'data/demo-credentials.json');
  const credentials: DemoCredentials = { ...JSON.parse(readFileSync(file, 'utf8')), baseUrl };
  writeFileSync(file, JSON.stringify(credentials, null, 2));
  const environment = await describeEnvironment(folder, credentials);
  return {
    folder,
    credentials,
    environment,
    adapt: (code) => code.replaceAll('http://localhost:8787', credentials.baseUrl),
    [Symbol.asyncDispose]: () => stop(child, folder),
  };
}

async function seedFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-seeded-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const { child } = await startIn(folder);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return folder;
}

/** Starts a server in a folder and waits until its demo tenant is there. */
async function startIn(folder: string): Promise<{ readonly child: ChildProcess; readonly baseUrl: string }> {
  const child = spawn(process.execPath, [join(root, 'server/cli/svc.js'), 'demo', '--json'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', SVC_DATA_DIR: 'data', SVC_LOG_LEVEL: 'fatal' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line === '}') break;
  }
  child.stdout.resume();
  return { child, baseUrl: JSON.parse(lines.join('\n')).baseUrl };
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  rmSync(folder, { recursive: true });
}

async function describeEnvironment(folder: string, credentials: DemoCredentials): Promise<NodeJS.ProcessEnv> {
  const { baseUrl, apiKey, scimToken, webhookSecret = '' } = credentials;
  const answer = await fetch(`${baseUrl}/v1/webhooks`, { headers: { Authorization: `Bearer ${apiKey}` } });
  const { data } = (await answer.json()) as { readonly data: { readonly items: readonly { readonly id: string }[] } };
  return {
    HOME: folder,
    LANG: 'C.UTF-8',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PATH: [writeCommands(folder), dirname(process.execPath), process.env.PATH].join(delimiter),
    PORT: '0',
    SVC_DATA_DIR: 'data',
    BASE: baseUrl,
    KEY: apiKey,
    NOTICE: credentials.noticeId,
    TENANT: credentials.tenantSlug,
    TENANT_ID: credentials.tenantId,
    SCIM_TOKEN: scimToken,
    ADMIN_EMAIL: credentials.adminEmail,
    ADMIN_PASSWORD: credentials.adminPassword,
    WEBHOOK: data.items[0]?.id ?? '',
    WEBHOOK_SECRET: webhookSecret,
    SVC_API_KEY: apiKey,
    SVC_BASE_URL: baseUrl,
    SVC_SCIM_TOKEN: scimToken,
    SVC_WEBHOOK_SECRET: webhookSecret,
  };
}

/** Writes the commands that npm would have installed, from this repository. @returns the folder for the PATH. */
function writeCommands(folder: string): string {
  const commands = join(folder, '.commands');
  const node = `exec '${process.execPath}' -C @svc/source`;
  const svc = `${node} '${join(root, 'server/cli/svc.js')}' "$@"`;
  const verify = `${node} '${join(root, 'packages/webhook-verify/src/cli.ts')}' "$@"`;
  const files = {
    svc,
    npx: `case "$1" in\n@svc/server) shift; ${svc} ;;\n@svc/webhook-verify) shift; ${verify} ;;\n*) echo "npx: there is no $1 here" >&2; exit 127 ;;\nesac`,
    npm: `case "$1" in\ninstall|i|ci) ;;\n*) echo "npm $1 is not run here" >&2; exit 127 ;;\nesac`,
  };
  mkdirSync(commands);
  for (const [name, script] of Object.entries(files))
    writeFileSync(join(commands, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return commands;
}
