import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DemoCredentials } from '../../site/demo/seed.ts';

const svc = fileURLToPath(new URL('../../cli/svc.js', import.meta.url));

/** Environment variables for the location of the data and the differences from a normal server. */
export type ProcessSettings = Readonly<Record<string, string>>;

/** The real server as a child process. */
export interface ServerProcess {
  readonly pid: number;
  /** The address for requests of this machine. */
  readonly url: string;
  /** The origin that the demo notice accepts captures from. */
  readonly origin: string;
  /** The credentials created by the first start on an empty database; null on later ones. */
  readonly credentials: DemoCredentials | null;
  /** How long the start took. */
  readonly startMilliseconds: number;
  /** When it began to listen, by `performance.now()`. */
  readonly listensSince: number;
  /** Its log so far: the messages, and the fields about outages and errors. */
  readLog(): readonly LogLine[];
  /** Kills it, as a power failure would. */
  kill(): Promise<void>;
  /** Stops it, as an administrator would. */
  stop(): Promise<void>;
  /** The exit code; null while it runs, and after a kill. */
  exitCode(): number | null;
}

/** A line of the log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly milliseconds?: number;
  readonly refusedRequests?: number;
  readonly err?: { readonly message: string };
}

/**
 * Starts `svc demo`. Rejects with the output of the process if it exits instead of listening.
 * @param program `svc.js` of another version.
 */
export async function startServerProcess(settings: ProcessSettings, program = svc): Promise<ServerProcess> {
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'demo', '--json'], {
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  const logged: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text) => logged.push(text));
  const { baseUrl, credentialsFile } = await readAnnouncement(child).catch(async (error: unknown) => {
    await end('SIGKILL');
    throw error;
  });
  const listensSince = performance.now();
  return {
    pid: child.pid as number,
    url: baseUrl.replace('localhost', '127.0.0.1'),
    origin: baseUrl,
    credentials: credentialsFile === undefined ? null : JSON.parse(readFileSync(credentialsFile, 'utf8')),
    startMilliseconds: listensSince - started,
    listensSince,
    readLog: () => {
      // The last line may be incomplete.
      const lines = logged.join('').split('\n').slice(0, -1);
      return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    exitCode: () => child.exitCode,
  };
}

interface Announcement {
  readonly baseUrl: string;
  readonly credentialsFile?: string;
}

/** The JSON document that the server prints once it listens. */
function readAnnouncement(child: ChildProcess): Promise<Announcement> {
  return new Promise((resolve, reject) => {
    let printed = '';
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      complaint += text;
    });
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      printed += text;
      if (printed.endsWith('}\n')) resolve(JSON.parse(printed));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} instead of listening: ${complaint}`)));
  });
}

/**
 * Runs `svc verify` as a child process.
 * @param program `svc.js` of another version.
 * @returns null if everything is intact, else its output.
 */
export function verifyInProcess(settings: ProcessSettings, program = svc): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'verify'], { env: environment(settings) }, (error, stdout, stderr) =>
      resolve(error === null ? null : stdout + stderr),
    );
  });
}

function environment(settings: ProcessSettings): NodeJS.ProcessEnv {
  const unlimited = '1000000000';
  return {
    PATH: process.env.PATH,
    PORT: '0',
    SVC_LOG_LEVEL: 'error',
    SVC_LIMIT_API_KEY: unlimited,
    SVC_LIMIT_TENANT: unlimited,
    SVC_LIMIT_VISITOR: unlimited,
    SVC_LIMIT_CAPTURE_NOTICE: unlimited,
    SVC_LIMIT_CAPTURE_CLIENT: unlimited,
    ...settings,
  };
}
