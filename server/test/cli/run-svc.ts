import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { runCommand } from '../../cli/run-command.ts';
import type { TestServer } from '../harness.ts';

const program = join(import.meta.dirname, '../../cli/svc.js');
/** Dozens of processes load the same modules: what one compiles, the next ones find here. */
const compileCache = join(tmpdir(), 'node-compile-cache');

const defaults = { PORT: '0', SVC_LOG_LEVEL: 'error', SVC_DATABASE_WAIT_SECONDS: '0' };

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A server in a process of its own. Disposing of it kills it. */
export interface RunningSvc extends AsyncDisposable {
  /** Where it answers, as it printed it. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Finished>;
}

export type Environment = Readonly<Record<string, string>>;

/** The settings of a command beside a server. */
export function environmentOf({ installation }: Pick<TestServer, 'installation'>): Environment {
  const { dataDir, databaseUrl } = installation.settings;
  return { SVC_DATA_DIR: dataDir, ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }) };
}

/** Asserts that a command refused its words with exit code 2 and a sentence that has a hint, not a stack. */
export function assertUsageError({ code, stdout, stderr }: Finished, hint: string | RegExp): void {
  assert.deepEqual([code, stdout], [2, ''], stderr);
  assert.match(stderr, /^svc: /);
  assert.doesNotMatch(stderr, /\n +at /);
  assert.ok(typeof hint === 'string' ? stderr.includes(hint) : hint.test(stderr), stderr);
}

/** Runs `svc` to its end in this process, with no other settings than these: starting a process takes most of a second. */
export async function runSvc(
  words: readonly string[],
  environment: Environment = {},
  showProgress: (text: string) => void = () => undefined,
): Promise<Finished> {
  const output = { stdout: '', stderr: '' };
  const code = await runCommand(words, {
    environment: { ...defaults, ...environment },
    isTerminal: false,
    print: (line) => {
      output.stdout += `${line}\n`;
    },
    printError: (line) => {
      output.stderr += `${typeof line === 'string' ? line : inspect(line)}\n`;
    },
    showProgress,
  });
  return { code, ...output };
}

/** Runs `svc` to its end in a process of its own. */
export async function runSvcProcess(words: readonly string[], environment: Environment = {}): Promise<Finished> {
  const { ended } = launch(program, words, environment);
  return ended;
}

/** Runs `svc` to its end in a process of its own, while this one waits. */
export function runSvcSync(words: readonly string[], environment: Environment): void {
  execFileSync(process.execPath, [program, ...words], { env: readEnvironment(environment) });
}

/** Starts a server (`serve`, `demo`) on a free port and waits until it listens. */
export function startSvc(words: readonly string[], environment: Environment): Promise<RunningSvc> {
  return waitUntilListening(program, words, environment);
}

/** Starts `svc`, for a caller that reads its output and ends it. */
export function spawnSvc(words: readonly string[], environment: Environment, file = program) {
  return spawn(process.execPath, [file, ...words], {
    env: readEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function readEnvironment(environment: Environment): Environment {
  const { PATH = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE: compileCache, ...defaults, SVC_LOG_LEVEL: 'info', ...environment };
}

function launch(file: string, words: readonly string[], environment: Environment) {
  const child = spawnSvc(words, environment, file);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]): Finished => ({ code, ...output }));
  return { child, output, ended };
}

async function waitUntilListening(file: string, words: readonly string[], environment: Environment) {
  const { child, output, ended } = launch(file, words, environment);
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /(?:"listensOn":|"baseUrl": )"(http:\/\/localhost:\d+)/.exec(output.stdout)?.[1];
      // With --json the result is whole when its last brace is there.
      if (found !== undefined && (!words.includes('--json') || output.stdout.endsWith('}\n'))) resolve(found);
    };
    child.stdout.on('data', look);
    ended.then(({ code, stdout, stderr }) => reject(new Error(`ended with ${code}\n${stdout}\n${stderr}`)), reject);
  });
  const stop: RunningSvc['stop'] = (signal) => {
    child.kill(signal);
    return ended;
  };
  return { url, process: child, stop, [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')) };
}
