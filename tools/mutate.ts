/**
 * Breaks the rules of `mutants.json` one at a time, and runs the tests that must notice it:
 *
 *   npm run mutate [part of a name …]
 *
 * It works in a temporary copy of the repository, uncommitted changes included. The exit code is 1 if a mutant survives or
 * no longer fits the code.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import mutants from './mutants.json' with { type: 'json' };

/** A rule over all features, the change that breaks it, and the tests that must notice the change. */
interface Mutant {
  /** The area, then the rule in short: `consent-required-purpose`. */
  readonly name: string;
  /** The rule that the change breaks: security, evidence or money to the people who rely on it. */
  readonly rule: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  readonly replacement: string;
  /** At least one of these test files must fail. */
  readonly tests: readonly string[];
}

const root = join(import.meta.dirname, '..');
/** A test that waits for what no longer happens is stopped after so long, and has noticed the change. */
const longestRun = 120_000;
/** A file that takes longer without a change gets so many times as long: the machine may be busy. */
const leeway = 4;

type Ending = 'passed' | 'failed' | 'timed out';

const listing = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
const files = listing.toString().split('\0').filter(isPresent);
let running: ChildProcess | null = null;
process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const unknown = words.filter((word) => !mutants.some(({ name }) => name.includes(word)));
  if (unknown.length > 0) {
    console.error(`There is no mutant ${unknown.join(', ')}. There are: ${mutants.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const chosen: readonly Mutant[] = mutants.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  const folder = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
  const stop = () => {
    if (running !== null) killGroup(running);
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    copyRepository(folder);
    return await judge(folder, chosen);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judge(folder: string, chosen: readonly Mutant[]): Promise<number> {
  const faults: string[] = [];
  // How long each file may run. A test that fails without any change would seem to notice every change.
  const limits = new Map<string, number>();
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
  for (const [index, test] of tests.entries()) {
    const begun = performance.now();
    const ending = existsSync(join(root, test)) ? await run(folder, test, leeway * longestRun) : 'missing';
    const verdict = `${test}: ${ending} without a change`;
    if (ending === 'passed') limits.set(test, Math.max(longestRun, leeway * (performance.now() - begun)));
    else faults.push(verdict);
    console.log(`${describePlace(index, tests.length, begun)}${verdict}`);
  }
  for (const [index, mutant] of chosen.entries()) {
    const begun = performance.now();
    const verdict = await tryMutant(folder, mutant, limits);
    if (!verdict.startsWith('caught')) faults.push(`${mutant.name}: ${verdict}`);
    console.log(`${describePlace(index, chosen.length, begun)}${mutant.name}: ${verdict}`);
  }
  for (const fault of faults) console.error(fault);
  console.log(`${chosen.length} mutants, ${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}

function describePlace(index: number, count: number, begun: number): string {
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  return `${`${index + 1}/${count}`.padStart(6)} ${seconds.padStart(6)} s  `;
}

async function tryMutant(folder: string, mutant: Mutant, limits: ReadonlyMap<string, number>): Promise<string> {
  const stale = findStale(mutant);
  if (stale !== null) return `stale: ${stale}`;
  const tests = mutant.tests.filter((test) => limits.has(test));
  if (tests.length === 0) return 'not tried: its tests fail without a change';
  const file = join(folder, mutant.file);
  const source = readFileSync(file, 'utf8');
  const changed = source.replace(mutant.text, () => mutant.replacement);
  try {
    stripTypeScriptTypes(changed);
  } catch (error) {
    return `stale: the replacement is not TypeScript: ${(error as Error).message}`;
  }
  writeFileSync(file, changed);
  try {
    for (const test of tests) {
      const limit = limits.get(test) as number;
      const ending = await run(folder, test, limit);
      if (ending === 'failed') return `caught by ${test}`;
      if (ending === 'timed out') return `caught by time: ${test} was stopped after ${Math.round(limit / 1000)} s`;
    }
    return `SURVIVED (${mutant.rule})`;
  } finally {
    writeFileSync(file, source);
  }
}

/** Why a mutant does not fit the code; null if it does. */
function findStale({ file, text }: Mutant): string | null {
  if (existsSync(join(root, file))) {
    const times = countIn(file, text);
    if (times === 1) return null;
    if (times > 1) return `its text occurs ${times} times in ${file}; choose a longer one`;
  }
  const others = files.filter((other) => /\.ts$/.test(other) && countIn(other, text));
  return `its text is not in ${file}; ${others.length === 0 ? 'it is in no file' : `it is in ${others.join(', ')}`}`;
}

function countIn(file: string, text: string): number {
  return readFileSync(join(root, file), 'utf8').split(text).length - 1;
}

async function run(folder: string, test: string, limit: number): Promise<Ending> {
  const [program = '', ...words] = isBrowserTest(test)
    ? ['node_modules/.bin/wtr', '--config', 'tools/test/web-test-runner.config.js', '--root-dir', '.', '--files', test]
    : [process.execPath, '-C', '@svc/source', '--import', './tools/test/compile-cache.ts', '--test', test];
  // A separate process group, so that the servers and browsers of a stopped test are stopped with it.
  const child = spawn(program, words, { cwd: folder, stdio: 'ignore', detached: true });
  running = child;
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    killGroup(child);
  }, limit);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  running = null;
  if (hasTimedOut) return 'timed out';
  return code === 0 ? 'passed' : 'failed';
}

function isBrowserTest(test: string): boolean {
  return /^packages\/(?:consent-banner|trust-badge)\/test\/[^/]*$/.test(test);
}

function killGroup(child: ChildProcess): void {
  process.kill(-(child.pid as number), 'SIGKILL');
}

/** Copies the files, their builds and the links to the packages of the repository; other packages are linked. */
function copyRepository(folder: string): void {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  const owners = [...new Set(files.filter((file) => /(?:^|\/)package\.json$/.test(file)).map((file) => dirname(file)))];
  for (const owner of owners) {
    const [built, installed] = [join(owner, 'dist'), join(owner, 'node_modules')];
    if (existsSync(join(root, built))) cpSync(join(root, built), join(folder, built), { recursive: true });
    if (!existsSync(join(root, installed))) continue;
    mkdirSync(join(folder, installed));
    for (const name of readdirSync(join(root, installed))) {
      const [from, to] = [join(root, installed, name), join(folder, installed, name)];
      // Their links are relative: those of the copy lead to the files of the copy.
      if (name === '@svc') cpSync(from, to, { recursive: true, verbatimSymlinks: true });
      else symlinkSync(resolve(from), to);
    }
  }
}

function isPresent(file: string): boolean {
  return file !== '' && existsSync(join(root, file));
}
