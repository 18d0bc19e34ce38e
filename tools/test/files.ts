/**
 * node tools/test/files.ts [--name=<regular expression>] [--seed=<number>] [patterns]: runs test files, by default
 * those of `npm run test:node`, up to sixteen of a folder in one process. `node --test` starts a process for each file, which
 * takes longer to load the server than most files take to run. A seed shuffles the files and their tests; the same files with the same seed run in the same order.
 */
import { fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { inspect, parseArgs } from 'node:util';

/** The tests of `npm run test:node`. */
export const nodeTests = ['server/test/**/*.test.ts', 'packages/*/test/node/*.test.ts', 'docs-site/test/*.test.ts'];

const filesOfProcess = 16;

/** Milliseconds, several times what the longest process needs on a busy machine: one that hangs is named, and ended. */
const longestProcess = 2_400_000;

/** A count of one process. Other lines with the mark warn of what failed after the test that began it. */
const countLine = /^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n/gm;

/** Their tests wait for processes that they start, and take longer than the size of their files suggests. */
const longFolders = ['server/test/cli', 'server/test/crash'];

export interface TestFailure {
  /** The path of the file, and the line of the test. */
  readonly place: string;
  readonly title: string;
  /** The message and the stack. */
  readonly error: string;
  /** The files that ran in the same process. */
  readonly files: readonly string[];
}

export interface TestCounts {
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly TestFailure[];
}

export interface RunOptions {
  /** Runs only tests with this regular expression in their name. */
  readonly name?: string | undefined;
  /** Shuffles. */
  readonly seed?: number | undefined;
  /** Receives the report of a process when it ends; default: the standard output. */
  readonly write?: (report: string, failed: readonly TestFailure[]) => void;
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the processes. */
  readonly signal?: AbortSignal;
}

if (import.meta.main) {
  const options = { name: { type: 'string' }, seed: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  if (process.send) runHere(positionals, { name: values.name, seed });
  else
    process.exitCode = await runAndReport(positionals.length > 0 ? positionals : nodeTests, {
      name: values.name,
      seed,
    });
}

function runHere(files: readonly string[], { name, seed }: RunOptions): void {
  const failed: TestFailure[] = [];
  run({
    files: files.map((file) => resolve(file)),
    isolation: 'none',
    ...(name !== undefined && { testNamePatterns: new RegExp(name) }),
    ...(seed !== undefined && { randomize: true, randomSeed: seed }),
  })
    .on('test:fail', ({ name: title, file = '', line, details }) => {
      const { cause, failureType } = details.error as Error & { readonly failureType?: string };
      if (failureType === 'subtestsFailed') return;
      failed.push({ place: `${relative('.', file)}:${line}`, title, error: inspect(cause ?? details.error), files });
    })
    .on('test:summary', ({ counts }) => process.send?.({ ...counts, failed } satisfies TestCounts))
    .compose(spec)
    .pipe(process.stdout);
}

/** Without a seed, what takes long starts first, so that no process ends long after the others. */
function groupFiles(files: readonly string[], seed?: number): string[][] {
  const draw = (text: string) => hash('sha256', `${seed} ${text}`);
  const shuffle = <T extends string | string[]>(list: T[]) =>
    list.sort((one, other) => (draw(String(one)) < draw(String(other)) ? -1 : 1));
  const measure = (group: readonly string[]) => {
    const isLong = longFolders.includes(dirname(group[0] ?? ''));
    return isLong ? Number.MAX_SAFE_INTEGER : group.reduce((sum, file) => sum + statSync(file).size, 0);
  };
  const groups = Object.values(Object.groupBy(files, dirname)).flatMap((folder = []) => {
    const count = Math.ceil(folder.length / filesOfProcess);
    if (seed !== undefined) shuffle(folder);
    return Array.from({ length: count }, (_, index) => folder.filter((_, place) => place % count === index));
  });
  return seed === undefined ? groups.sort((one, other) => measure(other) - measure(one)) : shuffle(groups);
}

/** Prints the report of each process when it ends, and at last what failed in any. Returns the exit code. */
async function runAndReport(patterns: readonly string[], options: RunOptions): Promise<number> {
  const started = performance.now();
  const { passed, failed, skipped } = await runFiles(patterns, options);
  for (const { place, title } of failed) console.log(`✖ ${place} ${title}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${passed} passed, ${failed.length} failed, ${skipped} skipped in ${seconds} s`);
  return failed.length > 0 || passed + skipped === 0 ? 1 : 0;
}

/** Runs the files of these patterns. */
export async function runFiles(patterns: readonly string[], options: RunOptions = {}): Promise<TestCounts> {
  const groups = groupFiles(globSync(patterns), options.seed);
  const results: TestCounts[] = [];
  const work = async () => {
    for (let files = groups.shift(); files && !options.signal?.aborted; files = groups.shift())
      results.push(await runGroup(files, options));
  };
  // More than processors, because tests also wait: for databases, sockets and other processes.
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, work));
  const count = (of: 'passed' | 'skipped') => results.reduce((sum, result) => sum + result[of], 0);
  return { passed: count('passed'), skipped: count('skipped'), failed: results.flatMap((result) => result.failed) };
}

async function runGroup(files: readonly string[], options: RunOptions): Promise<TestCounts> {
  const { write = (report) => process.stdout.write(report), env = process.env, signal } = options;
  const args = (['name', 'seed'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`--${name}=${options[name]}`],
  );
  const child = fork(import.meta.filename, [...args, ...files], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    timeout: longestProcess,
    env,
  });
  const stop = () => child.kill();
  signal?.addEventListener('abort', stop);
  let sent: TestCounts = { passed: 0, skipped: 0, failed: [] };
  let isComplete = false;
  child.on('message', (message) => {
    sent = message as TestCounts;
    isComplete = true;
  });
  const ended = once(child, 'close');
  const report = child.stdout ? (await text(child.stdout)).replace(countLine, '') : '';
  const [code, killedBy] = await ended;
  signal?.removeEventListener('abort', stop);
  // A process that ends early has sent nothing, and what fails outside the tests, as a hook does, is in its exit code only.
  if (!(isComplete && (code === 0 || sent.failed.length > 0))) {
    const title = `the process of ${files.join(', ')} ended with ${code ?? killedBy}`;
    sent = { ...sent, failed: [{ place: dirname(files[0] ?? ''), title, error: report.slice(-4000), files }] };
  }
  write(report, sent.failed);
  return sent;
}
