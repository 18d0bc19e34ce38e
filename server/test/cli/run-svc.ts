import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { runCommand, type Terminal } from '../../cli/run-command.ts';
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

/** A server that `svc` runs. Disposing of it stops it. */
export interface RunningSvc extends AsyncDisposable {
  /** Where it answers, as it printed it. */
  readonly url: string;
  /** Stops it as SIGTERM does, and waits for the end. */
  stop(): Promise<Finished>;
}

/** A server in a process of its own. Disposing of it kills it. */
export interface SvcProcess extends RunningSvc {
  readonly process: ChildProcess;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
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
  more: Partial<Terminal> = {},
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
    showProgress: () => undefined,
    ...more,
  });
  return { code, ...output };
}

/** Starts a server (`serve`, `demo`) on a free port in this process, and waits until it listens. */
export async function startSvc(words: readonly string[], environment: Environment): Promise<RunningSvc> {
  const stopping = Promise.withResolvers<string>();
  const listening = Promise.withResolvers<string>();
  let log = '';
  const write = (line: string) => {
    log += line;
    const { listensOn } = JSON.parse(line);
    if (listensOn !== undefined) listening.resolve(listensOn);
  };
  const options = { logOutput: { write }, untilStopped: () => stopping.promise };
  const ended = runSvc(words, { SVC_LOG_LEVEL: 'info', ...environment }, options).then(({ code, stdout, stderr }) => ({
    code,
    stdout: log + stdout,
    stderr,
  }));
  const url = await Promise.race([listening.promise, ended.then(failToStart)]);
  const stop = () => {
    stopping.resolve('SIGTERM');
    return ended;
  };
  return { url, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

function failToStart({ code, stdout, stderr }: Finished): never {
  throw new Error(`ended with ${code}\n${stdout}\n${stderr}`);
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

/** Starts a server in a process of its own, for tests of signals, output and files. */
export function startSvcProcess(words: readonly string[], environment: Environment): Promise<SvcProcess> {
  return waitUntilListening(program, words, environment);
}

/** Starts `svc`, for a caller that reads its output and ends it. */
export function spawnSvc(words: readonly string[], environment: Environment, file = program) {
  return spawn(process.execPath, [file, ...words], {
    env: readEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A setting with which a process lists the CommonJS modules that it loaded on its standard error when it exits. */
export function listModulesIn(folder: string): Environment {
  const hook = join(folder, 'list-modules.cjs');
  writeFileSync(hook, "process.on('exit', () => console.error(Object.keys(require.cache).join(' ')));");
  return { NODE_OPTIONS: `--require ${hook}` };
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
    ended.then(failToStart).catch(reject);
  });
  const stop: SvcProcess['stop'] = (signal = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { url, process: child, stop, [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')) };
}
