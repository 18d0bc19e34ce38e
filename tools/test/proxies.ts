/** Programs that stand in front of a server or a database, as Debian packages them, for the release tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installPackages } from './apt.ts';
import { findProgram } from './find-program.ts';
import { findFreePort, findUnprivilegedUser } from './postgres.ts';

export interface RunningProxy extends AsyncDisposable {
  readonly port: number;
}

/** Installs a program if it is missing. @returns its path; undefined if there is none. */
export function requireProgram(name: 'nginx' | 'caddy' | 'pgbouncer'): string | undefined {
  // Not every user has the folders of administrators on the path.
  process.env.PATH = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter);
  return findProgram(name) ?? (installPackages(name) ? findProgram(name) : undefined);
}

/**
 * Runs a program with a configuration in a folder of its own, until it accepts connections on a free port.
 * @param write returns its files by name, with the port to listen on.
 * @param args of the program, with its folder.
 */
export async function startProxy(
  program: string,
  write: (folder: string, port: number) => Readonly<Record<string, string>>,
  args: (folder: string) => readonly string[],
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'));
  const port = await findFreePort();
  const owner = findUnprivilegedUser();
  const files = write(folder, port);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  chmodSync(folder, 0o755);
  if (owner)
    for (const path of [folder, ...Object.keys(files).map((name) => join(folder, name))])
      chownSync(path, owner.uid, owner.gid);
  const child = spawn(program, args(folder), {
    cwd: folder,
    ...owner,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  if (!(await acceptsConnections(port, child))) {
    await stop();
    throw new Error(`${program} did not start:\n${output}`);
  }
  return { port, [Symbol.asyncDispose]: stop };
}

/** Tries to connect until it succeeds. @returns false if the program ended. */
async function acceptsConnections(port: number, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
