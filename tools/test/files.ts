/**
 * node tools/test/files.ts [--name=<regular expression>] <patterns>: runs test files, up to sixteen of a folder in one
 * process. `node --test` starts a process for each file, which takes longer to load the server than most files take to run.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';

const filesOfProcess = 16;

/** Milliseconds, several times what the longest process needs on a busy machine: one that hangs is named, and ended. */
const longestProcess = 2_400_000;

/** A count of one process. Other lines with the mark warn of what failed after the test that began it. */
const countLine = /^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n/gm;

/** Their tests wait for processes that they start, and take longer than the size of their files suggests. */
const longFolders = ['server/test/cli', 'server/test/crash'];

/** What a process of tests sends when they ended. */
interface Result {
  readonly passed: number;
  readonly skipped: number;
  /** A line for each: where it is, and its name. */
  readonly failed: readonly string[];
}

const { values, positionals } = parseArgs({ options: { name: { type: 'string' } }, allowPositionals: true });
if (process.send) runHere(positionals);
else process.exitCode = await runApart(groupFiles(globSync(positionals)));

function runHere(files: readonly string[]): void {
  const failed: string[] = [];
  run({
    files: files.map((file) => resolve(file)),
    isolation: 'none',
    ...(values.name !== undefined && { testNamePatterns: new RegExp(values.name) }),
  })
    .on('test:fail', ({ name, file = '', line, details }) => {
      if (details.type !== 'suite') failed.push(`${relative('.', file)}:${line} ${name}`);
    })
    .on('test:summary', ({ counts }) => process.send?.({ ...counts, failed } satisfies Result))
    .compose(spec)
    .pipe(process.stdout);
}

/** What takes long starts first, so that no process ends long after the others. */
function groupFiles(files: readonly string[]): string[][] {
  const measure = (group: readonly string[]) => {
    const isLong = longFolders.includes(dirname(group[0] ?? ''));
    return isLong ? Number.MAX_SAFE_INTEGER : group.reduce((sum, file) => sum + statSync(file).size, 0);
  };
  return Object.values(Object.groupBy(files, dirname))
    .flatMap((folder = []) => {
      const count = Math.ceil(folder.length / filesOfProcess);
      return Array.from({ length: count }, (_, index) => folder.filter((_, place) => place % count === index));
    })
    .sort((one, other) => measure(other) - measure(one));
}

/** Prints the report of each process when it ends, and at last what failed in any. Answers the exit code. */
async function runApart(groups: string[][]): Promise<number> {
  const started = performance.now();
  const results: Result[] = [];
  const work = async () => {
    for (let files = groups.shift(); files; files = groups.shift()) results.push(await runGroup(files));
  };
  // More than processors, because tests also wait: for databases, sockets and other processes.
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, work));
  const count = (of: 'passed' | 'skipped') => results.reduce((sum, result) => sum + result[of], 0);
  const failed = results.flatMap((result) => result.failed);
  for (const line of failed) console.log(`✖ ${line}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${count('passed')} passed, ${failed.length} failed, ${count('skipped')} skipped in ${seconds} s`);
  return failed.length > 0 || results.length === 0 ? 1 : 0;
}

async function runGroup(files: readonly string[]): Promise<Result> {
  const options = values.name === undefined ? [] : [`--name=${values.name}`];
  const child = fork(import.meta.filename, [...options, ...files], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    timeout: longestProcess,
  });
  let result: Result | undefined;
  child.on('message', (message) => {
    result = message as Result;
  });
  const ended = once(child, 'close');
  if (child.stdout) process.stdout.write((await text(child.stdout)).replace(countLine, ''));
  const [code, signal] = await ended;
  // A process that ends early has sent nothing, and what fails outside the tests, as a hook does, is in its exit code only.
  if (result && (code === 0 || result.failed.length > 0)) return result;
  return {
    passed: 0,
    skipped: 0,
    ...result,
    failed: [`the process of ${files.join(', ')} ended with ${code ?? signal}`],
  };
}
