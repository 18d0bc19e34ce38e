import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Environment } from './run-svc.ts';

const repository = join(import.meta.dirname, '../../..');

/** Runs a command as people type it, in the folder of the repository, until the server that it starts listens. */
export async function startCommand(command: string, environment: Environment) {
  const [program = '', ...words] = command.split(' ');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, words, {
    cwd: repository,
    env: { PATH, HOME, PORT: '0', SVC_LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, which gets Ctrl-C as from a terminal.
    detached: true,
  });
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = /"listensOn":"http:\/\/localhost:(\d+)/.exec(output)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    ended.then(() => reject(new Error(`${command} ended:\n${output}`)), reject);
  });
  const connection = connect(port, '127.0.0.1').on('error', () => undefined);
  const closed = once(connection, 'close');
  await Promise.race([once(connection, 'connect'), closed]);
  return {
    /** SIGTERM and SIGHUP as from a process manager, to the process that it started; SIGINT as from a terminal. */
    stop: (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') =>
      process.kill((child.pid ?? 0) * (signal === 'SIGINT' ? -1 : 1), signal),
    /** The command line of the process that was started, as the system shows it. */
    readCommandLine: () => execFileSync('ps', ['-o', 'args=', '-p', String(child.pid)], { encoding: 'utf8' }),
    ended,
    /** The server closed its connections: it stops. */
    closed,
  };
}
