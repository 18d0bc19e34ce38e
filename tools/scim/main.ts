// npm run scim:providers -- [--url …] [--token scim_…] [--key svc_…] [--only entra,okta]: plays what identity providers send
// against a running server. Without --url and --token it takes the demo tenant of the server in this folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readSettings, SettingsError } from '../../server/settings.ts';
import { credentialsFile, type DemoCredentials } from '../../server/site/demo/seed.ts';
import { isPassed, playSequence, type SequenceReport } from './play.ts';
import { findSetting } from './prepare.ts';
import { formatStep, formatTable, nameSequence } from './report.ts';
import { ConformanceError, openTarget, type TargetOptions } from './target.ts';
import { providers, sequences } from './transcript.ts';

const usage = `Usage: npm run scim:providers -- [options]

Plays what Entra, Okta, authentik, Keycloak, JumpCloud and OneLogin send, in order, against a running server, and looks
at what became of the members. It makes its own users and deletes them again; use a tenant for tests.

Options:
  --url <address>     the server, such as http://localhost:8787; with /scim/v2 behind it is the same
  --token <scim_…>    the SCIM token of the tenant
  --key <svc_…>       an API key that was made with --scopes all, because a group can only be mapped to a role that may do
                      more: with it the tenant is set as each sequence needs it (and set back), and GET /v1/users
                      and the audit log are looked at too
  --only <list>       only these of ${providers.join(', ')}
  --help              print this help

Without --url and --token it takes the demo tenant from ${credentialsFile} in the data folder.`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      token: { type: 'string' },
      key: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',').map((word) => word.trim()) ?? providers;
  const unknown = only.filter((word) => !providers.some((provider) => provider === word));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}. Known: ${providers.join(', ')}`);
  if ((values.url === undefined) !== (values.token === undefined)) throw new Error('--url and --token go together.');
  return { ...values, only };
}

type Options = ReturnType<typeof readOptions>;

function readTarget({ url, token, key }: Options): TargetOptions {
  if (url !== undefined && token !== undefined) return { url, token, key: key ?? null };
  const file = join(readSettings(process.env).dataDir, credentialsFile);
  try {
    const demo: DemoCredentials = JSON.parse(readFileSync(file, 'utf8'));
    return { url: demo.baseUrl, token: demo.scimToken, key: key ?? demo.apiKey };
  } catch {
    throw new ConformanceError(`${file} cannot be read: start the demo with npm start, or give --url and --token.`);
  }
}

async function run(options: Options): Promise<boolean> {
  const given = readTarget(options);
  const target = openTarget(given);
  const present = await findSetting(target);
  const wanted = sequences.filter(({ provider }) => options.only.includes(provider));
  const [played, skipped] = [true, false].map((canPlay) =>
    wanted.filter(({ setting }) => (target.hasKey || setting === present) === canPlay),
  ) as [typeof wanted, typeof wanted];
  const stop = new AbortController();
  // Everything that was made is cleaned up before the process exits.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  console.log(`Against ${given.url}`);
  const reports: SequenceReport[] = [];
  for (const sequence of played) {
    console.log(`\n${nameSequence(sequence)}, from ${sequence.source}`);
    const onStep = (step: Parameters<typeof formatStep>[0]) => console.log(formatStep(step));
    const report = await playSequence(target, sequence, { onStep, signal: stop.signal });
    reports.push(report);
    for (const difference of report.outcome) console.log(`  FAIL ${difference}`);
  }
  console.log(`\n${formatTable(reports, skipped)}`);
  if (skipped.length > 0) console.log(`\nThe tenant is ${present}. Give --key to play with the other setting too.`);
  return reports.every(isPassed);
}

/** @returns the exit code: 0 all is as it must be, 1 something is not, 2 wrong usage. */
async function runCommand(): Promise<number> {
  let options: Options;
  try {
    options = readOptions();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (options.help) {
    console.log(usage);
    return 0;
  }
  try {
    return (await run(options)) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof ConformanceError || error instanceof SettingsError ? `\n${error.message}` : error);
    return 1;
  }
}

process.exitCode = await runCommand();
