import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { describeReport } from './report.ts';
import { findMissingProgram, runScale } from './run.ts';

const help = `Loads several servers on one PostgreSQL behind Caddy, kills one of them at intervals, restarts the database, and upgrades the
servers to a version with another schema. Prints how many requests of each kind were answered, how fast, with which errors, and
what each part used of the processors. Exits with 1 if anything that was acknowledged is lost.

  npm run test:scale -- [options]

  --servers 2,4      numbers of servers; a run for each
  --minutes 10       how long each load lasts; --seconds for less than a minute
  --tenants 16       and --notices 64 of all of them together
  --captures 16      decisions under way at any time: a closed loop, the next when one was acknowledged
  --reads 10         reads a second of notices, of lists of records and of states of subjects: a fixed rate each
  --users 1          users a second that an identity provider creates, changes and suspends
  --exports 6        exports a minute, each after a checkpoint
  --webhooks 4       tenants whose events go to a slow and to a broken receiver; --slow 500 is the longest answer in milliseconds
  --kill 60          seconds between two kills; a third of a load of less than three minutes
  --seed             of the random choices; printed, to repeat them
  --folder           where the databases are made; default: the temporary folder
  --json             prints the reports as JSON
`;

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '2,4' },
    minutes: { type: 'string', default: '10' },
    seconds: { type: 'string' },
    tenants: { type: 'string', default: '16' },
    notices: { type: 'string', default: '64' },
    captures: { type: 'string', default: '16' },
    reads: { type: 'string', default: '10' },
    users: { type: 'string', default: '1' },
    exports: { type: 'string', default: '6' },
    webhooks: { type: 'string', default: '4' },
    slow: { type: 'string', default: '500' },
    kill: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
    folder: { type: 'string', default: tmpdir() },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit();
}
const missing = findMissingProgram();
if (missing !== null) refuse(missing);

const seconds = values.seconds === undefined ? readNumber('minutes', 1 / 60) * 60 : readNumber('seconds', 1);
const shared = {
  seconds,
  tenants: readNumber('tenants', 1),
  notices: readNumber('notices', 1),
  webhooks: readNumber('webhooks', 0),
  slowest: readNumber('slow', 0),
  sizes: {
    captures: readNumber('captures', 1),
    reads: readNumber('reads', 0),
    users: readNumber('users', 0),
    exports: readNumber('exports', 0),
  },
  killEvery: values.kill === undefined ? Math.min(60, seconds / 3) : readNumber('kill', 1),
  seed: readNumber('seed', 0),
  folder: values.folder,
} as const;
if (shared.notices < shared.tenants) refuse('--notices must be at least --tenants: each tenant has a notice.');
const sizes = values.servers.split(',').map((text) => parseNumber('servers', text, 1));
const say = values.json ? () => undefined : (line: string) => console.log(line);

const reports = [];
for (const servers of sizes) {
  say(
    `${servers} servers, ${seconds} s, seed ${shared.seed}: ${shared.sizes.captures} captures under way at any time (closed loop), the rest at fixed rates.`,
  );
  const report = await runScale({ ...shared, servers, say });
  say(`\n${describeReport(report)}\n`);
  reports.push(report);
}
if (values.json) console.log(JSON.stringify(reports, null, 2));
process.exitCode = reports.every(({ passed }) => passed) ? 0 : 1;

type NumberOption = 'minutes' | 'seconds' | 'tenants' | 'notices' | 'webhooks' | 'slow' | 'kill' | 'seed' | keyof Sizes;
type Sizes = { readonly captures: number; readonly reads: number; readonly users: number; readonly exports: number };

function readNumber(name: NumberOption, least: number): number {
  return parseNumber(name, values[name] as string, least);
}

function parseNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < least)
    refuse(`--${name} must be a number of at least ${least}. npm run test:scale -- --help lists the options.`);
  return number;
}

function refuse(reason: string): never {
  console.error(reason);
  process.exit(2);
}
