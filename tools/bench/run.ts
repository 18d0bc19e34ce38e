// npm run bench -- [names…] [--record] [--json] [--quick] [--profile <folder>]: see README.md for how to read what it prints.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { benchmarks } from './benchmarks.ts';
import { readConditions } from './conditions.ts';
import { isBusy } from './measurement.ts';
import { describeMeasurement, readMeasurements, replaceMeasurement, writeMeasurements } from './recorded.ts';
import { formatTable, isMet } from './report.ts';
import { prepareSite, type Site } from './site.ts';

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const known = benchmarks.map(({ name }) => name);
if (values.record && values.quick)
  refuse('A quick run is not recorded: its slices are too short for figures that others go by. Leave out --quick.');
if (values.record && values.profile !== undefined)
  refuse('A run with a profile is not recorded: writing the profile costs time. Leave out --profile.');
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) refuse(`There is no ${unknown.join(', ')}. Known: ${known.join(', ')}`);
const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));

const folder = createDiskFolder();
let largeSite: Promise<Site> | null = null;
const bench: Bench = {
  pace: values.quick ? { pairs: 5, warmups: 3, milliseconds: 1000 } : { pairs: 9, warmups: 3, milliseconds: 2000 },
  largeRows: values.quick ? 100_000 : 1_000_000,
  profiles: values.profile === undefined ? null : resolve(values.profile),
  createFolder: (name) => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  },
  openLargeSite: () => {
    largeSite ??= fillLargeSite();
    return largeSite;
  },
  say: (line) => console.error(line),
};

// A Ctrl-C must still remove the folder, which only happens when the process exits by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const keep = values.record ? startRecord(chosen) : () => undefined;
const findings: Finding[] = [];
for (const benchmark of chosen) {
  bench.say(`${benchmark.name} …`);
  const found = await benchmark.run(bench);
  keep(benchmark.name, found);
  findings.push(...found);
}
if (values.json)
  console.log(
    JSON.stringify(
      findings.map((finding) => ({ ...finding, met: isMet(finding) })),
      null,
      2,
    ),
  );
else console.log(`\n${formatTable(findings)}`);

/** @returns what keeps the findings of a benchmark as soon as they are there: a run that breaks off keeps those before. */
function startRecord(wanted: readonly Benchmark[]): (name: string, found: readonly Finding[]) => void {
  readMeasurements(); // A record that cannot be read fails now, not after ten minutes.
  const conditions = readConditions(join(import.meta.dirname, '../..'));
  if (conditions.isModified) bench.say('Files differ from those of the commit: the record will say so.');
  if (isBusy(conditions)) bench.say('The machine is busy: the record will say so. Better measure on a quiet one.');
  buildAnew([...new Set(wanted.flatMap(({ builds = [] }) => builds))]);
  return (name, found) =>
    writeMeasurements(replaceMeasurement(readMeasurements(), name, describeMeasurement(conditions, found), known));
}

/** Builds workspaces, so that what is measured is of the commit that the record names. */
function buildAnew(workspaces: readonly string[]): void {
  if (workspaces.length === 0) return;
  bench.say(`building ${workspaces.join(', ')} …`);
  const words = workspaces.flatMap((workspace) => ['-w', workspace]);
  const { status } = spawnSync('npm', ['run', '--silent', 'build', ...words], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${workspaces.join(', ')} cannot be built, and no old build is recorded.`);
}

function fillLargeSite(): Promise<Site> {
  bench.say(`  filling a ledger with ${bench.largeRows.toLocaleString('en')} rows …`);
  return prepareSite(bench.createFolder('large'), bench.largeRows);
}

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}

/** An empty folder on a disk, for a sync to memory costs nothing and would prove nothing. It goes with the process. */
function createDiskFolder(): string {
  // The numbers that statfs(2) gives tmpfs and ramfs.
  const isMemory = [0x01021994, 0x858458f6].includes(statfsSync(tmpdir()).type);
  // Git ignores the data folder of the repository.
  const parent = isMemory ? join(import.meta.dirname, '../../data') : tmpdir();
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'svc-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
